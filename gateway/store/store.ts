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
  /** ISO 8601 UTC; null while the key is good. */
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
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * The port that keys and accounts live behind. A driver is a plain object with these methods; each is one
 * transaction, is safe among several processes, and what it wrote is durable when its promise resolves. A write by
 * another process is seen by the next call. A store that cannot do its work rejects with a `StoreError`.
 */
export interface Store {
  /** Finds a key, revoked ones included, by its SHA-256. Called on every request. */
  findKey(hash: string): Promise<IssuedKey | undefined>;
  /** Finds a key, revoked ones included, by its prefix. */
  keyByPrefix(prefix: string): Promise<IssuedKey | undefined>;
  /** Lists every key, the oldest first. */
  listKeys(): Promise<IssuedKey[]>;
  /** Finds an account by its address as `readEmail` gives it. */
  accountByEmail(email: string): Promise<Account | undefined>;
  /**
   * Adds a key, and the account where the address has none.
   *
   * @returns undefined, and nothing is changed, when the prefix is in use: issue another key
   */
  issueKey(request: IssueRequest): Promise<IssuedKey | undefined>;
  /**
   * Revokes a key for ever. A key that is revoked already keeps the time of its first revocation.
   *
   * @param now milliseconds since 1970
   * @returns the revoked key; undefined when the prefix is unknown
   */
  revokeKey(prefix: string, now: number): Promise<IssuedKey | undefined>;
  /**
   * Deletes an account and all of its keys.
   *
   * @returns whether there was such an account
   */
  deleteAccount(email: string): Promise<boolean>;
  /** Resolves when the store answers. */
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
