import addressParser from 'nodemailer/lib/addressparser';
import { CommandError } from '../../../scripts/system.ts';
import type { Log } from '../../http/log.ts';
import { readEmail } from '../../store/email.ts';
import type { Mailer } from './mailer.ts';
import { createOutbox } from './outbox.ts';

/** The folder that mails are written to without SMTP_URL. */
const OUTBOX = 'var/outbox';
const SCHEMES = ['smtp:', 'smtps:'];

/**
 * Makes the mailer that the environment selects. With SMTP_URL, mails are sent over SMTP with MAIL_FROM as the sender; without it, they are
 * written to files if `hasOutbox` is true. Loads only the modules that are needed.
 *
 * @returns undefined without SMTP_URL and an outbox
 * @throws CommandError when a variable is not valid
 */
export async function openMailer(
  { SMTP_URL, MAIL_FROM }: NodeJS.ProcessEnv,
  { hasOutbox, now, log }: { hasOutbox: boolean; now: () => number; log: Log },
): Promise<Mailer | undefined> {
  if (SMTP_URL) {
    const { createSmtpMailer } = await import('./smtp-mailer.ts');
    return createSmtpMailer(readUrl(SMTP_URL), readSender(MAIL_FROM));
  }
  return hasOutbox ? createOutbox(OUTBOX, { now, log }) : undefined;
}

/** The error must not quote the URL, which may contain a password. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && SCHEMES.includes(url.protocol) && url.hostname !== '') return text;
  throw new CommandError(
    'SMTP_URL is not the address of a mail server; expected smtps://user:password@host:465 or smtp://host:587',
    2,
  );
}

function readSender(text = ''): string {
  const [sender, ...others] = addressParser(text, { flatten: true });
  if (sender && others.length === 0 && readEmail(sender.address) !== undefined) return text;
  throw new CommandError(
    `MAIL_FROM ${JSON.stringify(text)} is not a sender; with SMTP_URL, one such as "Game Data <keys@example.org>" is expected`,
    2,
  );
}
