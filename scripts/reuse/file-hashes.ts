import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A file's hash, and its mark (`markOf`) when it was hashed. */
interface KnownHash {
  sha256: string;
  mark: string;
}

/** The known hashes of files, by path. */
export type KnownHashes = Record<string, KnownHash>;

/** If a file was written less than this before it was hashed, a second write could leave its time stamp unchanged. */
export const MIN_SETTLED_MS = 2000;

/** Computes the SHA-256 of files. A file whose mark has not changed is not read again. */
export class FileHashes {
  readonly #known: KnownHashes;
  readonly #seen: KnownHashes = Object.create(null);
  /** The hashes of this run: each file is hashed once, when its hash is first needed. */
  readonly #current: KnownHashes = Object.create(null);

  constructor(hashes: KnownHashes) {
    this.#known = hashes;
  }

  /** @returns the hash, hexadecimal; undefined if it cannot be read as a file */
  hash(file: string): string | undefined {
    const current = this.#current[file];
    if (current) return current.sha256;
    const stats = statOf(file);
    if (!stats?.isFile()) return undefined;
    const mark = markOf(stats);
    const name = path.resolve(file);
    const entry = Object.hasOwn(this.#known, name) ? this.#known[name] : undefined;
    if (entry?.mark === mark) {
      this.#seen[name] = entry;
      this.#current[file] = entry;
      return entry.sha256;
    }
    const now = Date.now();
    const bytes = readIfThere(file);
    if (bytes === undefined) return undefined;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#current[file] = { sha256, mark };
    if (now - Number(stats.mtimeMs) > MIN_SETTLED_MS && now - Number(stats.ctimeMs) > MIN_SETTLED_MS) {
      this.#seen[name] = { sha256, mark };
    }
    return sha256;
  }

  /** Whether no file has changed since it was hashed in this run. */
  areSteady(): boolean {
    for (const [file, { mark }] of Object.entries(this.#current)) {
      const stats = statOf(file);
      if (stats === undefined || markOf(stats) !== mark) return false;
    }
    return true;
  }

  /** The hashes of this run that can be used in the next one. */
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

/** The stats of a file; undefined if it does not exist. Synchronous: a dump has thousands of files. */
export function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** A file's size, times and inode as text, which changes with every write. */
export function markOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join();
}
