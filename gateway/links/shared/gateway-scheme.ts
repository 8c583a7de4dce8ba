import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LinkScheme } from './link-scheme.ts';

/** The path below which the gateway serves signed addresses. */
export const FILES = '/files';

/**
 * Signs addresses of the gateway itself.
 *
 * @param secret the secret of all gateways behind one address; by default one that only this gateway knows
 * @param base the public address of the gateway; by default addresses are relative to the address of the request
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
      const signatureBytes = Buffer.from(signature, 'base64url');
      return signatureBytes.length === expected.length && timingSafeEqual(signatureBytes, expected);
    },
  };
}
