import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServeSettings } from '../commands/settings.ts';
import { keyedName } from '../store/secrets.ts';
import type { Store } from '../store/sql.ts';

interface LinkOptions {
  /** The secret of all gateways behind one address. */
  secret: string;
  /** The public address of the gateway; by default addresses are relative to the address of the request. */
  publicUrl?: string | undefined;
  /** Signs the address of a file in a bucket, for a time in ms; without it, the gateway signs its own addresses. */
  presign?: ((file: string, now: number, seconds: number) => Promise<string>) | undefined;
}

/** The path below which the gateway serves signed links. */
export const FILES = '/files';
/** How long an address is valid. */
const LIFETIME_S = 600;

/** Makes and checks signed links. */
export class Links {
  readonly #now: () => number;
  readonly #options: LinkOptions;

  /** @param now ms since 1970 */
  constructor(now: () => number, options: LinkOptions) {
    this.#now = now;
    this.#options = options;
  }

  /** @param file its path in dist/ @returns an address that needs no key, and expires at `expires_at` (ISO 8601) */
  async issue(file: string): Promise<{ url: string; expires_at: string }> {
    const { presign, publicUrl = '' } = this.#options;
    const at = Math.floor(this.#now() / 1000);
    const expires = String(at + LIFETIME_S);
    const signed = `expires=${expires}&signature=${this.#hash(file, expires).toString('base64url')}`;
    return {
      url: (await presign?.(file, at * 1000, LIFETIME_S)) ?? `${publicUrl}${FILES}/${file}?${signed}`,
      expires_at: new Date(Number(expires) * 1000).toISOString(),
    };
  }

  check(file: string, expires: string, signature: string): 'good' | 'expired' | 'wrong' {
    const expected = this.#hash(file, expires);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'wrong';
    return this.#now() < Number(expires) * 1000 ? 'good' : 'expired';
  }

  #hash(file: string, expires: string): Buffer {
    return createHmac('sha256', this.#options.secret).update(`${expires} ${file}`).digest();
  }
}

/** Makes the links that the settings choose: signed by the gateway, or by the bucket at `cdnUrl`. */
export async function openLinks(
  { cdnUrl, publicUrl }: Pick<ServeSettings, 'cdnUrl' | 'publicUrl'>,
  store: Store,
  now: () => number,
): Promise<Links> {
  const secret = keyedName(store, 'links');
  if (cdnUrl === undefined) return new Links(now, { secret, publicUrl });
  // The module of buckets is loaded only if one is chosen.
  const { ObjectStore } = await import('../../scripts/publish/object-store.ts');
  const bucket = new ObjectStore(cdnUrl, process.env.AWS_ENDPOINT_URL_S3);
  return new Links(now, { secret, publicUrl, presign: (...signed) => bucket.presign(...signed) });
}
