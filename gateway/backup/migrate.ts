import { createHash } from 'node:crypto';
import {
  IDENTITY,
  MIGRATION,
  type Store,
  type StoredRecord,
  StoreError,
  type Write,
} from '../store/store.ts';

/** Options of a migration. */
export interface MigrationOptions {
  from: Store;
  to: Store;
  /** ms since 1970 */
  now: () => number;
}

/** How many records are copied at once. */
const PAGE = 500;
/** Records that expire sooner than this are not compared: one store may have removed them already. */
const SOON_MS = 600_000;

/**
 * Copies all records of a store to an empty one, and compares both. Nothing else may write to either meanwhile. Until it is finished, no
 * gateway opens the target; if it is interrupted, it can be done again. Counters of requests are not copied.
 *
 * @returns how many records the target has
 * @throws StoreError when the target is not empty, or differs from the source afterwards
 */
export async function migrateStore({ from, to, now }: MigrationOptions): Promise<number> {
  const source = await from.identity();
  if (source === (await to.identity())) throw new StoreError('both addresses are of the same store');
  await claimTarget(to, source);
  const names = await copyRecords(from, to);
  await removeOthers(to, names);
  await compareStores({ from, to, now });
  await to.commit({ read: new Map(), write: new Map([[MIGRATION, { value: null }]]) });
  return names.size;
}

/** What a copy reads, and where it writes. */
export interface CopyOptions {
  from: Pick<Store, 'dump'>;
  to: Pick<Store, 'dump' | 'commit'>;
  /** ms since 1970 */
  now: () => number;
}

/**
 * Copies all records of a store, except its identity, to one that has no others, and compares both.
 *
 * @returns how many records were copied
 * @throws StoreError when both differ afterwards
 */
export async function copyStore(options: CopyOptions): Promise<number> {
  const names = await copyRecords(options.from, options.to);
  await compareStores(options);
  return names.size;
}

/** @throws StoreError when the stores differ */
async function compareStores({ from, to, now }: CopyOptions): Promise<void> {
  const after = now() + SOON_MS;
  if ((await digest(from, after)) === (await digest(to, after))) return;
  throw new StoreError(
    'the stores differ after the copy, because something wrote to one of them; end all gateways on both, and run this again',
  );
}

/** @throws StoreError when the target has records that an earlier attempt did not copy from the same source */
async function claimTarget(to: Store, source: string): Promise<void> {
  const [claimed] = await to.read([MIGRATION]);
  if (claimed === source) return;
  if (claimed !== undefined)
    throw new StoreError('the target has an unfinished migration from another store; empty it first');
  const records = await to.dump({ after: '', limit: 2 });
  if (records.some(({ name }) => name !== IDENTITY))
    throw new StoreError('the target is not empty; name an empty store, or empty it first');
  const read = new Map([[MIGRATION, undefined]]);
  if (!(await to.commit({ read, write: new Map([[MIGRATION, { value: source }]]) })))
    throw new StoreError('another migration to the target has just begun');
}

/** @returns the names of all records that were copied */
async function copyRecords(from: CopyOptions['from'], to: CopyOptions['to']): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const records of pagesOf(from)) {
    const write = new Map<string, Write>();
    for (const { name, value, expires } of records) {
      names.add(name);
      write.set(name, { value, ...(expires !== undefined && { expires }) });
    }
    if (write.size > 0) await to.commit({ read: new Map(), write });
  }
  return names;
}

/** Removes what an earlier attempt copied, and the source no longer has. */
async function removeOthers(to: Store, names: ReadonlySet<string>): Promise<void> {
  for await (const records of pagesOf(to)) {
    const others = records.filter(({ name }) => !names.has(name));
    const write = new Map(others.map(({ name }) => [name, { value: null }]));
    if (write.size > 0) await to.commit({ read: new Map(), write });
  }
}

/** @param after records that expire before this are left out, ms since 1970 */
async function digest(store: CopyOptions['from'], after: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const records of pagesOf(store)) {
    for (const { name, value, expires } of records) {
      if (expires !== undefined && expires < after) continue;
      hash.update(JSON.stringify([name, value, expires === undefined ? null : Math.ceil(expires)]));
    }
  }
  return hash.digest('hex');
}

/** Yields all records of a store but those that belong to it alone. */
async function* pagesOf(store: CopyOptions['from']): AsyncGenerator<StoredRecord[]> {
  for (let after = ''; ; ) {
    const page = await store.dump({ after, limit: PAGE });
    yield page.filter(({ name }) => name !== IDENTITY && name !== MIGRATION);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.name;
  }
}
