import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ObjectStore } from '../../../scripts/core/lib/object-store.ts';
import type { LinkScheme } from '../../core/snapshot-links/link-scheme.ts';

/**
 * Presigns addresses of a bucket with what `gamedata publish --snapshots` sent (Signature Version 4, computed without a request to the
 * store).
 *
 * @param now ms since 1970
 */
export function s3Scheme({ client, bucket, keyOf }: ObjectStore, now: () => number): LinkScheme {
  return {
    async sign(file, expires) {
      const signingDate = new Date(Math.floor(now() / 1000) * 1000);
      const expiresIn = expires - signingDate.getTime() / 1000;
      const command = new GetObjectCommand({ Bucket: bucket, Key: keyOf(file) });
      return await getSignedUrl(client, command, { signingDate, expiresIn });
    },
  };
}
