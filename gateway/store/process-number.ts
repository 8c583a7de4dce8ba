import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RootDatabase } from 'lmdb';
import { refuseFolder } from './store-folder.ts';

const PROGRAM = fileURLToPath(new URL('./clear-dead-readers.js', import.meta.url));
const MAX_PROGRAM_MS = 10_000;

/** The environments that this process has opened: in these, a reader with this process's number may be its own. */
const opened = new Set<string>();

/**
 * Refuses a folder that another process with the same number has open, as in two containers that both count their processes from 1. LMDB
 * distinguishes processes by number: each locks the byte of lock.mdb at its number, and the second one would wait for it in vain.
 *
 * @throws StoreError
 */
export function refuseSameNumber(root: RootDatabase<unknown, string>, folder: string): void {
  const { dev, ino } = statSync(join(folder, 'data.mdb'));
  const environment = `${dev} ${ino}`;
  const isFirst = !opened.has(environment);
  opened.add(environment);
  if (isFirst && hasReader(root, process.pid) && isReaderAlive(root, folder)) throw refusal(root, folder);
  try {
    root.useReadTransaction().done();
  } catch (error) {
    // Both processes started at the same time: LMDB tried for ten seconds, and then returned no transaction.
    throw error instanceof TypeError ? refusal(root, folder) : error;
  }
}

function hasReader(root: RootDatabase<unknown, string>, pid: number): boolean {
  return root
    .readerList()
    .split('\n')
    .some((line) => Number.parseInt(line, 10) === pid);
}

/** A process does not clear entries with its own number, so another one does it. */
function isReaderAlive(root: RootDatabase<unknown, string>, folder: string): boolean {
  spawnSync(process.execPath, [PROGRAM, folder], { stdio: 'ignore', timeout: MAX_PROGRAM_MS });
  return hasReader(root, process.pid);
}

function refusal(root: RootDatabase<unknown, string>, folder: string): Error {
  void root.close();
  return refuseFolder(
    folder,
    `another process with the number ${process.pid} has it open, as in two containers that each count from 1, and LMDB distinguishes processes by number; let the containers share one PID namespace, or use Redis`,
  );
}
