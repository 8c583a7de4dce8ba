import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Sources, StoreReading } from './sources.ts';

/** Reads what a report says of the store. It never rejects: a store that does not respond is part of the report. */
export async function readStore({ store, storeFolder, readAlerts }: Sources): Promise<StoreReading> {
  const started = performance.now();
  const pingSeconds = await store.ping().then(
    () => (performance.now() - started) / 1000,
    () => undefined,
  );
  const [alerts, bytes] = await Promise.all([
    pingSeconds === undefined ? undefined : readAlerts().catch(() => undefined),
    storeFolder === undefined ? undefined : sizeOf(storeFolder),
  ]);
  return { pingSeconds, alerts, bytes };
}

/** Returns the bytes of all files in a folder; a file that was removed meanwhile counts nothing. */
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
