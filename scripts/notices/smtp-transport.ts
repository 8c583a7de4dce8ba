import { createTransport } from 'nodemailer';

/** How long a pooled connection waits for the next mail. */
const MAX_IDLE_MS = 500;

/**
 * Makes a transport with a few SMTP connections, each for several mails. An idle connection is closed soon, so that it does not keep the process
 * alive.
 *
 * @param url, stepMs as for `createSmtpTransport`
 * @param maxConnections how many at once
 * @throws TypeError if the URL is not valid
 */
export function createSmtpPool(url: string, stepMs: number, maxConnections: number) {
  return createTransport({
    ...{ url, pool: true, maxConnections, idleTimeout: MAX_IDLE_MS },
    ...timeoutsOf(stepMs),
  });
}

function timeoutsOf(stepMs: number) {
  return { connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs };
}
