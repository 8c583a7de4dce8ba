/** The tiers of the HTTP contract. */
export type Tier = 'free' | 'pro';

/** A person or project, identified by an email address. Tier and quota belong to the account, not to its keys. */
export interface Account {
  id: string;
  /** As `readEmail` returns it, so that each address has only one account. */
  email: string;
  /** The better of the operator's grant and that of its memberships. */
  tier: Tier;
  /** When Pro ends, ISO 8601 UTC; null if it does not end, and always null for free. */
  pro_until: string | null;
  /** ISO 8601 UTC. */
  created_at: string;
  /** The name of its counters. Accounts whose email addresses count as one share it, and one that is deleted and created again keeps it. */
  counted_as: string;
}

/** The tier that an account is granted, and until when. */
export type Grant = Pick<Account, 'tier' | 'pro_until'>;

/** A key of an account. The store holds only its SHA-256. */
export interface Key {
  /** `gdr_` and 8 characters; unique in the store. */
  prefix: string;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  hash: string;
  /** The id of the account. */
  account: string;
  /** ISO 8601 UTC. */
  created_at: string;
  /** When the key stops working, ISO 8601 UTC: in the future after a rotation or if it expires, null if it does not end. Only this is checked. */
  revoked_at: string | null;
  /** The name that its holder gave it. */
  name?: string;
  /** When it was set to expire, ISO 8601 UTC; `revoked_at` is the same or earlier. */
  expires_at?: string;
  /** Only for browser keys. */
  browser?: BrowserTerms;
  /** The id of the session with which the key ends. Such a key does not count as one of the account's keys. */
  session?: string;
  /** Only for read-only addresses: the token in the path replaces the key. It does not count as one of the account's keys. */
  address?: AddressTerms;
}

/** The data that a read-only address serves. */
export interface AddressTerms {
  /** The slug of its game. */
  game: string;
  /** The only query that it serves, such as `characters.csv?element=Pyro`; without it, all rows of the game. */
  query?: string;
}

/** What a browser key is bound to. Every visitor of a page can read the key, so it is not a secret and does not prove who sent it. */
export interface BrowserTerms {
  /** The origins of the pages that may use it, as `readOrigins` returns them. */
  origins: readonly string[];
  /** The chosen limits on its requests, in addition to those of its account; `limitsOf` returns those that apply. */
  limits?: Limits;
}

/** A key and its account. */
export interface IssuedKey {
  key: Key;
  account: Account;
}

/** @param now ms since 1970 */
export function tierAt(account: Grant, now: number): Tier {
  if (account.tier !== 'pro' || account.pro_until === null) return account.tier;
  return now < Date.parse(account.pro_until) ? 'pro' : 'free';
}

/**
 * Returns whether a key no longer works at a time.
 *
 * @param now milliseconds since 1970
 */
export function isRevoked({ revoked_at }: Key, now: number): boolean {
  return revoked_at !== null && Date.parse(revoked_at) <= now;
}

/** Returns whether a key has an end because it was revoked or replaced, not because it expires. */
export function isEnding({ revoked_at, expires_at }: Key): boolean {
  return revoked_at !== null && revoked_at !== expires_at;
}

/** Returns whether others may know a key: true for a read-only address, and for a browser key, except that of a session. */
export function isPublic({ browser, session, address }: Key): boolean {
  return address !== undefined || (browser !== undefined && session === undefined);
}

/** What a tier has: how long after its release a build becomes visible, and the limits on the requests of an account, if any. */
export const TIERS: Record<Tier, { delayHours: number; limits: Limits | null }> = {
  free: { delayHours: 24, limits: { minute: 10, day: 200 } },
  pro: { delayHours: 0, limits: null },
};

/** Returns the own limits of a public key: at most half of the account's, so that the account's other keys always have the rest. */
export function limitsOf(key: Key, tier: Tier): Limits | undefined {
  const of = TIERS[tier].limits;
  const own = key.browser?.limits;
  if (of === null || !isPublic(key)) return own;
  const { minute, day } = own ?? of;
  return { minute: Math.min(minute, of.minute / 2), day: Math.min(day, of.day / 2) };
}

/** The key and account of a request, and the account's tier at that time. */
export interface Caller extends IssuedKey {
  tier: Tier;
}

/** The path below which all read-only addresses are. */
export const ADDRESSES = '/t';

