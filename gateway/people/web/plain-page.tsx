import { renderToString } from 'preact-render-to-string';
import type { FramedPage } from '../../http/incoming.ts';

/** Renders a page without any style, for a gateway without the part that knows how pages look. */
export function renderPlain({ title, body }: FramedPage): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{title}</title>
      </head>
      <body>
        <h1>{title}</h1>
        <main>{body}</main>
      </body>
    </html>
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}
