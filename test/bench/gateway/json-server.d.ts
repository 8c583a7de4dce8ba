declare module 'json-server' {
  import type { RequestListener } from 'node:http';

  interface App extends RequestListener {
    use(middleware: unknown): void;
    set(setting: string, value: unknown): void;
  }
  interface Response {
    locals: { data: unknown[] };
    get(header: string): string | undefined;
    jsonp(body: object): void;
  }
  interface Router {
    render: (request: { originalUrl: string }, response: Response) => void;
  }
  const jsonServer: {
    create(): App;
    defaults(options: { logger: boolean }): unknown;
    router(data: object): Router;
  };
  export default jsonServer;
}
