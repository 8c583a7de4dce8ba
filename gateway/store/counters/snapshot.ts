import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type CounterLine, formatLine, parseLine } from './line.ts';
import { nameFile, removeOlder } from './log-folder.ts';

/** What to write as a snapshot. */
export interface SnapshotOptions {
  folder: string;
  /** The number of the segment after it. */
  number: number;
  /** Everything before that segment. */
  lines: Iterable<CounterLine>;
  /** A word that only this process uses. */
  writer: string;
}

/**
 * Reads the lines of a snapshot. Returns none if it has no file.
 *
 * @throws the system's error
 */
export function readSnapshot(folder: string, number: number): (CounterLine | undefined)[] {
  try {
    const text = readFileSync(nameFile(folder, number, 'snapshot'), 'utf8');
    return text.split('\n').map(parseLine);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return [];
  }
}

/**
 * Writes a snapshot, one line with each step, so that no step takes long. Until the last step it is a draft, which is removed if a step fails.
 * The last step gives it its final name, and removes all older files. Several processes may write the same snapshot.
 *
 * @throws the system's error
 */
export function* writeSnapshot({ folder, number, lines, writer }: SnapshotOptions): Generator<void, void> {
  const draft = nameFile(folder, number, `${writer}.tmp`);
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    for (const line of lines) {
      yield;
      writeFileSync(descriptor, `${formatLine(line, 'snapshot')}\n`);
    }
    yield;
    placeSnapshot(draft, folder, number);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

function placeSnapshot(draft: string, folder: string, number: number): void {
  try {
    renameSync(draft, nameFile(folder, number, 'snapshot'));
  } catch (error) {
    // Another process has removed the draft, because it has written the same snapshot or a newer one.
    if (!isMissing(error)) throw error;
  }
  removeOlder(folder, number);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
