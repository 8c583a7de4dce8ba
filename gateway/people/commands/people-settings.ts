import { isStrict } from '../../commands/settings.ts';
import type { Log } from '../../http/log.ts';
import { countMails, type MailCounts } from '../mail/count-mails.ts';
import { openMailer } from '../mail/open-mailer.ts';
import type { PeopleOptions } from '../people.ts';
import { readAccountPageSettings } from './account-page-settings.ts';
import { readMembershipSettings } from './membership-settings.ts';
import { readSignupSettings, type SignupChoice } from './signup-settings.ts';

/** The settings of everything about people, from the command line and the environment. */
export type PeopleSettings = Pick<
  PeopleOptions,
  'mailer' | 'signupMailer' | 'accountMailer' | 'platforms' | 'policy'
> & {
  /** Mails since the start, by outcome; undefined without a mailer. */
  mails: Readonly<MailCounts> | undefined;
};

/**
 * Reads the settings of everything about people.
 *
 * @throws CommandError if a setting is missing for something that was turned on
 */
export async function readPeopleSettings(options: SignupChoice, log: Log): Promise<PeopleSettings> {
  const { env } = process;
  const hasOutbox = !isStrict(options);
  const opened = await openMailer(env, { hasOutbox, now: Date.now, log });
  const mailer = opened && countMails(opened);
  return {
    mailer,
    mails: mailer?.counts,
    signupMailer: readSignupSettings(options, mailer, log),
    accountMailer: readAccountPageSettings(mailer, options, log),
    platforms: readMembershipSettings(env),
    policy: { isStrict: isStrict(options) },
  };
}
