import { DistError } from './dist-folder.ts';
import type { DistSource } from './dist-source.ts';

/** A source of which each file comes within a time, or fails. */
export interface BoundedSource {
  name: string;
  /**
   * Reads a file.
   *
   * @param limit how many bytes it may have
   * @throws DistError
   */
  read(file: string, limit: number): Promise<Buffer>;
}

/** More than any file has that can be served, in bytes: as much as JavaScript holds in one string. */
const LARGEST_FILE = 512 * 1024 * 1024;
/** How long a file may take, in ms, beside what it takes at the least rate, in bytes a second. */
const PATIENCE_MS = 20_000;
const LEAST_RATE = 32 * 1024;

/**
 * Bounds what is read of a source, so that one that sends a byte now and then, or names a file without end, is told of like one that is
 * gone.
 *
 * @param patience how long a file may take, in ms, beside a second for each 32 KiB
 */
export function boundSource({ name, read }: DistSource, patience = PATIENCE_MS): BoundedSource {
  return {
    name,
    async read(file, limit) {
      const fail = (reason: string) => new DistError(`${name}/${file} cannot be fetched: ${reason}`);
      if (limit > LARGEST_FILE) {
        throw fail(`it has ${limit} bytes as the index there tells, expected ${LARGEST_FILE} at most`);
      }
      const longest = Math.ceil(patience + (limit / LEAST_RATE) * 1000);
      const signal = AbortSignal.timeout(longest);
      return await read(file, limit, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw fail(`it was not whole after ${Math.ceil(longest / 1000)} s`);
      });
    },
  };
}
