import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 20;
const TOKEN_CHARS = 31;
const TOKEN_FORM = /^[0-9a-z]{31}$/;

/**
 * Makes a secret that lets its holder do one thing: 160 random bits as 31 digits and letters. Mail programs do not break it, and it needs
 * no escaping in addresses, cookies and forms. A store holds only the result of `hashToken`.
 */
export function createToken(): string {
  return BigInt(`0x${randomBytes(TOKEN_BYTES).toString('hex')}`)
    .toString(36)
    .padStart(TOKEN_CHARS, '0');
}

/** Returns whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return TOKEN_FORM.test(text);
}

/** SHA-256 of a token, 64 hexadecimal digits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares secrets in constant time. */
export function isSameSecret(secret: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(secret), digest(expected));
}
