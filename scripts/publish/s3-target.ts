import { hash } from 'node:crypto';
import { INDEX_FILE } from '../format/dist-format.ts';
import { mediaTypeOf } from '../publication/media-type.ts';
import { PUBLISHED_FILE } from '../publication/published.ts';
import { CommandError } from '../lib/command-error.ts';
import type { ObjectStore } from '../publication/object-store.ts';
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
    return this.#orFail(this.#store.read(file), 'read');
  }

  async write(file: string, content: Buffer): Promise<void> {
    const coding = codingOf(file);
    const headers = {
      'content-type': mediaTypeOf(file),
      ...(coding !== undefined && { 'content-encoding': coding }),
      'cache-control': file === INDEX_FILE || file === PUBLISHED_FILE ? 'no-cache' : IMMUTABLE,
      'x-amz-checksum-sha256': hash('sha256', content, 'base64'),
      'x-amz-content-sha256': hash('sha256', content),
    };
    await this.#orFail(this.#store.write(file, content, headers));
  }

  async remove(file: string): Promise<void> {
    await this.#orFail(this.#store.remove(file));
  }

  async #listPublished(): Promise<Map<string, PresentFile>> {
    const files = new Map<string, PresentFile>();
    for await (const { file, bytes, at } of this.#store.list())
      if (PUBLISHED.test(file)) files.set(file, { bytes, at });
    return files;
  }

  async #orFail<T>(work: Promise<T>, doing = 'publish to'): Promise<T> {
    return await work.catch((error: Error) => {
      throw new CommandError(`cannot ${doing} ${this.name}: ${error.message}`);
    });
  }
}

function codingOf(file: string): 'gzip' | 'br' | undefined {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.br') ? 'br' : undefined;
}
