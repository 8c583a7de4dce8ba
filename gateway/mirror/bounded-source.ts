import { type DistSource, SourceFileError } from './dist-source.ts';

/** A source whose reads succeed or fail within a bounded time. */
export interface BoundedSource {
  name: string;
  /**
   * Reads a file.
   *
   * @param limit its maximum size in bytes
   * @param maxMs the maximum time; by default longer for larger files
   * @throws DistError
   */
  read(file: string, limit: number, maxMs?: number): Promise<Buffer>;
}

/** Larger files cannot be served: this is the longest string in JavaScript. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** A file may take this time plus its size divided by the minimum rate. */
export const PATIENCE_MS = 20_000;
const LEAST_RATE = 32 * 1024;

/**
 * Bounds the reads of a source in time and size. A source that is very slow, or sends a file without end, is reported like one that
 * cannot be reached.
 *
 * @param patience in ms; a file may take this time plus one second per 32 KiB
 */
export function boundSource({ name, read }: DistSource, patience = PATIENCE_MS): BoundedSource {
  return {
    name,
    async read(file, limit, maxMs = patience + (limit / LEAST_RATE) * 1000) {
      const fail = (reason: string) => new SourceFileError(`${name}/${file} cannot be fetched: ${reason}`);
      if (limit > MAX_FILE_BYTES) {
        throw fail(`it has ${limit} bytes according to its index, expected ${MAX_FILE_BYTES} at most`);
      }
      const signal = AbortSignal.timeout(Math.ceil(maxMs));
      return await read(file, limit, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw fail(`it was not whole after ${Math.ceil(maxMs / 1000)} s`);
      });
    },
  };
}

/** Reads a file. @returns undefined if it is missing or access to it is denied @throws DistError */
export async function readIfThere(
  source: BoundedSource,
  file: string,
  limit: number,
  maxMs: number,
): Promise<Buffer | undefined> {
  return await source.read(file, limit, maxMs).catch((error: unknown) => {
    if (error instanceof SourceFileError && error.isMissing) return undefined;
    throw error;
  });
}
