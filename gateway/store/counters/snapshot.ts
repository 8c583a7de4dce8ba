import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type CounterLine, formatLine, parseLine } from './line.ts';
import { nameFile, removeOlder } from './log-folder.ts';

/** What a snapshot is made of. */
export interface SnapshotOptions {
  folder: string;
  /** The segment that it comes before. */
  number: number;
  /** All that was before that segment. */
  lines: Iterable<CounterLine>;
  /** A word that is this process's own. */
  maker: string;
}

/**
 * Reads the lines of a snapshot; none where it has no file.
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
 * Writes a snapshot, a line with each step, so that none takes long. After the last step it is there, and all that is older is gone; before,
 * it is a draft, which is removed when a step fails. Several processes may write the same.
 *
 * @throws the system's error
 */
export function* writeSnapshot({ folder, number, lines, maker }: SnapshotOptions): Generator<void, void> {
  const draft = nameFile(folder, number, `${maker}.tmp`);
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
    // Another process has removed it, because it has placed the same, or a newer one.
    if (!isMissing(error)) throw error;
  }
  removeOlder(folder, number);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
