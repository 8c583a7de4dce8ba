import { createTransport } from 'nodemailer';
import { composeMail } from './compose.ts';
import { MailError, type Mailer } from './mailer.ts';

/** How long each step of a conversation may take, and all of them together. */
const STEP_MS = 10_000;
const LONGEST_MS = 25_000;
/** How many mails are under way at most, each with its connection; a server that is slow does not gather more. */
const MOST_AT_ONCE = 50;

/** What a server may say again of a mail: an address, however it writes it, and the link, which is as good as a key. */
const PRIVATE = /[^\s<>]*(?:@|:\/\/)[^\s<>]*/g;

/** What nodemailer tells of a failure. */
interface SmtpError extends Error {
  code?: string;
  /** The command that failed, and what the server answered to it. */
  command?: string;
  responseCode?: number;
}

/**
 * Makes a mailer that hands mails to an SMTP server, each over a connection of its own.
 *
 * @param url `smtps://user:password@host:465`, or `smtp://` for STARTTLS where the server offers it
 * @param from the sender, with or without a name
 * @param longest how long a mail may take, in ms
 * @throws TypeError where the URL is none
 */
export function createSmtpMailer(url: string, from: string, longest = LONGEST_MS): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
  });
  let underWay = 0;
  return {
    async send(mail) {
      if (underWay >= MOST_AT_ONCE) throw new MailError('unavailable', 'too many mails are under way');
      underWay += 1;
      try {
        await transport.sendMail({ ...composeMail(mail, from), signal: AbortSignal.timeout(longest) });
      } catch (error) {
        throw toMailError(error as SmtpError);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Only what the server says of the recipient, and for good (RFC 5321, 4.2.1), is about the address. */
function toMailError({ code, command, responseCode = 0, message }: SmtpError): MailError {
  const isRefused = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500;
  const reason = message.replace(PRIVATE, '…').replace(/\s+/g, ' ');
  return new MailError(isRefused ? 'refused' : 'unavailable', reason);
}
