import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { removeDraft } from '../../store/folder-files.ts';
import { IDENTITY, type Store, StoreError } from '../../store/store.ts';
import { copyStore } from '../migrate.ts';
import { removeDrafts } from '../past-backups.ts';
import { LmdbRecords } from './lmdb-records.ts';

/**
 * Writes all records of a store, with its identity, to a new folder that versions before 0.2 open. Counters are not in it.
 *
 * @returns how many records it has
 * @throws StoreError when the folder exists already or cannot be written, or the store changes meanwhile
 */
export async function exportFolder(store: Store, path: string): Promise<number> {
  const folder = resolve(path);
  if (existsSync(folder)) throw new StoreError(`${folder} exists already; name a new folder`);
  const draft = `${folder}.${randomUUID()}.part`;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    await removeDrafts(dirname(folder));
    mkdirSync(draft, { mode: 0o700 });
    const records = await writeRecords(store, draft);
    for (const name of readdirSync(draft)) chmodSync(join(draft, name), 0o600);
    renameSync(draft, folder);
    return records;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    // LMDB has errors of its own.
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(`cannot write ${folder}: ${reason}; check whether its disk is full or failing`, {
      cause: error,
    });
  } finally {
    removeDraft(draft);
  }
}

async function writeRecords(store: Store, folder: string): Promise<number> {
  const old = await LmdbRecords.open(folder, Date.now);
  try {
    const value = await store.identity();
    await old.commit({ read: new Map(), write: new Map([[IDENTITY, { value }]]) });
    return await copyStore({ from: store, to: old, now: Date.now });
  } finally {
    await old.close();
  }
}
