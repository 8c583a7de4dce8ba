import type { IncomingMessage, ServerResponse } from 'node:http';

/** Does what a method stands for at an address, and answers; what it throws is answered as a problem. */
export type EndpointHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** An address outside of the API, with what it does for each method that it takes. HEAD is answered as GET. */
export interface Endpoint {
  path: string;
  get?: EndpointHandler;
  post?: EndpointHandler;
}

/** The methods that an endpoint takes, as the header field Allow tells them. */
export function allowedMethods({ get, post }: Endpoint): string {
  return [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ');
}
