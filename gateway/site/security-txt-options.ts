import { type Command, InvalidArgumentError, Option } from 'commander';
import { readEmail } from '../store/accounts/email.ts';

/** The options for `/.well-known/security.txt`. */
export interface SecurityTxtOptions {
  /** undefined for no file. */
  securityContact?: string;
  /** ms since 1970. */
  securityExpires?: number;
}

/** Adds the options for `/.well-known/security.txt`. */
export function addSecurityTxtOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--security-contact <address>',
        'where to report vulnerabilities, for /.well-known/security.txt: an email address or an https address (default: no such file)',
      )
        .env('GATEWAY_SECURITY_CONTACT')
        .argParser(parseContact),
    )
    .addOption(
      new Option(
        '--security-expires <time>',
        'until when that contact is valid, such as 2030-01-31; after it there is no such file (default: 180 days from each request on)',
      )
        .env('GATEWAY_SECURITY_EXPIRES')
        .argParser(parseExpiry),
    );
}

function parseContact(text: string): string {
  const email = readEmail(text.replace(/^mailto:/, ''));
  if (email !== undefined) return `mailto:${email}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href;
  throw new InvalidArgumentError('expected an email address, or an address that begins with https://.');
}

/** RFC 3339, or a day. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(\.\d{1,3})?(Z|[+-]\d{2}:\d{2}))?$/;

function parseExpiry(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) return time;
  throw new InvalidArgumentError(
    'expected a time in the future, such as 2030-01-31 or 2030-01-31T12:00:00Z.',
  );
}
