import type { Counters, Limits } from '../quota/counters.ts';

/** What an account may do: the tiers of the HTTP contract. */
export type Tier = 'free' | 'pro';

/** One person or project, known by one e-mail address. Tier and quota are the account's, not its keys'. */
export interface Account {
  id: string;
  /** As `readEmail` gives it, so that one address is one account. */
  email: string;
  tier: Tier;
  /** When Pro ends, ISO 8601 UTC; null with Pro means that it does not end, and it is always null with free. */
  pro_until: string | null;
  /** ISO 8601 UTC. */
  created_at: string;
}

/** One key of an account. The key itself is never kept, only its SHA-256. */
export interface Key {
  /** `gdr_` and 8 characters; names one key of the store. */
  prefix: string;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  hash: string;
  /** The id of the account that it belongs to. */
  account: string;
  /** ISO 8601 UTC. */
  created_at: string;
  /** From when on the key is refused, ISO 8601 UTC; in the future for one that was rotated, null for one without an end. */
  revoked_at: string | null;
}

/** A key together with the account that it belongs to. */
export interface IssuedKey {
  key: Key;
  account: Account;
}

/** The tier that an account is given. */
export type Grant = Pick<Account, 'tier' | 'pro_until'>;

/** What is needed to issue a key: what `createKey` and `readEmail` give, and what it shall be good for. */
export interface IssueRequest {
  email: string;
  prefix: string;
  hash: string;
  /** Sets the account's tier; without it an account keeps its tier, and a new one is free. */
  grant?: Grant;
  /** The prefix of a key of the same account that ends at a time, in ms since 1970, unless it ends before. */
  replaces?: { prefix: string; at: number };
  /** Milliseconds since 1970. */
  now: number;
}

/** An account with all of its keys, the oldest first. */
export interface AccountRecord {
  account: Account;
  keys: Key[];
}

/** What an account has used, and the store's time of it. */
export interface Reading {
  counters: Counters;
  /** Milliseconds since 1970, by the one clock that all gateways on the store count by. */
  at: number;
}

/** What became of a request that was to be counted. */
export interface Admission extends Reading {
  /** Whether it was counted; false when a cap is reached. */
  admitted: boolean;
}

/**
 * The port that keys, accounts and quotas live behind. A driver is a plain object with these methods; each is one
 * transaction (counters may be another beside it), is safe among several processes, and what it wrote of keys and accounts is durable when its promise resolves.
 * A write by another process is seen by the next call. A store that cannot do its work rejects with a `StoreError`; those
 * methods that a request waits for do so soon.
 */
export interface Store {
  /** Finds a key, revoked ones included, by its SHA-256. A request may wait for it. */
  findKey(hash: string): Promise<IssuedKey | undefined>;
  /**
   * Another text each time that something which `findKey` may have told has changed: a key was revoked, an account got
   * another tier or was deleted. At most half a second late while the store answers. Costs next to nothing.
   *
   * @throws StoreError when it cannot be read
   */
  revision(): string;
  /** Finds a key, revoked ones included, by its prefix. */
  keyByPrefix(prefix: string): Promise<IssuedKey | undefined>;
  /** Lists every key, the oldest first. */
  listKeys(): Promise<IssuedKey[]>;
  /** Finds an account with its keys by its address as `readEmail` gives it. */
  accountByEmail(email: string): Promise<AccountRecord | undefined>;
  /**
   * Adds a key, and the account where the address has none.
   *
   * @returns undefined, and nothing is changed, when the prefix is in use: issue another key
   */
  issueKey(request: IssueRequest): Promise<IssuedKey | undefined>;
  /**
   * Gives an account another tier.
   *
   * @returns undefined when the address has no account
   */
  grantTier(email: string, grant: Grant): Promise<Account | undefined>;
  /**
   * Revokes a key for ever. A key that is revoked already keeps the time of its first revocation.
   *
   * @param now milliseconds since 1970
   * @returns the revoked key; undefined when the prefix is unknown
   */
  revokeKey(prefix: string, now: number): Promise<IssuedKey | undefined>;
  /**
   * Deletes an account with its keys and counters.
   *
   * @returns whether there was such an account
   */
  deleteAccount(email: string): Promise<boolean>;
  /** Counts a request of an account, by its id, unless a cap is reached. A request waits for it. */
  countRequest(account: string, limits: Limits): Promise<Admission>;
  /**
   * Takes back a request that was counted.
   *
   * @param at what its admission told
   */
  uncountRequest(account: string, at: number): Promise<Reading>;
  /** Tells what an account has used, by its id. A request may wait for it. */
  readCounters(account: string): Promise<Reading>;
  /** Resolves when the store answers. A request may wait for it. */
  ping(): Promise<void>;
  /** Waits for what is being written and closes the store; closing it again does nothing. */
  close(): Promise<void>;
}

/** A store that cannot be opened, read or written; the message is one line and says what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/**
 * Tells the tier that an account has at a time: Pro until `pro_until`, free from that moment on.
 *
 * @param now milliseconds since 1970
 */
export function tierAt(account: Grant, now: number): Tier {
  if (account.tier !== 'pro' || account.pro_until === null) return account.tier;
  return now < Date.parse(account.pro_until) ? 'pro' : 'free';
}

/**
 * Tells whether a key has ended at a time.
 *
 * @param now milliseconds since 1970
 */
export function isRevoked({ revoked_at }: Key, now: number): boolean {
  return revoked_at !== null && Date.parse(revoked_at) <= now;
}

/** Orders keys by age, the oldest first. */
export function compareAge(a: Key, b: Key): number {
  const age = ({ created_at, prefix }: Key) => `${created_at} ${prefix}`;
  return age(a) < age(b) ? -1 : 1;
}
