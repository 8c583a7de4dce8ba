import { CommandError } from '../../../scripts/system.ts';
import { isStrict, type ReachOptions } from '../../commands/settings.ts';
import type { Log } from '../../http/log.ts';
import type { Mailer } from '../mail/mailer.ts';

/** The command-line options about sign-up. */
export interface SignupChoice extends ReachOptions {
  /** undefined if it is neither on nor off. */
  signup?: boolean;
}

/**
 * Decides whether people may sign up. A strict gateway needs a mail server, and a public URL for the links in mails: the host that a
 * request names can be forged.
 *
 * @param mailer undefined if mails cannot be sent
 * @returns the mailer; undefined if sign-up is off
 * @throws CommandError if sign-up was turned on and something is missing
 */
export function readSignupSettings(
  options: SignupChoice,
  mailer: Mailer | undefined,
  log: Log,
): Mailer | undefined {
  const { signup, publicUrl } = options;
  if (signup === false) return undefined;
  if (!mailer) {
    if (signup) throw new CommandError('--signup on needs SMTP_URL where others can reach the gateway', 2);
    log.info('sign-up is off, because SMTP_URL is not set');
    return undefined;
  }
  if (isStrict(options) && publicUrl === undefined) {
    throw new CommandError(
      'sign-up needs --public-url for the links in mails; set it, or turn sign-up off with --signup off',
      2,
    );
  }
  return mailer;
}
