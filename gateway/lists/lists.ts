import { ACCOUNT_KEYS, KEYS } from '../store/accounts/keys.ts';
import type { Account, Key } from '../access/account.ts';
import { DamagedRecordError, type Store } from '../store/store.ts';
import { parseRecord, type Reader, type Table } from '../store/transaction.ts';

/** How many records are read at once. */
const PAGE = 1000;

/** Reads one record. */
export async function find<T>(store: Store, table: Table<T>, id: string): Promise<T | undefined> {
  const name = table.prefix + id;
  const [text] = await store.read([name]);
  return parseRecord<T>(name, text);
}

/** Reads one record for a request, which does not wait for long. */
export async function findSoon<T>(store: Store, table: Table<T>, id: string): Promise<T | undefined> {
  const name = table.prefix + id;
  const [text] = await store.find(name);
  return parseRecord<T>(name, text);
}

/** Reads records, in the order of the given ids; undefined for those that are missing or damaged. */
export async function findAll<T>(
  store: Store,
  { prefix }: Table<T>,
  ids: readonly string[],
): Promise<(T | undefined)[]> {
  const values: (T | undefined)[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const names = ids.slice(at, at + PAGE).map((id) => prefix + id);
    const texts = await readEach(store, names);
    for (const [index, text] of texts.entries()) values.push(parseListed<T>(store, names[index] ?? '', text));
  }
  return values;
}

/** Reads records together, and one by one if one of them is damaged. */
async function readEach(store: Store, names: readonly string[]): Promise<(string | undefined)[]> {
  try {
    return await store.read(names);
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    return await Promise.all(names.map((name) => readIfWhole(store, name)));
  }
}

async function readIfWhole(store: Store, name: string): Promise<string | undefined> {
  try {
    return (await store.read([name]))[0];
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    store.reportDamage(name);
    return undefined;
  }
}

/** Lists the records of a table whose ids begin with `begin`, in the order of their ids, without damaged ones. */
export async function list<T>(store: Store, table: Table<T>, begin = ''): Promise<[id: string, value: T][]> {
  const records: [string, T][] = [];
  const prefix = table.prefix + begin;
  for (let after = ''; ; ) {
    const page = await store.list(prefix, { after, limit: PAGE });
    for (const [name, text] of page) {
      const value = parseListed<T>(store, name, text);
      if (value !== undefined) records.push([name.slice(table.prefix.length), value]);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return records;
    after = last[0];
  }
}

/** Parses a record of a list. A damaged record is reported, and the result is undefined. */
export function parseListed<T>(store: Store, name: string, text: string | undefined): T | undefined {
  try {
    return parseRecord<T>(name, text);
  } catch {
    store.reportDamage(name);
    return undefined;
  }
}

/** Returns the keys of an account, the oldest first. */
export async function keysOf(reader: Reader, { id }: Account): Promise<Key[]> {
  const keys: Key[] = [];
  for (const hash of (await reader.get(ACCOUNT_KEYS, id)) ?? []) {
    const key = await reader.get(KEYS, hash);
    if (key) keys.push(key);
  }
  return keys.sort(compareAge);
}

/** Orders keys by age, the oldest first. */
export function compareAge(a: Key, b: Key): number {
  const age = ({ created_at, prefix }: Key) => `${created_at} ${prefix}`;
  return age(a) < age(b) ? -1 : 1;
}
