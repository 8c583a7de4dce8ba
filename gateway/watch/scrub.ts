import { setTimeout as wait } from 'node:timers/promises';
import type { FileRef } from '../../scripts/format/dist-format.ts';
import type { DistFiles } from '../data/dist-files.ts';

/** Options of `scrub`. */
export interface ScrubOptions {
  files: Pick<DistFiles, 'check'>;
  /** Lists the files that the current state names. */
  listFiles: () => Iterable<FileRef>;
  /** Ends it. */
  signal: AbortSignal;
  /** How many bytes are read per second, about. */
  bytesPerSecond?: number;
  /** How long to wait before each pass, in ms. */
  pause?: number;
}

const BYTES_PER_SECOND = 4 * 1024 * 1024;
const PAUSE_MS = 3_600_000;

/** Compares all files of a folder with their SHA-256, slowly and repeatedly, to find damage before a client requests the file. */
export async function scrub({
  files,
  listFiles,
  signal,
  bytesPerSecond = BYTES_PER_SECOND,
  pause = PAUSE_MS,
}: ScrubOptions): Promise<void> {
  const sleep = (ms: number) => wait(ms, undefined, { signal, ref: false }).catch(() => {});
  while (!signal.aborted) {
    await sleep(pause);
    for (const ref of listFiles()) {
      if (signal.aborted) return;
      await files.check(ref);
      await sleep((ref.bytes / bytesPerSecond) * 1000);
    }
  }
}
