import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** `<number>.log` is a segment, `<number>.snapshot` has all that was before it, `<number>.<maker>.tmp` is one that is being made. */
const NAME = /^(\d{10})\.(.+)$/;

/** The path of a file of a log. */
export function nameFile(folder: string, number: number, kind: string): string {
  return join(folder, `${String(number).padStart(10, '0')}.${kind}`);
}

/** The number of the newest snapshot; 1, which has no file because nothing was before, where there is none. */
export function findNewestSnapshot(folder: string): number {
  const snapshots = listFiles(folder).filter(({ kind }) => kind === 'snapshot');
  return Math.max(1, ...snapshots.map(({ number }) => number));
}

/** Removes what is not needed once a snapshot is there; other processes may still have it open. */
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
