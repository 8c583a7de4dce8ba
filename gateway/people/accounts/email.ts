import { domainToASCII } from 'node:url';

/** RFC 5321: what fits a path, less its angle brackets, and the most that may stand before the @. */
const MAX_LENGTH = 254;
const MAX_LOCAL_BYTES = 64;
/** Control, format and unassigned characters, lone surrogates, and every kind of space. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;
/** What may stand before the @ in quotes only (RFC 5322, 3.2.3). No provider gives such addresses, and what reads mails' heads trips over them. */
const NEEDS_QUOTES = /["(),:;<>[\\\]]|^\.|\.\.|\.$/;
/** What a URL parser, which does the IDN conversion, would read as something else than a name. */
const NOT_A_NAME = /[%/?#:\\[\]<>^|]/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads an e-mail address into the one form by which an account is known: lower case, NFC, the domain in ASCII
 * (IDNA, UTS 46), so that `Ada@Bücher.example` and `ada@xn--bcher-kva.example` are one.
 *
 * @returns undefined when it is not an address that mail could be sent to: longer than 254 characters, not one @
 *   with something on both sides, a space or control character, what would need quotes, or a domain that no host can have
 */
export function readEmail(text: string): string | undefined {
  if (text.length > MAX_LENGTH || UNPRINTABLE.test(text)) return undefined;
  const [local, domain, ...rest] = text.normalize('NFC').split('@');
  if (!local || !domain || rest.length > 0 || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return undefined;
  if (NEEDS_QUOTES.test(local)) return undefined;
  const host = readHost(domain);
  const email = `${local.toLowerCase()}@${host}`;
  return host === undefined || email.length > MAX_LENGTH ? undefined : email;
}

/**
 * Reads an e-mail address that a stranger names: as `readEmail`, but one that a mail server of the Internet can take mail for, not one of
 * this machine, or of the network it stands in.
 */
export function readPublicEmail(text: string): string | undefined {
  const email = readEmail(text);
  return email?.slice(email.indexOf('@')).includes('.') ? email : undefined;
}

function readHost(domain: string): string | undefined {
  if (NOT_A_NAME.test(domain)) return undefined;
  const host = domainToASCII(domain);
  const labels = host.split('.');
  // A last label of digits alone is an IPv4 address in one of its many spellings.
  if (!labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return host;
}
