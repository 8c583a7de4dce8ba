// Sends mails over SMTP; in development, writes them to files.
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import addressParser from 'nodemailer/lib/addressparser';
import { hidePrivate } from '../../scripts/notices/hide-private.ts';
import { CommandError, errorOf, makeFolder, once } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';
import { readEmail } from '../store/email.ts';

/** A mail to one person, in plain text. */
export interface Mail {
  /** An email address without a name. */
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Sends a mail to an address as returned by `readEmail`, within half a minute. @returns why it was not sent */
  send(mail: Mail): Promise<MailFailure | undefined>;
}

/** Why a mail was not sent, as fields of the log: `error` is one line, without the email address. */
export interface MailFailure {
  /** `refused`: the address is refused permanently; `unreached`: no server took mails; `unavailable`: any other reason, and it may still arrive. */
  failure: 'refused' | 'unreached' | 'unavailable';
  error: string;
}

/** Where mails are written without SMTP_URL. */
export const OUTBOX = 'var/outbox';

/**
 * Makes the mailer that the environment selects. With SMTP_URL, mails are sent over SMTP with MAIL_FROM as the sender; without it, they are
 * written to files if `hasOutbox` is true.
 *
 * @returns undefined without SMTP_URL and an outbox
 * @throws CommandError when a variable is not valid
 */
export function openMailer(
  { SMTP_URL, MAIL_FROM }: NodeJS.ProcessEnv,
  { hasOutbox, now, log }: { hasOutbox: boolean; now: () => number; log: Log },
): Mailer | undefined {
  if (SMTP_URL) return createSmtpMailer(readUrl(SMTP_URL), readSender(MAIL_FROM));
  return hasOutbox ? createOutbox(OUTBOX, { now, log }) : undefined;
}

/** The error must not quote the URL, which may contain a password. */
function readUrl(text: string): string {
  if (/^smtps?:\/\/./.test(text) && URL.canParse(text) && new URL(text).hostname !== '') return text;
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

/** Converts a mail to nodemailer's options. Its headers ask receivers not to reply automatically (RFC 3834). */
function composeMail({ to, ...content }: Mail, from: string): SendMailOptions {
  return {
    // nodemailer splits a string into several addresses, but not an object.
    from,
    to: { name: '', address: to },
    ...content,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Makes a mailer for development: it writes each mail to a file and logs the file's name. The mails contain secret links, so only the user who runs
 * the gateway may read the files.
 */
export function createOutbox(folder: string, { now, log }: { now: () => number; log: Log }): Mailer {
  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer');
      const composed = composeMail(mail, 'Game Data Read API <no-reply@localhost>');
      const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail(composed);
      const time = new Date(now()).toISOString().replaceAll(':', '-');
      const file = path.join(folder, `${time}-${randomUUID().slice(0, 8)}.eml`);
      try {
        await makeFolder(folder, 0o700);
        await writeFile(`${file}.part`, message, { mode: 0o600 });
        await rename(`${file}.part`, file);
      } catch (error) {
        return { failure: 'unreached', error: `cannot write ${file}: ${errorOf(error).message}` };
      }
      log.info('a mail was written to a file, because SMTP_URL is not set', { file });
      return undefined;
    },
  };
}

/** How long each step of an SMTP session may take, and a mail in total. */
const STEP_MS = 10_000;
const MAX_SEND_MS = 25_000;
/** How many connections there may be, each for several mails, and how long one stays open without a mail: it keeps the process alive. */
const CONNECTIONS = { pool: true, maxConnections: 16, idleTimeout: 500 } as const;
const TIMEOUTS = {
  connectionTimeout: STEP_MS,
  greetingTimeout: STEP_MS,
  socketTimeout: STEP_MS,
  dnsTimeout: STEP_MS,
};

/** An error of nodemailer: the SMTP command or the system call that failed, the server's reply code to it, or which timeout it was. */
type SmtpError = Error &
  Partial<Record<'code' | 'command' | 'syscall' | 'timeoutType', string>> & { responseCode?: number };

/**
 * Makes a mailer that sends mails to an SMTP server. Mails that follow each other share connections.
 *
 * @param url `smtps://user:password@host:465`, or `smtp://` for STARTTLS when the server offers it
 * @param from the sender, with or without a name
 * @param timeoutMs how long sending a mail may take
 */
export function createSmtpMailer(url: string, from: string, timeoutMs = MAX_SEND_MS): Mailer {
  const openTransport = once(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ url, ...CONNECTIONS, ...TIMEOUTS });
  });
  return {
    async send(mail) {
      try {
        const transport = await openTransport();
        await transport.sendMail({ ...composeMail(mail, from), signal: AbortSignal.timeout(timeoutMs) });
        return undefined;
      } catch (error) {
        return failureOf(error as SmtpError);
      }
    },
  };
}

/**
 * A mail is `refused` only when the server rejects its recipient with a permanent error (RFC 5321, 4.2.1), and `unreached` if it failed before the
 * session began.
 */
function failureOf(error: SmtpError): MailFailure {
  const { code, command, syscall, timeoutType, responseCode = 0 } = error;
  const isRefused = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500;
  const isUnreached = /DNS|TLS|AUTH|connect|CONNECT|GREETING/.test(`${code} ${syscall} ${timeoutType}`);
  const failure = isRefused ? 'refused' : isUnreached ? 'unreached' : 'unavailable';
  return { failure, error: hidePrivate(error.message) };
}
