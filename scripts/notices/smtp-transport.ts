import { createTransport } from 'nodemailer';

/** How long a connection of a pool waits for the next mail. */
const MAX_IDLE_MS = 500;

/**
 * Makes a transport that sends several mails over each of a few SMTP connections. One that has nothing to send is closed soon, so that it
 * does not keep the process from ending.
 *
 * @param url, stepMs as for `createSmtpTransport`
 * @param maxConnections how many there are at once
 * @throws TypeError when the URL is not valid
 */
export function createSmtpPool(url: string, stepMs: number, maxConnections: number) {
  return createTransport({
    ...{ url, pool: true, maxConnections, idleTimeout: MAX_IDLE_MS },
    ...timeoutsOf(stepMs),
  });
}

function timeoutsOf(stepMs: number) {
  return {
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
  };
}
