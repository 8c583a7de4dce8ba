import type { Log } from '../../log/log.ts';
import { StoreError } from '../store.ts';
import { readInode } from './folder-files.ts';

/** How often a store in use checks that its data file is still there. */
const CHECK_MS = 1000;

/** Guards a store in a folder: work that fails throws a StoreError, and so does any work after the store is closed or its data file is gone. */
export class FolderGuard {
  readonly #folder: string;
  readonly #log: Log | undefined;
  #inode: bigint | undefined;
  #checkedAt = performance.now();
  /** Why the store cannot be used any more. */
  #end: string | undefined;

  /** @param log gets an entry when the data file is gone */
  constructor({ folder, log }: { folder: string; log?: Log | undefined }) {
    this.#folder = folder;
    this.#log = log;
  }

  /** @throws StoreError when the work fails, the store is closed, or its data file is gone */
  attempt<T>(work: () => T): T {
    if (this.#end !== undefined) throw new StoreError(this.#end);
    try {
      return work();
    } catch (error) {
      if (!isFailure(error)) throw error;
      const text = `the store in ${this.#folder} failed: ${error.message}; check whether its disk is full or failing`;
      throw new StoreError(text, { cause: error });
    }
  }

  /** Remembers the data file, which is open now. */
  watchData(): void {
    this.#inode = readInode(this.#folder);
  }

  /**
   * Checks that the data file is the one that was opened: a process could continue to use an open file that was removed, and lose all writes.
   *
   * @param now ms by `performance.now()`; with it, the file is checked at most once a second
   */
  checkData(now = Number.POSITIVE_INFINITY): void {
    if (now - this.#checkedAt < CHECK_MS || this.#end !== undefined) return;
    this.#checkedAt = performance.now();
    if (this.attempt(() => readInode(this.#folder)) === this.#inode) return;
    this.#end = `the store in ${this.#folder} was removed or replaced while it was in use; start this process again`;
    this.#log?.error('the store was removed or replaced while it was in use', { store: this.#folder });
  }

  /** Refuses all work from now on. @returns false if the store was closed already, or its data file was gone */
  close(): boolean {
    const wasOpen = this.#end === undefined;
    this.#end ??= `the store in ${this.#folder} is closed`;
    return wasOpen;
  }
}

/** Failures of LMDB, such as a full disk, have a number as their code; those of the file system name a system call. Anything else is a bug. */
function isFailure(error: unknown): error is Error {
  return (
    error instanceof Error && (typeof (error as { code?: unknown }).code === 'number' || 'syscall' in error)
  );
}
