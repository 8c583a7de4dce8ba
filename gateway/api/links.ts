import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServeSettings } from '../commands/settings.ts';
import { keyedName } from '../store/secrets.ts';
import type { Store } from '../store/sql.ts';

/** Makes and checks signed links. */
export interface Links {
  /** @param file its path in dist/ @returns an address that needs no key, and expires at `expires_at` (ISO 8601) */
  issue(file: string): Promise<{ url: string; expires_at: string }>;
  check(file: string, expires: string, signature: string): 'good' | 'expired' | 'wrong';
}

interface LinkOptions {
  /** The secret of all gateways behind one address; by default one that only this gateway knows. */
  secret?: string;
  /** The public address of the gateway; by default addresses are relative to the address of the request. */
  publicUrl?: string | undefined;
  /** Signs the address of a file in a bucket, for a time in ms; without it, the gateway signs its own addresses. */
  presign?: ((file: string, now: number, seconds: number) => Promise<string>) | undefined;
}

/** The path below which the gateway serves signed links. */
export const FILES = '/files';
/** How long an address is valid. */
const LIFETIME_S = 600;

/** @param now ms since 1970 */
export function createLinks(
  now: () => number,
  { secret = randomBytes(32).toString('hex'), publicUrl = '', presign }: LinkOptions = {},
): Links {
  const hash = (file: string, expires: string) =>
    createHmac('sha256', secret).update(`${expires} ${file}`).digest();
  return {
    async issue(file) {
      const at = Math.floor(now() / 1000);
      const expires = String(at + LIFETIME_S);
      const signed = `expires=${expires}&signature=${hash(file, expires).toString('base64url')}`;
      return {
        url: (await presign?.(file, at * 1000, LIFETIME_S)) ?? `${publicUrl}${FILES}/${file}?${signed}`,
        expires_at: new Date(Number(expires) * 1000).toISOString(),
      };
    },
    check(file, expires, signature) {
      const expected = hash(file, expires);
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'wrong';
      return now() < Number(expires) * 1000 ? 'good' : 'expired';
    },
  };
}

/** Makes the links that the settings choose: signed by the gateway, or by the bucket at `cdnUrl`. @throws CommandError if that is not a bucket */
export async function openLinks(
  { cdnUrl, publicUrl }: Pick<ServeSettings, 'cdnUrl' | 'publicUrl'>,
  store: Store,
  now: () => number,
): Promise<Links> {
  const presign = cdnUrl === undefined ? undefined : await openBucket(cdnUrl);
  return createLinks(now, { secret: keyedName(store, 'links'), publicUrl, presign });
}

/** The module of buckets is loaded only if one is chosen. */
async function openBucket(address: string): Promise<LinkOptions['presign']> {
  const { ObjectStore } = await import('../../scripts/publish/object-store.ts');
  const bucket = new ObjectStore(address, process.env.AWS_ENDPOINT_URL_S3);
  return (...signed) => bucket.presign(...signed);
}
