import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LinkScheme } from './link-scheme.ts';

/** Below which address the gateway serves what is signed. */
export const FILES = '/files';

/**
 * Addresses of the gateway itself.
 *
 * @param secret what all gateways behind one address sign with; without it a secret that only this one knows
 * @param base how people reach the gateway; without it addresses are relative to that of the request
 */
export function gatewayScheme(secret: string | Buffer = randomBytes(32), base = ''): LinkScheme {
  const hash = (file: string, expires: string) =>
    createHmac('sha256', secret).update(`${expires} ${file}`).digest();
  return {
    sign(file, expires) {
      const signature = hash(file, String(expires)).toString('base64url');
      return `${base}${FILES}/${file}?expires=${expires}&signature=${signature}`;
    },
    isSigned(file, expires, signature) {
      const expected = hash(file, expires);
      const given = Buffer.from(signature, 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
