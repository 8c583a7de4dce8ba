import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { StoreRefusal } from '../store/store.ts';
import { readLastBackup } from '../backup/past-backups.ts';
import { readLock } from './read-lock.ts';
import type { Sources, StoreReading } from './sources.ts';

/** Reads the state of the store for a report. It never rejects: a store that does not respond is part of the report. */
export async function readStore(sources: Sources): Promise<StoreReading> {
  const { store, storeFolder, follower, readAlerts, findUnreadiness } = sources;
  const started = performance.now();
  const error: unknown = await store.ping().then(
    () => undefined,
    (thrown: unknown) => thrown ?? 'unknown',
  );
  const failure = error === undefined ? undefined : describeError(error);
  const pingSeconds = failure === undefined ? (performance.now() - started) / 1000 : undefined;
  const [alerts, bytes, unreadiness, backupAt, lockedAt] = await Promise.all([
    pingSeconds === undefined ? undefined : readAlerts().catch(() => undefined),
    storeFolder === undefined ? undefined : sizeOf(storeFolder),
    findUnreadiness(),
    storeFolder === undefined ? undefined : readLastBackup(storeFolder),
    readLock(follower.folder),
  ]);
  const refuses = error instanceof StoreRefusal;
  return { pingSeconds, failure, refuses, unreadiness, alerts, bytes, backupAt, lockedAt };
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the bytes of all files in a folder; a file that was removed meanwhile counts as empty. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      stat(path.join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
