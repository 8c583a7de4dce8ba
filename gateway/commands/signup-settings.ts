import { InvalidArgumentError } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { type ClientAddress, readTrustedProxies } from '../http/client-address.ts';
import type { Log } from '../log/log.ts';
import type { Mailer } from '../people/mail/mailer.ts';

/** The command-line options about sign-up. */
export interface SignupChoice {
  /** undefined if it is neither on nor off. */
  signup?: boolean;
  publicUrl?: string;
}

/**
 * Decides whether people may sign up. In production that takes a mail server, and the address that links in mails begin with: what a request
 * says of its host could be anybody's.
 *
 * @param mailer undefined where mails cannot be sent
 * @returns the mailer; undefined where they may not
 * @throws CommandError where it was asked for and something is missing
 */
export function readSignupSettings(
  { signup, publicUrl }: SignupChoice,
  env: NodeJS.ProcessEnv,
  mailer: Mailer | undefined,
  log: Log,
): Mailer | undefined {
  if (signup === false) return undefined;
  if (!mailer) {
    if (signup) throw new CommandError('--signup on needs SMTP_URL where NODE_ENV is production', 2);
    log.info('sign-up is off, because SMTP_URL is not set');
    return undefined;
  }
  if (env.NODE_ENV === 'production' && publicUrl === undefined) {
    throw new CommandError(
      'sign-up needs --public-url where NODE_ENV is production, for the links in mails; --signup off does without',
      2,
    );
  }
  return mailer;
}

/** Parses the public URL of the gateway. */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new InvalidArgumentError('expected an address without a path, such as https://api.example.org.');
}

/** Parses the trusted proxies. */
export function parseTrustedProxy(text: string): ClientAddress {
  try {
    return readTrustedProxies(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `expected the number of proxies, or their addresses, such as 1 or 127.0.0.1,10.0.0.0/8: ${(error as Error).message}.`,
    );
  }
}
