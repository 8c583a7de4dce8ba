import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { INDEX_FILE } from '../../scripts/format/dist-format.ts';
import { PUBLISHED_FILE, parsePublished, signedText } from '../../scripts/format/published.ts';
import { makePrivateFolder, replacePrivateFile } from '../../scripts/lib/private-files.ts';
import { isSignedBy } from '../../scripts/lib/signature.ts';
import { type BoundedSource, PATIENCE_MS, readIfThere } from './bounded-source.ts';
import { DistError } from './dist-folder.ts';

/** Which published states a gateway follows. */
export interface Trust {
  /** Public keys; if there are any, a state has to be signed by one. */
  keys: readonly KeyObject[];
  /** Whether to follow a state although a newer one was followed before. */
  allowOlder: boolean;
}

/** Follows every published state, signed or not, that is not older than the last one. */
export const TRUST_ALL: Trust = { keys: [], allowOlder: false };

/** What a source publishes is not followed, although it can be read. */
export class UntrustedError extends DistError {
  override name = 'UntrustedError';
}

/** Options of a `PublishedReader`. */
export interface PublishedReaderOptions {
  source: BoundedSource;
  /** The folder of the copy, which remembers the newest serial that was followed. */
  folder: string;
  trust: Trust;
  /** How long reading the index may take in all, in ms. */
  patience?: number;
}

/** Far larger than any index. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the index that a source publishes: from published.json, if its signature and serial are right; from a source that never had one,
 * from index.json.
 */
export class PublishedReader {
  readonly #options: Required<PublishedReaderOptions>;
  readonly #name: string;
  #read: { bytes: Buffer; index: Buffer; serial: number } | undefined;

  constructor({ patience = PATIENCE_MS, ...options }: PublishedReaderOptions) {
    this.#options = { ...options, patience };
    this.#name = `${options.source.name}/${PUBLISHED_FILE}`;
  }

  /** The serial of what was last read; undefined when the source has none. */
  get serial(): number | undefined {
    return this.#read?.serial;
  }

  /**
   * @returns the bytes of index.json
   * @throws DistError
   */
  async read(): Promise<Buffer> {
    const { source, patience } = this.#options;
    const bytes = await readIfThere(source, PUBLISHED_FILE, MAX_INDEX_BYTES, patience);
    if (bytes === undefined) return await this.#readIndexAlone();
    if (!this.#read?.bytes.equals(bytes)) this.#read = await this.#open(bytes);
    return this.#read.index;
  }

  /** Remembers that the state which was read last is followed. From now on older states are refused, also after a restart. */
  async keep(): Promise<void> {
    const { folder, trust } = this.#options;
    if (this.#read === undefined) return;
    const known = await this.#readKnownSerial();
    if (known !== undefined && known >= this.#read.serial && !trust.allowOlder) return;
    await makePrivateFolder(folder);
    await replacePrivateFile(path.join(folder, PUBLISHED_FILE), this.#read.bytes);
  }

  async #open(bytes: Buffer): Promise<{ bytes: Buffer; index: Buffer; serial: number }> {
    const { keys, allowOlder } = this.#options.trust;
    const published = parsePublished(bytes);
    if (published === undefined)
      throw new DistError(`${this.#name} is not what gamedata publish writes: publish again`);
    const { serial, signature = '', index } = published;
    if (keys.length > 0 && !keys.some((key) => isSignedBy(signedText(published), signature, key))) {
      throw new UntrustedError(
        `${this.#name} is not signed with a key of --dist-key: publish with the right --signing-key, and find out who wrote it`,
      );
    }
    const known = await this.#readKnownSerial();
    if (known !== undefined && serial < known && !allowOlder) {
      throw new UntrustedError(
        `${this.#name} has serial ${serial}, and ${known} was followed before: it is an old copy, or was restored from one; publish with --serial ${known + 1}, or start with --dist-allow-older`,
      );
    }
    return { bytes, index: Buffer.from(index), serial };
  }

  /** Reads a dist/ that was published by a version that does not write published.json. */
  async #readIndexAlone(): Promise<Buffer> {
    const { source, trust, patience } = this.#options;
    if (trust.keys.length > 0)
      throw new UntrustedError(`no ${this.#name}, which --dist-key requires: publish with --signing-key`);
    const known = await this.#readKnownSerial();
    if (known !== undefined && !trust.allowOlder) {
      throw new UntrustedError(
        `no ${this.#name}, and its serial ${known} was followed before: publish again, or start with --dist-allow-older`,
      );
    }
    this.#read = undefined;
    return await source.read(INDEX_FILE, MAX_INDEX_BYTES, patience);
  }

  async #readKnownSerial(): Promise<number | undefined> {
    const bytes = await readFile(path.join(this.#options.folder, PUBLISHED_FILE)).catch(() => undefined);
    return bytes && parsePublished(bytes)?.serial;
  }
}
