import {
  addNewKey,
  type KeyChange,
  type KeyFields,
  revoke,
  withAccount,
} from '../../store/accounts/accounts.ts';
import { changeKey, KEYS, keyOfPrefix, recordKeyEvent } from '../../store/accounts/keys.ts';
import {
  type Account,
  type BrowserTerms,
  type IssuedKey,
  isEnding,
  isRevoked,
  type Key,
} from '../../access/account.ts';
import type { Transaction } from '../../store/transaction.ts';
import { keysOf } from '../../lists/lists.ts';
import { latestBrowserEnd } from './browser-terms.ts';

/** What to set for a key: a value, or null to remove it; what is not given stays. */
export interface KeyOptions {
  /** As `readKeyName` returns it. */
  name?: string | null;
  /** ms since 1970. */
  expires?: number | null;
  /** As `readNetworks` returns them. */
  networks?: readonly string[] | null;
  /** As `readBrowserTerms` returns them. A key is a browser key from the start, or never. */
  browser?: BrowserTerms | null;
}

/** The maximum length of a key's name, in characters. */
export const MAX_NAME_CHARS = 60;
/** A longer text is not normalised: that can take the square of its length. */
const MAX_TYPED_CHARS = 10 * MAX_NAME_CHARS;
/** How many keys of an account may be due to end after rotations. */
export const MAX_ENDING = 5;
/** Control and format characters, lone surrogates, and line ends. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Reads the name of a key.
 *
 * @returns the name, which may be empty; undefined if it has more than 60 characters, or some that cannot be seen
 */
export function readKeyName(text: string): string | undefined {
  if (text.length > MAX_TYPED_CHARS) return undefined;
  const name = text.trim().normalize('NFC');
  return [...name].length > MAX_NAME_CHARS || UNPRINTABLE.test(name) ? undefined : name;
}

/** Returns options as a key's record has them. */
export function keyFields({ name, expires, networks, browser }: KeyOptions): KeyFields {
  return {
    ...(name && { name }),
    ...(typeof expires === 'number' && { expires_at: new Date(expires).toISOString() }),
    ...(networks && networks.length > 0 && { networks }),
    ...(browser && { browser }),
  };
}

/**
 * Sets options of a key that has not ended. An expiry does not extend a key that was revoked or replaced.
 *
 * @returns the key; undefined if the prefix is unknown or the key has ended
 */
export async function setKeyOptions(
  transaction: Transaction,
  prefix: string,
  options: KeyOptions,
  { now, ...who }: KeyChange,
): Promise<Key | undefined> {
  const before = await keyOfPrefix(transaction, prefix);
  if (before === undefined || isRevoked(before, now)) return undefined;
  const { name, expires_at, networks, browser, ...fixed } = before;
  const expires = expires_at === undefined ? null : Date.parse(expires_at);
  const keyOptions = { name: name ?? null, networks: networks ?? null, browser: browser ?? null, expires };
  const fields = keyFields({ ...keyOptions, ...options });
  const key = changeKey(transaction, { ...fixed, ...fields, revoked_at: endOf(before, fields.expires_at) });
  await recordKeyEvent(transaction, { kind: 'changed', key, ...who, at: now });
  return key;
}

function endOf(key: Key, expires_at: string | undefined): string | null {
  const ends = [isEnding(key) ? key.revoked_at : null, expires_at ?? null].filter((end) => end !== null);
  return ends.sort()[0] ?? null;
}

/**
 * Revokes a key for a client that sent it, unless it is a browser key, which everyone can read.
 *
 * @param hash SHA-256 of the key
 * @returns `revoked`, `unknown` if the key did not work before, or `browser key`
 */
export async function revokeHeldKey(
  transaction: Transaction,
  hash: string,
  change: KeyChange,
): Promise<'revoked' | 'unknown' | 'browser key'> {
  const key = await transaction.get(KEYS, hash);
  if (key === undefined || isRevoked(key, change.now)) return 'unknown';
  if (key.browser !== undefined) return 'browser key';
  await revoke(transaction, key.prefix, change);
  return 'revoked';
}

/** A key in place of another. */
export interface Rotation {
  /** The new key, which cannot be shown again. */
  key: string;
  issued: IssuedKey;
  /** The old key, with its end. */
  replaced: Key;
}

/**
 * Replaces a key by a new one with the same name, networks and origins. If the old one expires, the new one lasts as long.
 *
 * @param keep for how long the old key continues to work, in ms
 * @returns undefined if the key is unknown or has ended
 */
export async function rotate(
  transaction: Transaction,
  prefix: string,
  { keep, now, ...who }: KeyChange & { keep: number },
): Promise<Rotation | undefined> {
  const ownedKey = await withAccount(transaction, await keyOfPrefix(transaction, prefix));
  if (ownedKey === undefined || isRevoked(ownedKey.key, now)) return undefined;
  const { key: old, account } = ownedKey;
  const { name, networks, browser } = old;
  const expires = endOfNew(old, now);
  const { key, issued } = await addNewKey(transaction, {
    email: account.email,
    replaces: { prefix, at: now + keep },
    options: keyFields({ name: name ?? null, networks: networks ?? null, browser: browser ?? null, expires }),
    ...who,
    now,
  });
  return { key, issued, replaced: (await keyOfPrefix(transaction, prefix)) ?? old };
}

/** Returns when the key that replaces another ends, ms since 1970; null if the other has no end. */
function endOfNew({ expires_at, created_at, browser }: Key, now: number): number | null {
  if (expires_at === undefined) return null;
  const end = now + Date.parse(expires_at) - Date.parse(created_at);
  return browser ? Math.min(end, latestBrowserEnd(now)) : end;
}

/**
 * Returns whether a key of an account may be rotated: not if too many of its keys are due to end.
 *
 * @param now ms since 1970
 */
export async function mayRotate(transaction: Transaction, account: Account, now: number): Promise<boolean> {
  const keys = await keysOf(transaction, account);
  return keys.filter((key) => isEnding(key) && !isRevoked(key, now)).length < MAX_ENDING;
}
