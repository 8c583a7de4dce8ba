import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where a log is. */
export interface LogFolder {
  path: string;
  /** Whether what is written waits for the disk. */
  isForced: boolean;
}

/** `<number>.log` is a segment, `<number>.snapshot` tells all that was before it, `<number>.<maker>.tmp` is one that is being made. */
const NAME = /^(\d{10})\.(.+)$/;

/** The path of a file of a log. */
export function numberedFile({ path }: LogFolder, number: number, kind: string): string {
  return join(path, `${String(number).padStart(10, '0')}.${kind}`);
}

/** The number of the newest snapshot; 1, which has no file because nothing was before, where there is none. */
export function newestSnapshot(folder: LogFolder): number {
  const snapshots = listFiles(folder).filter(({ kind }) => kind === 'snapshot');
  return Math.max(1, ...snapshots.map(({ number }) => number));
}

/** Removes what is not needed once a snapshot is there; others may still have it open. */
export function removeOlder(folder: LogFolder, number: number): void {
  for (const file of listFiles(folder)) {
    if (file.number < number || (file.number === number && file.kind.endsWith('.tmp')))
      rmSync(numberedFile(folder, file.number, file.kind), { force: true });
  }
}

function listFiles({ path }: LogFolder): { number: number; kind: string }[] {
  return readdirSync(path).flatMap((name) => {
    const [, number, kind] = NAME.exec(name) ?? [];
    return number === undefined || kind === undefined ? [] : [{ number: Number(number), kind }];
  });
}
