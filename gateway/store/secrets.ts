import * as crypto from 'node:crypto';
import type { Sql } from './sql.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type KeyOf = Pick<Sql, 'secretKey'>;

/** Encrypts a secret that must be readable again, for a column `sealed_…`. @param owner of the secret, such as the id of an account */
export function seal(sql: KeyOf, secret: string, owner: string): string {
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const cipher = crypto.createCipheriv(CIPHER, sql.secretKey, nonce).setAAD(Buffer.from(owner));
  const parts = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

/** @returns undefined if it was sealed with another key or for another owner, or is damaged */
export function unseal(sql: KeyOf, sealed: string, owner: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const end = bytes.length - TAG_BYTES;
  if (end < NONCE_BYTES) return undefined;
  const decipher = crypto.createDecipheriv(CIPHER, sql.secretKey, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(end));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Returns a keyed hash, 64 hexadecimal digits, to name something that is counted, such as the mails to an address. It does not reveal the text, and
 * only the gateways of this store can compute it. Also derives keys from the secret key, by purpose.
 */
export function keyedName(sql: KeyOf, text: string): string {
  return crypto.createHmac('sha256', sql.secretKey).update(text).digest('hex');
}

/** Compares secrets in constant time. */
export function isSameSecret(secret: string, expected: string): boolean {
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  return crypto.timingSafeEqual(digest(secret), digest(expected));
}
