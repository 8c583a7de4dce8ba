import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { openCounters } from './lmdb-counters.ts';
import { openLmdbFolder } from './lmdb-folder.ts';
import type { Account, AccountRecord, Grant, IssuedKey, IssueRequest, Key, Store } from './store.ts';
import { compareAge, isRevoked, StoreError } from './store.ts';

/** The tables of the environment, values as JSON. */
interface Tables {
  root: RootDatabase<unknown, string>;
  /** SHA-256 of a key → the key's record. */
  keys: Database<Key, string>;
  /** Prefix → SHA-256. */
  prefixes: Database<string, string>;
  /** Account id → account. */
  accounts: Database<Account, string>;
  /** E-mail address → account id. */
  emails: Database<string, string>;
  /** `<account id>/<SHA-256>` of every key, so that an account's keys are found without reading all. */
  accountKeys: Database<true, string>;
  /** What `revision` tells, under `REVISION`. */
  about: Database<string, string>;
}

const REVISION = 'revision';

/**
 * Opens the store of keys and accounts that is an LMDB environment in a folder of one machine. Several processes may
 * have it open. Reads are synchronous look-ups in shared memory, from a snapshot that lasts no longer than the turn
 * of the event loop. Writes are synchronous transactions, ended by an fsync: they are rare, an exception undoes all
 * of one, and a full disk is such an exception. (A commit of lmdb's asynchronous transactions that fails rejects a
 * second promise, which nobody can catch, and so ends the process.)
 *
 * @param now ms since 1970
 * @throws StoreError when the folder cannot be used
 */
export async function openLmdbStore(
  folder: string,
  { now }: { now: () => number } = { now: Date.now },
): Promise<Store> {
  const path = resolve(folder);
  const tables = explainFailure(path, () => openTables(path));
  let closed = false;

  const attempt = <T>(work: () => T): T => {
    if (closed) throw new StoreError(`the store in ${path} is closed`);
    return explainFailure(path, work);
  };
  const counters = attempt(() => openCounters(path, now, attempt));
  const write = <T>(work: () => T): T => attempt(() => tables.root.transactionSync(work));

  return {
    findKey: async (hash) => attempt(() => readKey(tables, hash)),
    revision: () => attempt(() => tables.about.get(REVISION) ?? ''),
    keyByPrefix: async (prefix) => attempt(() => readKeyByPrefix(tables, prefix)),
    listKeys: async () => attempt(() => readAllKeys(tables)),
    accountByEmail: async (email) => attempt(() => readRecord(tables, email)),
    issueKey: async (request) => write(() => addKey(tables, request)),
    grantTier: async (email, grant) => write(() => changeTier(tables, email, grant)),
    revokeKey: async (prefix, now) => write(() => endKey(tables, prefix, now)),
    deleteAccount: async (email) => {
      // Before, so that a failure leaves an account to delete again; after, since a request may have been under way.
      const known = attempt(() => readRecord(tables, email));
      if (known) counters.remove(known.account.id);
      const account = write(() => removeAccount(tables, email));
      if (account) counters.remove(account.id);
      return account !== undefined;
    },
    countRequest: counters.countRequest,
    uncountRequest: counters.uncountRequest,
    readCounters: counters.readCounters,
    ping: async () => {
      attempt(() => tables.accounts.doesExist(''));
    },
    close: async () => {
      if (closed) return;
      const counted = counters.close();
      closed = true;
      await counted;
      await tables.root.close();
    },
  };
}

function openTables(path: string): Tables {
  const root = openLmdbFolder(path);
  const table = <V>(name: string): Database<V, string> => root.openDB<V, string>(name, { encoding: 'json' });
  return {
    root,
    keys: table('keys'),
    prefixes: table('prefixes'),
    accounts: table('accounts'),
    emails: table('emails'),
    accountKeys: table('account-keys'),
    about: table('about'),
  };
}

