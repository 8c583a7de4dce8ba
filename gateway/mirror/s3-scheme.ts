import { type ObjectStore, openObjectStore } from '../../scripts/publish/object-store.ts';
import type { LinkScheme } from '../api/links.ts';

/**
 * Presigns addresses of a bucket with what `gamedata publish --snapshots` sent (Signature Version 4, computed without a request to the
 * store).
 *
 * @param address `s3://bucket/prefix`
 * @param endpoint of an S3-compatible store other than AWS
 * @param now ms since 1970
 * @returns undefined if the address is not that of a bucket
 */
export async function open(
  address: string,
  endpoint: string | undefined,
  now: () => number,
): Promise<LinkScheme | undefined> {
  const store = openObjectStore(address, endpoint);
  return store && s3Scheme(store, now);
}

/** The same for a bucket that is open. */
function s3Scheme(store: ObjectStore, now: () => number): LinkScheme {
  return {
    async sign(file, expires) {
      const at = Math.floor(now() / 1000);
      return await store.presign(file, at * 1000, expires - at);
    },
  };
}
