// Pages and forms for people: what each page that is made for one request has in common.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type EndpointHandler,
  type FramedPage,
  type Incoming,
  ParameterError,
  parseRawQuery,
} from '../http/incoming.ts';
import { type Headers, HttpProblem, unsupported } from '../http/problem.ts';
import { type Content, type Html, html, readBody, sendHtml } from '../http/html.ts';
import { readEmail } from '../store/email.ts';
import type { Needs } from './services.ts';

/** A page that is made for one request and must not be cached. */
export interface Page {
  title: string;
  /** What follows its heading. */
  body: Html;
  /** Why its form is shown again. */
  error?: FormError | undefined;
  /** 200 without an error. */
  status?: number;
  headers?: Headers;
  /** How wide its content is: a column of text by default. */
  width?: FramedPage['width'];
  /** The islands of JavaScript that it loads, besides that of all pages. */
  islands?: readonly string[];
}

/** Why a form is shown again. */
export interface FormError {
  status: number;
  message: string;
  /** After how many seconds the form may be sent again. */
  retryAfter?: number;
}

/** The error of a form whose email address is not valid. */
export const INVALID_EMAIL: FormError = {
  status: 400,
  message: 'This is not an email address that mail can be sent to. Expected one such as ada@example.org.',
};

/**
 * The Referrer-Policy of a page with a form. With `no-referrer`, browsers would send `Origin: null` with the form, and `refuseCrossSite`
 * could not recognize its own pages in browsers without Sec-Fetch-Site. `strict-origin` reveals only the origin.
 */
const FORM_PAGE: Headers = { 'Referrer-Policy': 'strict-origin' };

/** Sends a page that must not be cached, in the frame of the gateway's pages. */
function sendPage(request: Incoming, response: ServerResponse, page: Page): void {
  const { title, error, status = error?.status ?? 200, width = 'text', islands = [] } = page;
  const body = html`${error && html`<p role="alert" id="error">${error.message}</p>`}${page.body}`;
  const headers = {
    ...(body.text.includes('<form') && FORM_PAGE),
    ...(error?.retryAfter !== undefined && { 'Retry-After': error.retryAfter }),
    ...page.headers,
  };
  const text = request.frame?.render({ title, path: request.path, body, width, islands }) ?? body.text;
  sendHtml(request, response, { status, headers, html: text });
}

/** Redirects to another page after a form, so that reloading does not send the form again. */
export function redirectPage(path: string, headers: Headers = {}): Page {
  const body = html`<p><a href="${path}">Continue</a></p>`;
  return { status: 303, title: 'Continue', body, headers: { Location: path, ...headers } };
}

/** The attributes of a field. */
export interface FieldOf {
  label: Content;
  id: string;
  /** Its name; the id by default. */
  name?: string;
  type?: string;
  value?: string | number | undefined;
  /** What is wrong with it. */
  error?: FormError | undefined;
  /** Further attributes of `<input>`. */
  more?: Readonly<Record<string, string | number | true>>;
}

/** A field with its label above it. */
export function field({ label, id, name = id, type = 'text', value, error, more = {} }: FieldOf): Html {
  const invalid = error && { 'aria-describedby': 'error', 'aria-invalid': 'true' };
  const all: FieldOf['more'] = { type, id, name, ...(value !== undefined && { value }), ...more, ...invalid };
  const attributes = Object.entries(all).map(([key, each]) =>
    each === true ? html` ${key}` : html` ${key}="${each}"`,
  );
  return html`<p><label for="${id}">${label}</label><br><input${attributes}></p>`;
}

/** The field for an email address. */
export function emailField(label: Content, value: string, error: FormError | undefined): Html {
  const more = { autocomplete: 'email', maxlength: 254, required: true } as const;
  return field({ label, id: 'email', type: 'email', value, error, more });
}

/** A paragraph with the button that sends a form. */
export function submit(label: string, attributes: Content = ''): Html {
  return html`<p><button type="submit"${attributes}>${label}</button></p>`;
}

/** A text to copy; a long line is wrapped, so that all of it is seen. */
export function code(text: string): Html {
  return html`<pre class="wrapped"><code>${text}</code></pre>`;
}

/** Formats a time for a text. @param time ISO 8601 UTC */
export function describeTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** A time on a page, which the browser writes as its reader does. @param time ISO 8601 UTC */
export function showTime(time: string): Html {
  return html`<time datetime="${time}" data-show="moment">${describeTime(time)}</time>`;
}

/** The values of a form's fields, by their names. */
export type Fields = ReadonlyMap<string, string>;

/** Makes a handler that responds with a page. */
export function respondWith(makePage: (request: Incoming) => Page | Promise<Page>): EndpointHandler {
  return async (request, response) => sendPage(request, response, await makePage(request));
}

/** Makes a handler that reads a form, which must come from a page of this gateway, and responds with a page. */
export function handleForm(
  { publicUrl }: Needs<'publicUrl'>,
  makePage: (form: Fields, request: Incoming) => Promise<Page>,
  maxBytes = MAX_FORM_BYTES,
): EndpointHandler {
  return respondWith(async (request) => {
    refuseCrossSite(request, publicUrl());
    return await makePage(await readForm(request, maxBytes), request);
  });
}

/** The media type of forms. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** The maximum length of a form; longer ones get a 413. */
const MAX_FORM_BYTES = 4096;

async function readForm(request: IncomingMessage, maxBytes: number): Promise<Fields> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE) {
    const detail = `the body has another media type, expected ${FORM_TYPE}`;
    throw unsupported(detail, { Accept: FORM_TYPE });
  }
  return readFields(await readBody(request, maxBytes));
}

/** Reads the fields of a form; of a repeated field, the first value. @throws ParameterError when the form is not UTF-8 */
export function readFields(body: Buffer): Fields {
  const fields = parseRawQuery(body.toString());
  if (!fields) throw new ParameterError('body', 'the form has malformed percent-encoding, expected UTF-8');
  return new Map(fields.toReversed());
}

/** Reads a parameter of a request's query; an empty text without it. */
export function readParameter({ url = '' }: IncomingMessage, name: string): string {
  return new URLSearchParams(url.split('?')[1]).get(name) ?? '';
}

/**
 * Parses an email address that a visitor typed. Does the same as `readEmail`, but refuses domains without a dot, which are on this machine
 * or in its local network.
 */
export function readPublicEmail(text: string): string | undefined {
  const email = readEmail(text);
  return email?.slice(email.indexOf('@')).includes('.') ? email : undefined;
}

/**
 * Refuses a form that was sent from another site. Many forms have no session that a CSRF token could belong to. So the browser's headers
 * decide: Sec-Fetch-Site or, in browsers without it, Origin. A client that sends neither is not a browser, and other sites cannot make it
 * send a form.
 *
 * @param publicUrl the public URL of the gateway; behind a proxy, Host may differ from it
 * @throws HttpProblem `origin-not-allowed`
 */
function refuseCrossSite({ headers }: IncomingMessage, publicUrl: string): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' || site === 'none') return;
  const isOwn = (address: string) =>
    address === new URL(publicUrl).origin || (URL.canParse(address) && new URL(address).host === host);
  if (site === undefined && (origin === undefined || isOwn(origin))) return;
  throw new HttpProblem(
    'origin-not-allowed',
    'the form was sent from another site, expected it to be sent from this one',
  );
}
