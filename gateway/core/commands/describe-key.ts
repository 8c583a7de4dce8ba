import type { KeyUse } from '../../shared/key-uses/key-uses.ts';
import { type BrowserTerms, type IssuedKey, isEnding, type Tier, tierAt } from '../plans/account.ts';
import type { Limits } from '../plans/counters.ts';

/** The description of a key; `tier` is the tier that its requests get now. */
export interface KeyReport {
  prefix: string;
  email: string;
  tier: Tier;
  pro_until: string | null;
  created_at: string;
  /** When it was revoked, or ends after a rotation. */
  revoked_at: string | null;
  name: string | null;
  /** When it was set to expire. */
  expires_at: string | null;
  /** From which networks it may be used; null for all. */
  networks: readonly string[] | null;
  /** What a browser key is bound to; null for every other key. */
  browser: { origins: readonly string[]; limits: Limits | null } | null;
}

/** How a key was used. */
export interface KeyUseReport {
  /** The hour of its last use. */
  last_used_at: string | null;
  /** The network of its last use. */
  last_network: string | null;
  /** UTC day → requests. */
  requests: Record<string, number>;
}

/** Describes a key and its account. */
export function describeKey({ key, account }: IssuedKey, now: number): KeyReport {
  return {
    prefix: key.prefix,
    email: account.email,
    tier: tierAt(account, now),
    pro_until: account.pro_until,
    created_at: key.created_at,
    revoked_at: isEnding(key) ? key.revoked_at : null,
    name: key.name ?? null,
    expires_at: key.expires_at ?? null,
    networks: key.networks ?? null,
    browser: key.browser ? { origins: key.browser.origins, limits: key.browser.limits ?? null } : null,
  };
}

/** Describes what a browser key is bound to, in words. */
export function describeTerms(terms: BrowserTerms | undefined): string | undefined {
  if (terms === undefined) return undefined;
  const { origins, limits } = terms;
  const caps = limits ? `, ${limits.minute} requests in 60 seconds, ${limits.day} in a UTC day` : '';
  return `${origins.join(', ')}${caps}`;
}

/** Describes a key with its account and use. */
export function describeUsedKey(
  issued: IssuedKey,
  use: KeyUse | undefined,
  now: number,
): KeyReport & KeyUseReport {
  const used = { last_used_at: use?.at ?? null, last_network: use?.network ?? null };
  return { ...describeKey(issued, now), ...used, requests: use?.days ?? {} };
}

/** Returns how many requests carried a key today. */
export function requestsToday({ requests }: KeyUseReport, now: number): number {
  return requests[new Date(now).toISOString().slice(0, '2030-05-01'.length)] ?? 0;
}
