import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { IDENTITY } from '../../../core/store/identity.ts';
import { removeDrafts } from '../past-backups.ts';
import { copyStore } from '../migrate.ts';
import { type Store, StoreError } from '../../../core/store/store.ts';
import { LmdbRecords } from './lmdb-records.ts';

/**
 * Writes all records of a store, with its identity, to a new folder that versions before 0.2 open. Counters are not in it.
 *
 * @returns how many records it has
 * @throws StoreError when the folder exists already, or the store changes meanwhile
 */
export async function exportFolder(store: Store, path: string): Promise<number> {
  const folder = resolve(path);
  if (existsSync(folder)) throw new StoreError(`${folder} exists already; name a new folder`);
  const draft = `${folder}.${randomUUID()}.part`;
  mkdirSync(dirname(folder), { recursive: true });
  await removeDrafts(dirname(folder));
  mkdirSync(draft, { mode: 0o700 });
  try {
    const records = await writeRecords(store, draft);
    for (const name of readdirSync(draft)) chmodSync(join(draft, name), 0o600);
    renameSync(draft, folder);
    return records;
  } finally {
    rmSync(draft, { recursive: true, force: true });
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
