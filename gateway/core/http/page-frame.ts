import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VNode } from 'preact';
import { PAGE_HEADERS } from '../../shared/pages/page-headers.ts';
import type { Headers, HttpProblem } from './problem.ts';

/** How pages look: what surrounds the content of each. */
export interface PageFrame {
  /** Renders a page whose title is its heading. */
  render(page: FramedPage): string;
  /** Renders the page that shows a problem. */
  renderProblem(problem: HttpProblem): string;
}

/** What a page shows inside its frame. */
export interface FramedPage {
  title: string;
  /** The page's own path. */
  path: string;
  /** How wide its content is: a column of text, as much as tables need, or the whole window. */
  width: 'text' | 'wide' | 'full';
  /** The islands of JavaScript that it loads, besides that of all pages. */
  islands: readonly string[];
  /** What follows its heading. A text is HTML that a template has made. */
  body: string | VNode;
}

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
