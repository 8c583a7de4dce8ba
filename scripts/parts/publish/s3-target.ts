import { createHash } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { INDEX_FILE } from '../../core/format/dist-format.ts';
import { mediaTypeOf } from '../../shared/publication/media-type.ts';
import { PUBLISHED_FILE } from '../../shared/publication/published.ts';
import { CommandError } from '../../core/lib/command-error.ts';
import { describeStoreError, type ObjectStore, readObject } from '../../shared/publication/object-store.ts';
import type { PresentFile } from './publication.ts';
import { PUBLISHED, type Target } from './target.ts';

/** Clients may keep a file for ever: its name carries the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A place in a bucket. The store accepts a file only if its bytes have the SHA-256 that is sent with them. */
export class S3Target implements Target {
  readonly name: string;
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.name = store.name;
    this.#store = store;
  }

  list(): Promise<Map<string, PresentFile>> {
    return this.#orFail(this.#listPublished());
  }

  read(file: string): Promise<Buffer | undefined> {
    return this.#orFail(readObject(this.#store, file), 'read');
  }

  async write(file: string, content: Buffer): Promise<void> {
    const put = new PutObjectCommand({
      ...this.#placeOf(file),
      Body: content,
      ChecksumSHA256: createHash('sha256').update(content).digest('base64'),
      ContentType: mediaTypeOf(file),
      ContentEncoding: codingOf(file),
      CacheControl: file === INDEX_FILE || file === PUBLISHED_FILE ? 'no-cache' : IMMUTABLE,
    });
    await this.#orFail(this.#store.client.send(put));
  }

  async remove(file: string): Promise<void> {
    await this.#orFail(this.#store.client.send(new DeleteObjectCommand(this.#placeOf(file))));
  }

  async #listPublished(): Promise<Map<string, PresentFile>> {
    const { client, bucket, keyOf } = this.#store;
    const prefix = keyOf('');
    const files = new Map<string, PresentFile>();
    const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix });
    for await (const { Contents = [] } of pages)
      for (const { Key = '', Size = 0, LastModified } of Contents) {
        const file = Key.slice(prefix.length);
        if (PUBLISHED.test(file)) files.set(file, { bytes: Size, at: LastModified?.getTime() ?? Date.now() });
      }
    return files;
  }

  #placeOf(file: string): { Bucket: string; Key: string } {
    return { Bucket: this.#store.bucket, Key: this.#store.keyOf(file) };
  }

  async #orFail<T>(work: Promise<T>, doing = 'publish to'): Promise<T> {
    return await work.catch((error: unknown) => {
      throw new CommandError(`cannot ${doing} ${this.name}: ${describeStoreError(error)}`);
    });
  }
}

function codingOf(file: string): 'gzip' | 'br' | undefined {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.br') ? 'br' : undefined;
}
