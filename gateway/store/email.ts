import { domainToASCII } from 'node:url';

/** The maximum length of an address, a path without its angle brackets, and of the part before the @ (RFC 5321). */
const MAX_LENGTH = 254;
const MAX_LOCAL_BYTES = 64;
/** Control, format and unassigned characters, lone surrogates, and every kind of space. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;
/** Parts before the @ that would need quotes (RFC 5322, 3.2.3). No provider uses them, and many mail programs mishandle them. */
const NEEDS_QUOTES = /["(),:;<>[\\\]]|^\.|\.\.|\.$/;
/** Characters that the URL parser, which does the IDN conversion, would not treat as part of a host name. */
const NOT_A_NAME = /[%/?#:\\[\]<>^|]/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Parses and normalises an email address: lower case, NFC, the domain in ASCII (IDNA, UTS 46), so that `Ada@Bücher.example` and
 * `ada@xn--bcher-kva.example` are the same account.
 *
 * @returns undefined if no mail could be sent to it: it is longer than 254 characters, contains a space or control character, would need quotes, does
 * not have exactly one @ with text on both sides, or its domain is not a valid host name
 */
export function readEmail(text: string): string | undefined {
  if (text.length > MAX_LENGTH || UNPRINTABLE.test(text)) return undefined;
  const [local, domain, ...rest] = text.normalize('NFC').toLowerCase().split('@');
  if (!local || !domain || rest.length > 0 || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return undefined;
  if (NEEDS_QUOTES.test(local)) return undefined;
  const host = readHost(domain);
  const email = `${local}@${host}`;
  return host === undefined || email.length > MAX_LENGTH ? undefined : email;
}

/** Domains of a provider that ignores dots before the @; they are aliases of each other. */
const IGNORES_DOTS = new Set(['gmail.com', 'googlemail.com']);

/**
 * Returns the form of an email address that limits use: without a `+` and what follows it, and for Gmail without dots. Addresses with the same form
 * usually belong to one person. It is only for limits: an account belongs to the exact address.
 *
 * @param email as returned by `readEmail`
 */
export function canonicalEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const local = email.slice(0, at);
  const name = local.replace(/(?<=.)\+.*$/, '');
  return IGNORES_DOTS.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}

function readHost(domain: string): string | undefined {
  if (NOT_A_NAME.test(domain)) return undefined;
  const host = domainToASCII(domain);
  const labels = host.split('.');
  // If the last label has only digits, the domain is an IPv4 address.
  if (!labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return host;
}
