import type { Tier } from './account.ts';
import type { Limits } from './counters.ts';

/** What a tier gets. */
export interface TierTerms {
  /** How long after its release a build becomes visible, in hours. */
  delayHours: number;
  /** The caps on the requests of an account, all its keys together; null for none. */
  limits: Limits | null;
}

/** The terms of every tier. */
export const TIERS: Record<Tier, TierTerms> = {
  free: { delayHours: 24, limits: { minute: 10, day: 200 } },
  pro: { delayHours: 0, limits: null },
};
