import { createTransport } from 'nodemailer';

/**
 * Makes a transport that sends each mail over a new SMTP connection.
 *
 * @param url `smtps://user:password@host:465`, or `smtp://` for STARTTLS when the server offers it
 * @param stepMs how long each step of a session may take
 * @throws TypeError when the URL is not valid
 */
export function createSmtpTransport(url: string, stepMs: number) {
  return createTransport({
    url,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
  });
}
