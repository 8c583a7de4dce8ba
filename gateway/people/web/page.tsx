import type { ServerResponse } from 'node:http';
import type { JSX } from 'preact';
import { sendHtml } from '../../http/html.ts';
import type { FramedPage, Incoming } from '../../http/incoming.ts';
import type { Headers } from '../../http/problem.ts';
import { renderPlain } from './plain-page.tsx';

/** A page that is made for one request and must not be cached. */
export interface Page {
  status: number;
  title: string;
  /** What follows its heading. */
  body: JSX.Element;
  headers?: Headers;
  /** How wide its content is: a column of text by default. */
  width?: FramedPage['width'];
  /** The islands of JavaScript that it loads, besides that of all pages. */
  islands?: readonly string[];
}

/**
 * The Referrer-Policy of a page with a form. With `no-referrer`, browsers would send `Origin: null` with the form, and `refuseCrossSite`
 * could not recognize its own pages in browsers without Sec-Fetch-Site. `strict-origin` reveals only the origin.
 */
export const FORM_PAGE: Headers = { 'Referrer-Policy': 'strict-origin' };

/** Sends a page that must not be cached, in the frame of the gateway's pages if it has one. */
export function sendPage(request: Incoming, response: ServerResponse, page: Page): void {
  const { status, title, body, headers, width = 'text', islands = [] } = page;
  const content = { title, path: request.path, body, width, islands };
  const text = request.frame?.render(content) ?? renderPlain(content);
  sendHtml(request, response, { status, headers, html: text });
}

/** Redirects to another page after a form, so that reloading does not send the form again. */
export function redirectPage(path: string, headers: Headers = {}): Page {
  const body = (
    <p>
      <a href={path}>Continue</a>
    </p>
  );
  return { status: 303, title: 'Continue', body, headers: { Location: path, ...headers } };
}
