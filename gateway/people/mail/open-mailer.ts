import addressParser from 'nodemailer/lib/addressparser';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import type { Log } from '../../log/log.ts';
import { readEmail } from '../accounts/email.ts';
import type { Mailer } from './mailer.ts';
import { createOutbox } from './outbox.ts';

/** Where mails go without SMTP_URL. */
const OUTBOX = 'var/outbox';
const SCHEMES = ['smtp:', 'smtps:'];

/**
 * Makes the mailer that the environment asks for: SMTP_URL and MAIL_FROM name a server and a sender; without them, mails are files. Only
 * what that takes is loaded.
 *
 * @returns undefined in production without SMTP_URL, where a mail in a file would reach nobody
 * @throws CommandError where they are not what they have to be
 */
export async function openMailer(
  { SMTP_URL, MAIL_FROM, NODE_ENV }: NodeJS.ProcessEnv,
  { now, log }: { now: () => number; log: Log },
): Promise<Mailer | undefined> {
  if (SMTP_URL) {
    const { createSmtpMailer } = await import('./smtp-mailer.ts');
    return createSmtpMailer(readUrl(SMTP_URL), readSender(MAIL_FROM));
  }
  return NODE_ENV === 'production' ? undefined : createOutbox(OUTBOX, { now, log });
}

/** Never echoes it: it may hold a password. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && SCHEMES.includes(url.protocol) && url.hostname !== '') return text;
  throw new CommandError(
    'SMTP_URL is no address of a mail server; expected smtps://user:password@host:465 or smtp://host:587',
    2,
  );
}

function readSender(text = ''): string {
  const [sender, ...others] = addressParser(text, { flatten: true });
  if (sender && others.length === 0 && readEmail(sender.address) !== undefined) return text;
  throw new CommandError(
    `MAIL_FROM ${JSON.stringify(text)} is no sender; expected one such as "Game Data <keys@example.org>", beside SMTP_URL`,
    2,
  );
}
