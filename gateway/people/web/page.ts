import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { REPORTED, REPORTING_HEADERS } from '../../http/csp-reporting.ts';
import { type Headers, type HttpProblem, PROBLEMS } from '../../http/problem.ts';
import { Html, html } from './html.ts';

/** A page that is made for one request and must not be cached. */
export interface Page {
  status: number;
  title: string;
  body: Html;
  headers?: Headers;
}

const STYLE = `
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark; }
  input:not([type=checkbox]), button, select, textarea { font: inherit; padding: 0.4rem 0.6rem; }
  input:is([type=email], [type=password], [type=text], [type=url]), textarea { width: 100%; max-width: 26rem; box-sizing: border-box; }
  th, td { padding: 0.2rem 1rem 0.2rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
  td form { display: inline; }
  pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: 0.4rem; }
  [role=alert] { padding: 0.5rem 1rem; border-left: 0.3rem solid; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const HEADERS: Headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'${REPORTED}`,
  ...REPORTING_HEADERS,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/**
 * The Referrer-Policy of a page with a form. With `no-referrer`, browsers would send `Origin: null` with the form, and `refuseCrossSite`
 * could not recognize its own pages in browsers without Sec-Fetch-Site. `strict-origin` reveals only the origin.
 */
export const FORM_PAGE: Headers = { 'Referrer-Policy': 'strict-origin' };

/** Sends a page with headers that forbid scripts, frames, caching, and forms to other sites. */
export function sendPage(request: IncomingMessage, response: ServerResponse, page: Page): void {
  const { status, title, body, headers } = page;
  const bytes = Buffer.from(renderPage(title, body).text);
  response
    .writeHead(status, { ...HEADERS, ...headers, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Redirects to another page after a form, so that reloading does not send the form again. */
export function redirectPage(path: string, headers: Headers = {}): Page {
  const body = html`<p><a href="${path}">Continue</a></p>`;
  return { status: 303, title: 'Continue', body, headers: { Location: path, ...headers } };
}

/** Makes the page that shows a problem in a browser. */
export function problemPage({ code, status, message, headers }: HttpProblem): Page {
  const body = html`<p>${message.slice(0, 1).toUpperCase()}${message.slice(1)}.</p>
<p><a href="/">Home page</a></p>`;
  return { status, title: PROBLEMS[code].title, body, headers };
}

function renderPage(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Game Data Read API</title>
<style>${new Html(STYLE)}</style>
<h1>${title}</h1>
${body}
</html>
`;
}
