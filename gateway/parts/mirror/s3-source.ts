import { GetObjectCommand } from '@aws-sdk/client-s3';
import { describeStoreError, type ObjectStore } from '../../../scripts/shared/publication/object-store.ts';
import { DistError } from '../../core/catalog/dist-folder.ts';
import { type DistSource, SourceFileError } from './dist-source.ts';

/** The errors for a file that does not exist. S3 returns the second one to a reader without permission to list the bucket. */
const HIDDEN = new Set(['NoSuchKey', 'AccessDenied']);

/** A dist/ in a bucket. */
export function s3Source({ name, client, bucket, keyOf }: ObjectStore): DistSource {
  const read: DistSource['read'] = async (file, limit, signal) => {
    const { Body, ContentLength = 0 } = await client.send(
      new GetObjectCommand({ Bucket: bucket, Key: keyOf(file), Range: `bytes=0-${limit}` }),
      { abortSignal: signal },
    );
    if (ContentLength > limit)
      throw new SourceFileError(`${name}/${file} cannot be fetched: it has more than ${limit} bytes`);
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };
  return {
    name,
    read: (file, limit, signal) =>
      read(file, limit, signal).catch((error: unknown) => {
        if (error instanceof SourceFileError) throw error;
        const message = `${name}/${file} cannot be fetched: ${describeStoreError(error)}`;
        throw HIDDEN.has((error as Error).name) ? new SourceFileError(message, true) : new DistError(message);
      }),
  };
}