function readKey(tables: Tables, hash: string): IssuedKey | undefined {
  const key = tables.keys.get(hash);
  const account = key && tables.accounts.get(key.account);
  return account && { key, account };
}

function readKeyByPrefix(tables: Tables, prefix: string): IssuedKey | undefined {
  const hash = tables.prefixes.get(prefix);
  return hash === undefined ? undefined : readKey(tables, hash);
}

function readAllKeys(tables: Tables): IssuedKey[] {
  const issued = [...tables.keys.getKeys()].flatMap((hash) => readKey(tables, hash) ?? []);
  return issued.sort((a, b) => compareAge(a.key, b.key));
}

function readAccount(tables: Tables, email: string): Account | undefined {
  const id = tables.emails.get(email);
  return id === undefined ? undefined : tables.accounts.get(id);
}

function readRecord(tables: Tables, email: string): AccountRecord | undefined {
  const account = readAccount(tables, email);
  if (account === undefined) return undefined;
  const keys = hashesOf(tables, account).flatMap((hash) => tables.keys.get(hash) ?? []);
  return { account, keys: keys.sort(compareAge) };
}

function hashesOf(tables: Tables, { id }: Account): string[] {
  // '0' is the character that follows '/'.
  const entries = tables.accountKeys.getKeys({ start: `${id}/`, end: `${id}0` });
  return [...entries].map((entry) => entry.slice(id.length + 1));
}

function addKey(
  tables: Tables,
  { email, prefix, hash, grant, replaces, now }: IssueRequest,
): IssuedKey | undefined {
  if (tables.prefixes.doesExist(prefix)) return undefined;
  const created_at = new Date(now).toISOString();
  const known = readAccount(tables, email);
  const blank: Account = { id: randomUUID(), email, tier: 'free', pro_until: null, created_at };
  const account: Account = { ...(known ?? blank), ...grant };
  const key: Key = { prefix, hash, account: account.id, created_at, revoked_at: null };
  tables.accounts.putSync(account.id, account);
  tables.emails.putSync(email, account.id);
  tables.keys.putSync(hash, key);
  tables.prefixes.putSync(prefix, hash);
  tables.accountKeys.putSync(`${account.id}/${hash}`, true);
  if (grant) changeRevision(tables);
  if (replaces) endKey(tables, replaces.prefix, replaces.at);
  return { key, account };
}

function changeTier(tables: Tables, email: string, grant: Grant): Account | undefined {
  const known = readAccount(tables, email);
  if (known === undefined) return undefined;
  const account: Account = { ...known, ...grant };
  tables.accounts.putSync(account.id, account);
  changeRevision(tables);
  return account;
}

function endKey(tables: Tables, prefix: string, at: number): IssuedKey | undefined {
  const issued = readKeyByPrefix(tables, prefix);
  if (issued === undefined || isRevoked(issued.key, at)) return issued;
  const key: Key = { ...issued.key, revoked_at: new Date(at).toISOString() };
  tables.keys.putSync(key.hash, key);
  changeRevision(tables);
  return { ...issued, key };
}

function removeAccount(tables: Tables, email: string): Account | undefined {
  const account = readAccount(tables, email);
  if (account === undefined) return undefined;
  for (const hash of hashesOf(tables, account)) {
    const key = tables.keys.get(hash);
    if (key) tables.prefixes.removeSync(key.prefix);
    tables.keys.removeSync(hash);
    tables.accountKeys.removeSync(`${account.id}/${hash}`);
  }
  tables.emails.removeSync(email);
  tables.accounts.removeSync(account.id);
  changeRevision(tables);
  return account;
}

function changeRevision(tables: Tables): void {
  tables.about.putSync(REVISION, randomUUID());
}

function explainFailure<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isLmdbError(error)) throw error;
    const text = `the store in ${path} failed: ${error.message}; see whether its disk is full or failing`;
    throw new StoreError(text, { cause: error });
  }
}

/** LMDB's own failures, such as a full disk, carry a number; anything else is a bug. */
function isLmdbError(error: unknown): error is Error {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}
