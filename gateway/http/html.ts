import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Headers, invalidParameter, tooLarge } from './problem.ts';
import { sendText } from './respond.ts';

// The HTML renderer: a template that escapes every value.

/** HTML that is safe to send: only `html` and `raw` make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A value in a template. Nothing, `false` and an empty list insert nothing; a list inserts all its elements. */
export type Content = Html | string | number | boolean | null | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '') : text;
}

const tidied = new Map<TemplateStringsArray, readonly string[]>();

/** Replaces each line break and indent of a template by one space, and removes them at its ends. */
function tidy(parts: TemplateStringsArray): readonly string[] {
  const known = tidied.get(parts);
  if (known) return known;
  const last = parts.length - 1;
  const short = parts.map((part, at) => {
    const begun = at === 0 ? part.replace(/^\s*\n\s*/, '') : part;
    return (at === last ? begun.replace(/\s*\n\s*$/, '') : begun).replace(/\s*\n\s*/g, ' ');
  });
  tidied.set(parts, short);
  return short;
}

/** A template tag: values are escaped, except HTML. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  const short = tidy(parts);
  let text = short[0] ?? '';
  for (let at = 0; at < values.length; at++) text += write(values[at]) + (short[at + 1] ?? '');
  return new Html(text);
}

/** HTML that another template made, such as a guide. @param text never a text from data or from a person */
export function raw(text: string): Html {
  return new Html(text);
}

/** Returns the text of content, to be put together with `raw`. */
export function write(value: Content): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return '';
  let text = '';
  for (const each of value) text += write(each);
  return text;
}

const SOURCES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
};

/** The header fields of every page: it may load only from the gateway, cannot be framed, and its address is not sent to other sites. */
export const PAGE_HEADERS: Headers = pageHeaders();

/**
 * Returns the header fields of a page that loads from further sources.
 *
 * @param further sources of its Content-Security-Policy, by directive
 */
export function pageHeaders(further: Readonly<Record<string, string>> = {}): Headers {
  const policy = Object.entries({ ...SOURCES, ...further }).map(([name, sources]) => `${name} ${sources}`);
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

/** Sends a page that was made for one request and must not be cached. */
export function sendHtml(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, html }: { status: number; headers: Headers | undefined; html: string },
): void {
  sendText(request, response, { status, headers: { ...PAGE_HEADERS, ...headers }, text: html });
}

/** Runs `work` once when a response closes; at once if it is already closed, because no event follows then. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work();
  else response.once('close', work);
}

/**
 * @param limit in bytes
 * @throws HttpProblem `too-large`, or `invalid-parameter` if the client disconnected before the end
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLong = () => tooLarge(413, `the body is too large, expected at most ${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLong();
  const endedEarly = () =>
    invalidParameter('body', 'the body ended early, expected as many bytes as the headers announce');
  if (request.destroyed) throw endedEarly();
  const parts: Buffer[] = [];
  let bytes = 0;
  // Listeners take a fraction of an iterator's time. What is too much is read and discarded: a proxy that is still sending would not read the response.
  await new Promise<void>((resolve, reject) => {
    const fail = () => request.complete || reject(endedEarly());
    const add = (part: Buffer) => {
      bytes += part.length;
      if (bytes <= limit) parts.push(part);
      else {
        // Nothing waits for the rest: if it arrives too slowly, the server ends the connection.
        request.off('error', fail);
        reject(tooLong());
      }
    };
    request.on('data', add).once('end', resolve).once('close', fail).once('error', fail);
  });
  return Buffer.concat(parts);
}
