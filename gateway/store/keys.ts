import { type IssuedKey, isEnding, type Key } from '../access/account.ts';
import { ADDRESS_MARK, createKey, createToken, type KeyName } from '../access/api-key.ts';
import { type AccountRow, accountById, openAccount, toAccount, toIso, toIsoOrNull } from './accounts.ts';
import { type Actor, recordChange } from './audit.ts';
import { changeRevision, type Sql, type Value } from './sql.ts';

type KeyRow = Record<'hash' | 'prefix' | 'account', string> &
  Record<'name' | 'origins' | 'session' | 'game' | 'query', string | null> &
  Record<'ends_at' | 'expires_at' | 'minute_cap' | 'day_cap', number | null> & { created_at: number };

/** A row of `keys` joined with the columns of its account. */
type JoinedRow = KeyRow & Omit<AccountRow, 'created_at'> & { opened_at: number };

const JOINED = `SELECT keys.*, accounts.id, email, tier, pro_until, counted_as, accounts.created_at AS opened_at
  FROM keys JOIN accounts ON accounts.id = keys.account`;

/** Selects the keys that people make and see: neither those of sessions nor read-only addresses. */
const OWN = 'session IS NULL AND game IS NULL';

function toKey(row: KeyRow): Key {
  const { hash, prefix, account, name, created_at, ends_at, expires_at, origins, minute_cap, day_cap } = row;
  const limits = minute_cap !== null && day_cap !== null && { limits: { minute: minute_cap, day: day_cap } };
  return {
    prefix,
    hash,
    account,
    created_at: toIso(created_at),
    revoked_at: toIsoOrNull(ends_at),
    ...(name !== null && { name }),
    ...(expires_at !== null && { expires_at: toIso(expires_at) }),
    ...(origins !== null && { browser: { origins: JSON.parse(origins) as string[], ...limits } }),
    ...(row.session !== null && { session: row.session }),
    ...(row.game !== null && {
      address: { game: row.game, ...(row.query !== null && { query: row.query }) },
    }),
  };
}

function toIssued(row: JoinedRow): IssuedKey {
  return { key: toKey(row), account: toAccount({ ...row, created_at: row.opened_at }) };
}

async function findOne(sql: Sql, column: 'hash' | 'prefix', value: string): Promise<IssuedKey | undefined> {
  const row = await sql.get<JoinedRow>(`${JOINED} WHERE ${column} = $1`, [value]);
  return row && toIssued(row);
}

/** Finds a key or read-only address by its SHA-256, even if it has ended. */
export const findKey = (sql: Sql, hash: string) => findOne(sql, 'hash', hash);

/** Finds a key or read-only address by its prefix, even if it has ended. */
export const keyOfPrefix = (sql: Sql, prefix: string) => findOne(sql, 'prefix', prefix);

/** Lists all keys, oldest first. */
export async function listKeys(sql: Sql): Promise<IssuedKey[]> {
  return (await sql.all<JoinedRow>(`${JOINED} WHERE ${OWN} ORDER BY keys.created_at, prefix`)).map(toIssued);
}

/** @param values of the parameters of `which`, from `$2` on */
async function listOf(sql: Sql, account: string, which: string, values: Value[] = []): Promise<Key[]> {
  const select = `SELECT * FROM keys WHERE account = $1 AND ${which} ORDER BY created_at, prefix`;
  return (await sql.all<KeyRow>(select, [account, ...values])).map(toKey);
}

/** Lists the keys of an account, oldest first, including those that ended within the last 90 days. */
export const keysOfAccount = (sql: Sql, account: string) => listOf(sql, account, OWN);

/** Lists the read-only addresses of an account, oldest first. */
export const addressesOf = (sql: Sql, account: string) => listOf(sql, account, 'game IS NOT NULL');

/** Lists the keys of an account that have not ended, oldest first. */
export const liveKeysOf = (sql: Sql, account: string) =>
  listOf(sql, account, `${OWN} AND (ends_at IS NULL OR ends_at > $2)`, [sql.now()]);

/** The fields of a key that can be changed. */
export type KeyFields = { [Field in 'name' | 'expires_at' | 'browser']?: Key[Field] | undefined };

