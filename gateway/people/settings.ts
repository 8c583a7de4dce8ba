// The settings for people, from the command line and the environment.
import { CommandError } from '../../scripts/system.ts';
import { isStrict, type ReachOptions, type ServeSettings } from '../commands/settings.ts';
import type { Log } from '../http/log.ts';
import { countMails, type MailCounts, type Mailer, openMailer } from './mailer.ts';
import { readPlatforms } from './membership/webhooks.ts';
import type { PeopleOptions } from './people.ts';

type SignupChoice = ReachOptions & Partial<Pick<ServeSettings, 'signup'>>;
type Chosen = 'mailer' | 'signupMailer' | 'accountMailer' | 'platforms' | 'policy';

/** The settings, and the mails since the start by outcome; undefined without a mailer. */
export type PeopleSettings = Pick<PeopleOptions, Chosen> & { mails: Readonly<MailCounts> | undefined };

/** @throws CommandError if something is missing for a feature that was turned on */
export function readPeopleSettings(options: SignupChoice, log: Log): PeopleSettings {
  const { env } = process;
  const opened = openMailer(env, { hasOutbox: !isStrict(options), now: Date.now, log });
  const mailer = opened && countMails(opened);
  return {
    mailer,
    mails: mailer?.counts,
    signupMailer: chooseSignupMailer(options, mailer, log),
    accountMailer: chooseAccountMailer(options, mailer, log),
    platforms: readPlatforms(env),
    policy: { isStrict: isStrict(options) },
  };
}

/**
 * Decides whether people may sign up. A strict gateway needs a mail server, and a public URL for the links in mails: the host that a request names
 * can be forged.
 */
function chooseSignupMailer(options: SignupChoice, mailer: Mailer | undefined, log: Log) {
  const { signup, publicUrl } = options;
  if (signup === false) return undefined;
  if (!mailer) {
    if (signup) throw new CommandError('--signup on needs SMTP_URL where others can reach the gateway', 2);
    log.info('sign-up is off, because SMTP_URL is not set');
    return undefined;
  }
  if (!isStrict(options) || publicUrl !== undefined) return mailer;
  throw new CommandError(
    'sign-up needs --public-url for the links in mails; set it, or turn sign-up off with --signup off',
    2,
  );
}

/**
 * Decides whether there are account pages. A strict gateway needs a mail server for the sign-in links, and TLS, so that nobody on the network can
 * read a session.
 */
function chooseAccountMailer(options: ReachOptions, mailer: Mailer | undefined, log: Log) {
  if (mailer && (!isStrict(options) || options.publicUrl?.startsWith('https:'))) return mailer;
  const reason = mailer ? '--public-url is not an address that begins with https://' : 'SMTP_URL is not set';
  log.info(`the account page is off, because ${reason}`);
  return undefined;
}
