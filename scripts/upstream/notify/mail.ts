import { createSmtpTransport } from '../../notices/smtp-transport.ts';
import { composeMail, type Mail } from '../../notices/compose-mail.ts';

/** How long each step of an SMTP session may take. */
const STEP_MS = 10_000;

/** Sends a mail over SMTP. @throws Error if the server did not accept it */
export async function sendMail({ url, from }: { url: string; from: string }, mail: Mail): Promise<void> {
  const transport = createSmtpTransport(url, STEP_MS);
  await transport.sendMail(composeMail(mail, from));
}
