import { isStrict, type ReachOptions } from '../../commands/settings.ts';
import type { Log } from '../../http/log.ts';
import type { Mailer } from '../mail/mailer.ts';

/**
 * Decides whether the gateway has account pages. A strict gateway needs a mail server for the links to sign in, and TLS, so that nobody on
 * the network can read a session.
 *
 * @param mailer undefined if mails cannot be sent
 * @returns the mailer; undefined if there are no account pages; then the reason is logged
 */
export function readAccountPageSettings(
  mailer: Mailer | undefined,
  options: ReachOptions,
  log: Log,
): Mailer | undefined {
  const isSafe = !isStrict(options) || options.publicUrl?.startsWith('https:');
  if (mailer && isSafe) return mailer;
  const reason = mailer ? '--public-url is not an address that begins with https://' : 'SMTP_URL is not set';
  log.info(`the account page is off, because ${reason}`);
  return undefined;
}
