import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const SECRET_MARK = 'whsec_';

/** Makes a secret for signing posts, in the form of Standard Webhooks. */
export function createWebhookSecret(): string {
  return SECRET_MARK + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Makes the header fields of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 of id, time and body, once per secret.
 *
 * @param id the same for each attempt
 * @param now ms since 1970
 */
export function signWebhook(
  secrets: readonly string[],
  id: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_MARK.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

export function isWebhookSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/.test(text);
}
