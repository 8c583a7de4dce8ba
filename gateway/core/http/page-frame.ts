import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VNode } from 'preact';
import type { HttpProblem } from './problem.ts';

/** How pages look: what surrounds the content of each. */
export interface PageFrame {
  /** Renders a page whose title is its heading. */
  render(page: FramedPage): string;
  /** Sends the page that shows a problem. */
  sendProblem(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): void;
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
  /** What follows its heading. */
  body: VNode;
}
