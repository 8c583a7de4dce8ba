import { composeMail } from '../../../scripts/notices/compose-mail.ts';
import { hidePrivate } from '../../../scripts/notices/hide-private.ts';
import { createSmtpPool } from '../../../scripts/notices/smtp-transport.ts';
import { MailError, type Mailer } from './mailer.ts';

/** How long each step of an SMTP session may take. */
const STEP_MS = 10_000;
/** How long sending a mail may take in total. */
const MAX_SEND_MS = 25_000;
/** How many mails may be under way at once, as a slow server must not accumulate them, and over how many connections. */
const MAX_CONCURRENT_MAILS = 50;
const MAX_CONNECTIONS = 16;

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string;
  /** The SMTP command that failed. */
  command?: string;
  /** The server's reply code to it. */
  responseCode?: number;
}

/**
 * Makes a mailer that sends mails to an SMTP server. Mails that follow each other share connections.
 *
 * @param url `smtps://user:password@host:465`, or `smtp://` for STARTTLS when the server offers it
 * @param from the sender, with or without a name
 * @param timeoutMs how long sending a mail may take
 * @throws TypeError when the URL is not valid
 */
export function createSmtpMailer(url: string, from: string, timeoutMs = MAX_SEND_MS): Mailer {
  const transport = createSmtpPool(url, STEP_MS, MAX_CONNECTIONS);
  let underWay = 0;
  return {
    async send(mail) {
      if (underWay >= MAX_CONCURRENT_MAILS)
        throw new MailError('unavailable', 'too many mails are under way');
      underWay += 1;
      try {
        await transport.sendMail({ ...composeMail(mail, from), signal: AbortSignal.timeout(timeoutMs) });
      } catch (error) {
        throw toMailError(error as SmtpError);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** A mail is `refused` only when the server rejects its recipient with a permanent error (RFC 5321, 4.2.1). */
function toMailError({ code, command, responseCode = 0, message }: SmtpError): MailError {
  const isRefused = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500;
  return new MailError(isRefused ? 'refused' : 'unavailable', hidePrivate(message));
}
