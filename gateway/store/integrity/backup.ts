import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StoreError } from '../store.ts';
import { adviseRestore } from '../store-folder.ts';
import { DATA, hasData, refuseLostData } from './folder-files.ts';
import type { DataReport } from './read-records.ts';
import { runChild } from './run-child.ts';

/** A copy in progress is written to all the time; an older one was left by a process that was killed. */
const STALE_MS = 600_000;

/**
 * Writes a backup of the records of a store in a folder: one file with the state of one moment. The file is read and checked before it gets its name.
 * Other processes may use the store meanwhile. Counters are not in it.
 *
 * @param path where the backup is written; no such file may exist
 * @throws StoreError when there is no such store, it is damaged, or the file cannot be written
 */
export async function backUpFolder(folder: string, path: string): Promise<DataReport> {
  const file = resolve(path);
  refuseLostData(folder);
  if (!hasData(folder))
    throw new StoreError(`there is no store in ${folder} to back up; name its folder by --store`);
  if (existsSync(file)) throw new StoreError(`${file} exists already; name a new file for the backup`);
  const draft = `${file}.${randomUUID()}.part`;
  try {
    removeStale(dirname(file), `${basename(file)}.`);
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    const outcome = await runChild({ folder: resolve(folder), copyTo: draft });
    if ('fault' in outcome) throw refuseCopy(folder, file, outcome.fault);
    place(join(draft, DATA), file);
    return outcome.report;
  } catch (error) {
    throw error instanceof StoreError ? error : refuseWrite(file, error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Gives a complete file its name, so that it exists even after a power failure. */
export function place(from: string, to: string): void {
  chmodSync(from, 0o600);
  sync(from);
  renameSync(from, to);
  sync(dirname(to));
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes drafts with this prefix to which no process writes any more. */
export function removeStale(folder: string, prefix: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.startsWith(prefix) || !name.endsWith('.part')) continue;
    const draft = join(folder, name);
    const copy = statSync(join(draft, DATA), { throwIfNoEntry: false }) ?? statSync(draft);
    if (Date.now() - copy.mtimeMs > STALE_MS) rmSync(draft, { recursive: true, force: true });
  }
}

function refuseCopy(folder: string, file: string, fault: string): StoreError {
  return new StoreError(
    `cannot back up the store in ${folder} to ${file}: ${fault}; check whether a disk is full, and check the store with gateway store verify. If it is damaged, ${adviseRestore(folder)}`,
  );
}

function refuseWrite(file: string, error: unknown): StoreError {
  return new StoreError(
    `cannot write the backup ${file}: ${error instanceof Error ? error.message : error}`,
    { cause: error },
  );
}
