import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { INDEX_FILE } from '../format/dist-format.ts';
import { CommandError } from '../lib/command-error.ts';
import { describeStoreError, type ObjectStore } from './object-store.ts';
import type { PresentFile } from './publication.ts';
import { PUBLISHED, type Target } from './target.ts';

/** For ever: a file's name carries the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A place in a bucket. The store takes a file only when its bytes have the SHA-256 that is sent with them. */
export function s3Target({ name, client, bucket, keyOf }: ObjectStore): Target {
  const orFail = async <T>(work: Promise<T>): Promise<T> =>
    await work.catch((error: unknown) => {
      throw new CommandError(`${name} cannot be published to: ${describeStoreError(error)}`);
    });
  const prefix = keyOf('');
  const list = async () => {
    const files = new Map<string, PresentFile>();
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client },
      { Bucket: bucket, Prefix: prefix },
    ))
      for (const { Key = '', Size = 0, LastModified } of Contents) {
        const file = Key.slice(prefix.length);
        if (PUBLISHED.test(file)) files.set(file, { bytes: Size, at: LastModified?.getTime() ?? Date.now() });
      }
    return files;
  };
  const read = async (file: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(file) }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };
  return {
    name,
    list: () => orFail(list()),
    read: (file) =>
      orFail(
        read(file).catch((error: unknown) => {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }),
      ),
    async write(file, content) {
      const put = new PutObjectCommand({
        Bucket: bucket,
        Key: keyOf(file),
        Body: content,
        ChecksumSHA256: createHash('sha256').update(content).digest('base64'),
        ContentType: 'application/json',
        ContentEncoding: codingOf(file),
        CacheControl: file === INDEX_FILE ? 'no-cache' : IMMUTABLE,
      });
      await orFail(client.send(put));
    },
    async remove(file) {
      await orFail(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: keyOf(file) })));
    },
  };
}

function codingOf(file: string): 'gzip' | 'br' | undefined {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.br') ? 'br' : undefined;
}
