import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** `<number>.log` is a segment, `<number>.snapshot` holds everything before it, `<number>.<writer>.tmp` is a snapshot that is being written. */
const NAME = /^(\d{10})\.(.+)$/;

/** Returns the path of a file of a log. */
export function nameFile(folder: string, number: number, kind: string): string {
  return join(folder, `${String(number).padStart(10, '0')}.${kind}`);
}

/** Returns the number of the newest snapshot; without one, it is 1, since nothing was before segment 1. */
export function findNewestSnapshot(folder: string): number {
  const snapshots = listFiles(folder).filter(({ kind }) => kind === 'snapshot');
  return Math.max(1, ...snapshots.map(({ number }) => number));
}

/** Removes the files that a snapshot replaces. Other processes may still have them open. */
export function removeOlder(folder: string, number: number): void {
  for (const file of listFiles(folder)) {
    if (file.number < number || (file.number === number && file.kind.endsWith('.tmp')))
      rmSync(nameFile(folder, file.number, file.kind), { force: true });
  }
}

function listFiles(folder: string): { number: number; kind: string }[] {
  return readdirSync(folder).flatMap((name) => {
    const [, number, kind] = NAME.exec(name) ?? [];
    return number === undefined || kind === undefined ? [] : [{ number: Number(number), kind }];
  });
}
