import path from 'node:path';
import { INDEX_FILE } from '../../scripts/format/dist-format.ts';
import {
  findSerialFault,
  MAX_SERIAL_STEP,
  PUBLISHED_FILE,
  type Published,
  parsePublished,
  signedText,
} from '../../scripts/publication/published.ts';
import { makePrivateFolder, readRegularFile, replacePrivateFile } from '../../scripts/system.ts';
import { isSignedBy } from '../../scripts/publication/signature.ts';
import { type BoundedSource, PATIENCE_MS, readIfThere } from './bounded-source.ts';
import { DistError } from '../data/dist-folder.ts';
import type { Trust } from './dist-mirror.ts';

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

/** What was last read. */
interface Read {
  bytes: Buffer;
  index: Buffer;
  serial: number;
  supersedes: number | undefined;
}

/**
 * Reads the index that a source publishes: from published.json, if its signature and serial are right; from a source that never had one,
 * from index.json.
 */
export class PublishedReader {
  readonly #options: Required<PublishedReaderOptions>;
  readonly #name: string;
  #read: Read | undefined;

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
    const lastSerial = await this.#readKnownSerial();
    const { serial, supersedes = Number.POSITIVE_INFINITY } = this.#read;
    // Gateways that share the folder may have followed a later one meanwhile.
    if (lastSerial !== undefined && lastSerial >= serial && lastSerial < supersedes && !trust.allowOlder)
      return;
    await makePrivateFolder(folder);
    await replacePrivateFile(path.join(folder, PUBLISHED_FILE), this.#read.bytes);
  }

  async #open(bytes: Buffer): Promise<Read> {
    const { keys, allowOlder } = this.#options.trust;
    const published = parsePublished(bytes);
    if (published === undefined)
      throw new DistError(`${this.#name} is not what gamedata publish writes: publish again`);
    const { serial, supersedes, signature = '', index } = published;
    if (keys.length > 0 && !keys.some((key) => isSignedBy(signedText(published), signature, key))) {
      throw new UntrustedError(
        `${this.#name} is not signed with a key of --dist-key: publish with the right --signing-key, and find out who wrote it`,
      );
    }
    const lastSerial = await this.#readKnownSerial();
    if (lastSerial !== undefined && !allowOlder) this.#checkSerial(published, lastSerial);
    return { bytes, index: Buffer.from(index), serial, supersedes };
  }

  /** @throws UntrustedError when the serial is not one that follows the known one */
  #checkSerial(published: Published, lastSerial: number): void {
    const { serial } = published;
    const fault = findSerialFault(published, lastSerial);
    if (fault === undefined) return;
    const found = `${this.#name} has serial ${serial}, and ${lastSerial} was followed before`;
    if (fault === 'jump') {
      throw new UntrustedError(
        `${found}: it grew by more than ${MAX_SERIAL_STEP}; find out who wrote it, then publish with --supersede ${lastSerial + MAX_SERIAL_STEP + 1} --serial ${lastSerial + 1}`,
      );
    }
    const hasRoom = Number.isSafeInteger(lastSerial + MAX_SERIAL_STEP);
    const next = hasRoom ? `--serial ${lastSerial + 1}` : `--supersede ${lastSerial}`;
    throw new UntrustedError(
      `${found}: it is an old copy, or was restored from one; publish with ${next}, or start with --dist-allow-older`,
    );
  }

  /** Reads a dist/ that was published by a version that does not write published.json. */
  async #readIndexAlone(): Promise<Buffer> {
    const { source, trust, patience } = this.#options;
    if (trust.keys.length > 0)
      throw new UntrustedError(`no ${this.#name}, which --dist-key requires: publish with --signing-key`);
    const lastSerial = await this.#readKnownSerial();
    if (lastSerial !== undefined && !trust.allowOlder) {
      throw new UntrustedError(
        `no ${this.#name}, and its serial ${lastSerial} was followed before: publish again, or start with --dist-allow-older`,
      );
    }
    this.#read = undefined;
    return await source.read(INDEX_FILE, MAX_INDEX_BYTES, patience);
  }

  async #readKnownSerial(): Promise<number | undefined> {
    const bytes = await readRegularFile(path.join(this.#options.folder, PUBLISHED_FILE)).catch(
      () => undefined,
    );
    return bytes && parsePublished(bytes)?.serial;
  }
}
