import type { ServerResponse } from 'node:http';
import type { VNode } from 'preact';
import type { Incoming } from '../../../core/http/incoming.ts';
import type { Headers, HttpProblem } from '../../../core/http/problem.ts';
import { headedPage } from '../../site/layout/headed-page.tsx';
import type { Frame, PageContent } from '../../site/layout/page-content.ts';
import { PAGE_HEADERS } from '../../site/layout/page-headers.ts';
import { problemPage } from '../../site/layout/problem-page.tsx';
import { renderPage } from '../../site/layout/render-page.tsx';
import { Html, html } from './html.ts';

/** A page that is made for one request and must not be cached. */
export interface Page {
  status: number;
  title: string;
  /** What follows its heading. */
  body: Html | VNode;
  headers?: Headers;
  /** How wide its content is: a column of text by default. */
  width?: PageContent['width'];
  /** The islands of JavaScript that it loads, besides that of all pages. */
  islands?: readonly string[];
}

const HEADERS: Headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-store' };

/**
 * The Referrer-Policy of a page with a form. With `no-referrer`, browsers would send `Origin: null` with the form, and `refuseCrossSite`
 * could not recognize its own pages in browsers without Sec-Fetch-Site. `strict-origin` reveals only the origin.
 */
export const FORM_PAGE: Headers = { 'Referrer-Policy': 'strict-origin' };

/** Sends a page that must not be cached. */
export function sendPage(request: Incoming, response: ServerResponse, page: Page): void {
  const { status, title, body, headers, width = 'text', islands = [] } = page;
  const shown = body instanceof Html ? body.text : body;
  const content = headedPage({ title, path: request.path, body: shown, width, islands });
  send(request, response, { status, headers, html: renderPage(content, frameOf(request)) });
}

/** Sends the page that shows a problem in a browser. */
export function sendProblemPage(request: Incoming, response: ServerResponse, problem: HttpProblem): void {
  const { status, headers } = problem;
  const frame = frameOf(request);
  send(request, response, { status, headers, html: renderPage(problemPage(problem, frame.hasSite), frame) });
}

function frameOf({ hasSite = false }: Incoming): Frame {
  return { hasSite };
}

/** What is sent. */
interface Sent {
  status: number;
  headers: Headers | undefined;
  html: string;
}

function send(request: Incoming, response: ServerResponse, { status, headers, html: text }: Sent): void {
  const bytes = Buffer.from(text);
  response
    .writeHead(status, { ...HEADERS, ...headers, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Redirects to another page after a form, so that reloading does not send the form again. */
export function redirectPage(path: string, headers: Headers = {}): Page {
  const body = html`<p><a href="${path}">Continue</a></p>`;
  return { status: 303, title: 'Continue', body, headers: { Location: path, ...headers } };
}
