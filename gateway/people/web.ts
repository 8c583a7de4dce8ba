// Pages and forms for people: what all pages have in common that are made for one request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Content, type Html, html, readBody, sendHtml } from '../http/html.ts';
import { type EndpointHandler, type FramedPage, type Incoming, parseRawQuery } from '../http/incoming.ts';
import { type Headers, HttpProblem, invalidParameter, unsupported } from '../http/problem.ts';
import { readEmail } from '../store/email.ts';
import type { Needs } from './people.ts';

/** A page that is made for one request and must not be cached. */
export interface Page {
  title: string;
  /** The content below the heading. */
  body: Html;
  /** Why the form is shown again. */
  error?: FormError | undefined;
  /** The status of the response; 200 by default, without an error. */
  status?: number;
  headers?: Headers;
  /** The width of the content; a column of text by default. */
  width?: FramedPage['width'];
  /** The JavaScript islands of the page, besides those of all pages. */
  islands?: readonly string[];
}

/** Why a form is shown again. */
export interface FormError {
  status: number;
  message: string;
  /** In how many seconds the form may be sent again. */
  retryAfter?: number;
}

export const INVALID_EMAIL: FormError = {
  status: 400,
  message: 'This is not an email address that mail can be sent to. Expected one such as ada@example.org.',
};

/**
 * The Referrer-Policy of a page with a form. With `no-referrer`, browsers would send `Origin: null` with the form, and in browsers without
 * Sec-Fetch-Site `refuseCrossSite` would refuse the gateway's own pages. `strict-origin` reveals only the origin.
 */
const FORM_PAGE: Headers = { 'Referrer-Policy': 'strict-origin' };

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

/** Redirects after a form, so that reloading does not send the form again. */
export function redirectPage(path: string, headers: Headers = {}): Page {
  const body = html`<p><a href="${path}">Continue</a></p>`;
  return { status: 303, title: 'Continue', body, headers: { Location: path, ...headers } };
}

export interface FieldOf {
  label: Content;
  id: string;
  /** The name of the field; the id by default. */
  name?: string;
  type?: string;
  value?: string | number | undefined;
  /** Further attributes of `<input>`. */
  more?: Readonly<Record<string, string | number | true>>;
}

/** A field with its label above it. */
export function field({ label, id, name = id, type = 'text', value, more = {} }: FieldOf): Html {
  if (type === 'textarea')
    return html`<p><label for="${id}">${label}</label><br>
      <textarea id="${id}" name="${name}" rows="3" required>${value}</textarea></p>`;
  const all: FieldOf['more'] = { type, id, name, ...(value !== undefined && { value }), ...more };
  const attributes = Object.entries(all).map(([key, each]) =>
    each === true ? html` ${key}` : html` ${key}="${each}"`,
  );
  return html`<p><label for="${id}">${label}</label><br><input${attributes}></p>`;
}

export function emailField(label: Content, value: string): Html {
  const more = { autocomplete: 'email', maxlength: 254, required: true } as const;
  return field({ label, id: 'email', type: 'email', value, more });
}

/** A paragraph with the button that sends a form. */
export function submit(label: string, attributes: Content = ''): Html {
  return html`<p><button type="submit"${attributes}>${label}</button></p>`;
}

/** A text to copy. Long lines wrap, so that all of it is visible. */
export function code(text: string): Html {
  return html`<pre class="wrapped"><code>${text}</code></pre>`;
}

/** A page with a secret that is shown once. @param back the path of the page that it belongs to */
export function secretPage(title: string, secret: string, rest: Content, back: string): Page {
  const body = html`${code(secret)}<p><strong>Copy it now: it is not shown again.</strong></p>${rest}
    <p><a href="${back}">Back to the account</a></p>`;
  return { title, body };
}

/** @param time ISO 8601 UTC */
export function describeTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** @param time ISO 8601 UTC */
export function showTime(time: string): Html {
  return html`<time datetime="${time}">${describeTime(time)}</time>`;
}

export type FormFields = ReadonlyMap<string, string>;

export function respondWith(makePage: (request: Incoming) => Page | Promise<Page>): EndpointHandler {
  return async (request, response) => sendPage(request, response, await makePage(request));
}

/** Reads a form that must come from a page of this gateway, and responds with a page. */
export function handleForm(
  { publicUrl }: Needs<'publicUrl'>,
  makePage: (form: FormFields, request: Incoming) => Promise<Page>,
  maxBytes?: number,
): EndpointHandler {
  return respondWith(async (request) => {
    refuseCrossSite(request, publicUrl());
    return await makePage(await readForm(request, maxBytes), request);
  });
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Longer forms get a 413. */
const MAX_FORM_BYTES = 4096;

/** Reads the fields of a form; of a repeated field, the first value. @throws HttpProblem */
export async function readForm(request: IncomingMessage, maxBytes = MAX_FORM_BYTES): Promise<FormFields> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE) {
    const detail = `the body has another media type, expected ${FORM_TYPE}`;
    throw unsupported(detail, { Accept: FORM_TYPE });
  }
  const fields = parseRawQuery((await readBody(request, maxBytes)).toString());
  // A field with a NUL cannot be stored.
  if (!fields || fields.some(([, value]) => value.includes('\0')))
    throw invalidParameter('body', 'the form has malformed percent-encoding, expected UTF-8 without NUL');
  return new Map(fields.toReversed());
}

/** A 429 that says when to try again. */
export function tooMany(what: string, seconds: number): HttpProblem {
  const detail = `${what}; try again in ${seconds} s`;
  return new HttpProblem('quota-exceeded', detail, {}, { 'Retry-After': seconds });
}

/** @returns an empty text if the parameter is absent */
export function readParameter({ url = '' }: IncomingMessage, name: string): string {
  return new URLSearchParams(url.split('?')[1]).get(name) ?? '';
}

/**
 * Parses an email address that a visitor typed. Like `readEmail`, but refuses domains without a dot: they are on this machine or in its local
 * network.
 */
export function readPublicEmail(text: string): string | undefined {
  const email = readEmail(text);
  return email?.slice(email.indexOf('@')).includes('.') ? email : undefined;
}

/**
 * Refuses a form that was sent from another site. The browser's header fields decide: Sec-Fetch-Site or, in browsers without it, Origin. A client that
 * sends neither is not a browser, and other sites cannot make it send a form.
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