/** Returns the path and query of a read-only address; for a whole game, that of its roster as CSV. */
export function addressPath(token: string, { game, query = 'characters.csv' }: AddressTerms): string {
  return `${ADDRESSES}/${token}/${game}/${query}`;
}

/** Returns whether an address serves a request. @param asked the rest of the path after the game, with the query string */
export function servesQuery(terms: AddressTerms, game: string, asked: string): boolean {
  const { query } = terms;
  if (terms.game !== game) return false;
  return query === undefined || query === asked || inOneForm(query) === inOneForm(asked);
}

/** Normalises the percent-encoding, because clients differ: `[` or `%5B`. */
function inOneForm(query: string): string {
  const [rows, ...search] = query.split('?');
  return `${rows}?${new URLSearchParams(search.join('?'))}`;
}

export function describeTerms({ game, query }: AddressTerms): string {
  return query === undefined ? `all rows of ${game}` : `${game}/${query}`;
}

/** The limits of a tier on the requests of an account. */
export interface Limits {
  /** Requests in any 60 seconds. */
  minute: number;
  /** Requests in a UTC day. */
  day: number;
}

/** The requests of an account that count against its limits, as the store holds them. */
export interface Counters {
  /** When the requests of the last 60 seconds were admitted, ms since 1970, ascending. */
  times: readonly number[];
  /** The UTC day that `count` belongs to, in days since 1970. */
  day: number;
  /** How many requests were admitted on that day. */
  count: number;
}

/** The use of one limit. */
export interface WindowUsage {
  used: number;
  remaining: number;
  /** When `remaining` next grows, ms since 1970; null if nothing is used. */
  resetsAt: number | null;
}

export type Usage = Record<keyof Limits, WindowUsage>;

/** The length of the sliding window. A request leaves it exactly this long after it was admitted. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, in days since 1970. @param time ms since 1970 */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The counters of an account without requests. */
export const UNUSED: Counters = { times: [], day: 0, count: 0 };

/**
 * Removes the requests that have left their window. If the clock was set back, requests with a future time count as admitted now, so that no client
 * waits longer than a window. If it was set back over midnight, the day continues: no account gets a day twice.
 *
 * @param now ms since 1970
 */
export function countersAt({ times, day, count }: Counters, now: number): Counters {
  const today = dayOf(now);
  const recent: number[] = [];
  for (const time of times)
    if (now - time < MINUTE_MS && time - now <= MINUTE_MS) recent.push(Math.min(time, now));
  const isSetBack = day === today + 1 && count > 0;
  return { times: recent, day: isSetBack ? day : today, count: day < today ? 0 : count };
}

/**
 * Returns whether a limit is reached.
 *
 * @param counters from `countersAt`
 */
export function isSpent({ times, count }: Counters, limits: Limits): boolean {
  return times.length >= limits.minute || count >= limits.day;
}

/** Adds requests by their times, without checking the limits. @param now ms since 1970 */
export function addTimes(before: Counters, added: readonly number[], now: number): Counters {
  const { times, day, count } = countersAt(before, now);
  const recent = added.filter((time) => now - time < MINUTE_MS);
  const onDay = added.filter((time) => dayOf(time) === day);
  return { times: [...times, ...recent].sort((a, b) => a - b), day, count: count + onDay.length };
}

/**
 * Removes a request that was counted at most a minute ago.
 *
 * @param counters from `countersAt` for now
 * @param at when it was admitted, ms since 1970; the store may have counted it a little later
 */
export function uncountRequest(counters: Counters, at: number): Counters {
  const { times, day, count } = counters;
  const index = times.findIndex((time) => time >= at);
  if (index === -1) return counters;
  const isToday = dayOf(times[index] as number) === day;
  return { times: times.toSpliced(index, 1), day, count: isToday ? count - 1 : count };
}

/** @param counters from `countersAt` for the same time */
export function describeUsage({ times, day, count }: Counters, limits: Limits): Usage {
  // After a limit was lowered, there can be more requests than it allows: the later ones must leave the window too.
  const first = times[Math.max(0, times.length - limits.minute)];
  return {
    minute: {
      used: times.length,
      remaining: Math.max(0, limits.minute - times.length),
      resetsAt: first === undefined ? null : first + MINUTE_MS,
    },
    day: {
      used: count,
      remaining: Math.max(0, limits.day - count),
      resetsAt: count === 0 ? null : (day + 1) * DAY_MS,
    },
  };
}
