import type { Log } from '../log/log.ts';
import type { Mailer } from '../people/mail/mailer.ts';

/**
 * Decides whether people may see to their accounts on a page. In production that takes a mail server, for the links that they sign in by, and TLS:
 * nobody on the way may read a session.
 *
 * @param mailer undefined where mails cannot be sent
 * @param publicUrl undefined for the address that the gateway listens on
 * @returns the mailer; undefined where they may not, and the log says why
 */
export function readAccountPageSettings(
  mailer: Mailer | undefined,
  publicUrl: string | undefined,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Mailer | undefined {
  const isSafe = env.NODE_ENV !== 'production' || publicUrl?.startsWith('https:');
  if (mailer && isSafe) return mailer;
  const reason = mailer ? '--public-url is not an address that begins with https://' : 'SMTP_URL is not set';
  log.info(`the account page is off, because ${reason}`);
  return undefined;
}
