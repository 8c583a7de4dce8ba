import { errorOf } from '../../../scripts/lib/system-error.ts';
import { hidePrivate } from '../../../scripts/notices/hide-private.ts';
import { createSmtpTransport } from '../../../scripts/notices/smtp-transport.ts';

/** How long each step may take. */
const STEP_MS = 5000;

/**
 * Connects to a mail server and signs in, without sending a mail.
 *
 * @param url as in SMTP_URL
 * @throws Error with a message without addresses
 */
export async function verifySmtp(url: string): Promise<void> {
  const transport = createSmtpTransport(url, STEP_MS);
  try {
    await transport.verify();
  } catch (error) {
    throw new Error(hidePrivate(errorOf(error).message));
  } finally {
    transport.close();
  }
}