/** Adds a key, a session's key or a read-only address. @returns false if it exists already, or its prefix is in use */
export async function insertKey(
  sql: Sql,
  { prefix, hash }: KeyName,
  account: string,
  fields: KeyFields & Pick<Key, 'session' | 'address'> = {},
): Promise<boolean> {
  const { session = null, address } = fields;
  const end = fields.expires_at === undefined ? null : Date.parse(fields.expires_at);
  const values: Value[] = [hash, prefix, account, sql.now(), end, ...columnsOf(fields)];
  const added = await sql.run(
    `INSERT INTO keys (hash, prefix, account, created_at, ends_at, name, expires_at, origins, minute_cap, day_cap, session, game, query)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
    [...values, session, address?.game ?? null, address?.query ?? null],
  );
  return added > 0;
}

/** The values of the columns name, expires_at, origins, minute_cap, day_cap. */
function columnsOf({ name, expires_at, browser }: KeyFields): Value[] {
  return [
    name || null,
    expires_at === undefined ? null : Date.parse(expires_at),
    browser ? JSON.stringify(browser.origins) : null,
    browser?.limits?.minute ?? null,
    browser?.limits?.day ?? null,
  ];
}

/** A key that was just made. It is not stored, and cannot be shown again. */
export interface NewKey {
  key: string;
  issued: IssuedKey;
}

/** Makes a key for an email address, and an account if it has none. Call it in a transaction. @param email as returned by `readEmail` */
export async function issueKey(
  sql: Sql,
  email: string,
  actor: Actor,
  fields: KeyFields = {},
): Promise<NewKey> {
  const { id: account } = await openAccount(sql, email);
  const made = await addKey(sql, account, fields);
  await recordChange(sql, { account, event: 'key.made', about: made.issued.key.prefix, actor });
  return made;
}

async function addKey(sql: Sql, account: string, fields: KeyFields): Promise<NewKey> {
  const { key, ...name } = createKey();
  // Gateways do not cache unknown keys, so a new key needs no new revision.
  return { key, issued: await insertNew(sql, name, account, fields) };
}

/** With n keys in the store, a random prefix is in use with probability n / 2^40. */
async function insertNew(...[sql, name, account, fields]: Parameters<typeof insertKey>): Promise<IssuedKey> {
  const issued = (await insertKey(sql, name, account, fields)) && (await findKey(sql, name.hash));
  if (issued) return issued;
  throw new Error(`the prefix ${name.prefix} is in use`);
}

/**
 * Changes fields of a key that has not ended: undefined removes one, absent ones stay. An expiry does not extend a key that was revoked or replaced.
 */
export async function setFields(sql: Sql, key: Key, changes: KeyFields, actor: Actor): Promise<void> {
  const { name, expires_at, browser } = key;
  const fields = { name, expires_at, browser, ...changes };
  const expiry = fields.expires_at === undefined ? null : Date.parse(fields.expires_at);
  // A moment before the expiry, so that it still counts as replaced.
  const replaced = Math.min(Date.parse(key.revoked_at ?? ''), (expiry ?? Number.POSITIVE_INFINITY) - 1);
  await sql.run(
    'UPDATE keys SET ends_at = $1, name = $2, expires_at = $3, origins = $4, minute_cap = $5, day_cap = $6 WHERE hash = $7',
    [isEnding(key) ? replaced : expiry, ...columnsOf(fields), key.hash],
  );
  await changeRevision(sql);
  await recordChange(sql, { account: key.account, event: 'key.changed', about: key.prefix, actor });
}

/** Revokes a key permanently. A key that has ended keeps its end. @returns the key; undefined if the prefix is unknown */
export async function revokeKey(sql: Sql, prefix: string, actor: Actor): Promise<IssuedKey | undefined> {
  const isEnded = await endKey(sql, prefix, sql.now());
  const issued = await keyOfPrefix(sql, prefix);
  if (issued && isEnded && !issued.key.address)
    await recordChange(sql, { account: issued.account.id, event: 'key.revoked', about: prefix, actor });
  return issued;
}

/** Sets the end of a key, unless it ends earlier. @returns whether it was changed */
async function endKey(sql: Sql, prefix: string, at: number): Promise<boolean> {
  await changeRevision(sql);
  const update = 'UPDATE keys SET ends_at = $1 WHERE prefix = $2 AND (ends_at IS NULL OR ends_at > $1)';
  return (await sql.run(update, [at, prefix])) > 0;
}

/** Replaces a key by a new one. @param keep how long the old one continues to work, in ms @param fields of the new one @returns also the old one, with its end */
export async function replaceKey(
  sql: Sql,
  old: Key,
  { keep, fields, actor }: { keep: number; fields: KeyFields; actor: Actor },
) {
  const { account } = old;
  const made = await addKey(sql, account, fields);
  // A key that expires sooner ends a moment before that, so that it counts as replaced.
  const expiry = old.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(old.expires_at);
  await endKey(sql, old.prefix, Math.min(sql.now() + keep, expiry - 1));
  const about = `${old.prefix} by ${made.issued.key.prefix}`;
  await recordChange(sql, { account, event: 'key.rotated', about, actor });
  return { ...made, replaced: (await keyOfPrefix(sql, old.prefix))?.key ?? old };
}

/** How many read-only addresses an account may have. */
export const MAX_ADDRESSES = 20;

/**
 * Makes a read-only address. Its token is not stored, and cannot be shown again.
 *
 * @returns undefined if the account has the maximum number of addresses, or no longer exists
 */
export async function makeAddress(
  sql: Sql,
  account: string,
  fields: Required<Pick<Key, 'address' | 'name'>>,
  actor: Actor,
) {
  const isFull = (await addressesOf(sql, account)).length >= MAX_ADDRESSES;
  if (isFull || !(await accountById(sql, account))) return undefined;
  const { token, ...name } = createToken(ADDRESS_MARK);
  const { address, name: text } = fields;
  const { key } = await insertNew(sql, name, account, { address, ...(text !== '' && { name: text }) });
  await recordChange(sql, { account, event: 'address.made', about: name.prefix, actor });
  return { token, record: key };
}

/** @param owner its account; undefined for the operator @returns the removed address; undefined if there is none */
export async function removeAddress(
  sql: Sql,
  prefix: string,
  owner: string | undefined,
  actor: Actor,
): Promise<Key | undefined> {
  const issued = await keyOfPrefix(sql, prefix);
  if (issued?.key.address === undefined || (owner !== undefined && issued.account.id !== owner))
    return undefined;
  await sql.run('DELETE FROM keys WHERE prefix = $1', [prefix]);
  await changeRevision(sql);
  await recordChange(sql, { account: issued.account.id, event: 'address.revoked', about: prefix, actor });
  return issued.key;
}
