import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';

/** A file's hash, and what the file system said of the file when it was taken. */
interface KnownHash {
  sha256: string;
  /** Size, times and inode: whoever writes into the file changes it. */
  mark: string;
}

/** The hashes known of files, by path. */
export type KnownHashes = Record<string, KnownHash>;

/** A file that was written less than this before it was hashed could be written again without another time stamp. In ms. */
export const SETTLED = 2000;

/** SHA-256 of files; one whose mark is as it was is not read again. */
export class FileHashes {
  readonly #known: KnownHashes;
  readonly #seen: KnownHashes = Object.create(null);
  /** The first hash of each file: a file counts as what it was when it was first asked for. */
  readonly #taken: KnownHashes = Object.create(null);

  constructor(known: KnownHashes) {
    this.#known = known;
  }

  /** @returns the hash in hex; undefined for what cannot be read as a file */
  hash(file: string): string | undefined {
    const taken = this.#taken[file];
    if (taken) return taken.sha256;
    const stats = statOf(file);
    if (!stats?.isFile()) return undefined;
    const mark = markOf(stats);
    const known = Object.hasOwn(this.#known, file) ? this.#known[file] : undefined;
    if (known?.mark === mark) {
      this.#seen[file] = known;
      this.#taken[file] = known;
      return known.sha256;
    }
    const now = Date.now();
    const bytes = readIfThere(file);
    if (bytes === undefined) return undefined;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#taken[file] = { sha256, mark };
    if (now - Number(stats.mtimeMs) > SETTLED && now - Number(stats.ctimeMs) > SETTLED) {
      this.#seen[file] = { sha256, mark };
    }
    return sha256;
  }

  /** Whether all files that were asked for are still what they were then. */
  areSteady(): boolean {
    for (const [file, { mark }] of Object.entries(this.#taken)) {
      const stats = statOf(file);
      if (stats === undefined || markOf(stats) !== mark) return false;
    }
    return true;
  }

  /** Those of the files that were asked for. */
  get seen(): KnownHashes {
    return this.#seen;
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Undefined for what is not there. Of thousands of files, promises would take longer than the answers. */
export function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** What changes whenever somebody writes into a file. */
export function markOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join();
}
