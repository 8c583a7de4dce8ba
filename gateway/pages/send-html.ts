import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Headers } from '../http/problem.ts';
import { PAGE_HEADERS } from './page-headers.ts';

/** Sends a page that was made for one request and must not be cached. */
export function sendHtml(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, html }: { status: number; headers: Headers | undefined; html: string },
): void {
  const bytes = Buffer.from(html);
  response
    .writeHead(status, {
      ...PAGE_HEADERS,
      'Cache-Control': 'no-store',
      ...headers,
      'Content-Length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes);
}
