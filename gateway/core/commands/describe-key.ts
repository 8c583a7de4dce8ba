import { type IssuedKey, isEnding, type Tier, tierAt } from '../plans/account.ts';
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
