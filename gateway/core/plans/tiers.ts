import type { Tier } from './account.ts';
import type { Limits } from './counters.ts';

/** What one tier gets. */
export interface TierTerms {
  /** How long after its release a build becomes visible, in hours. */
  delayHours: number;
  /** The caps on an account's requests, with all of its keys together; null for no caps. */
  limits: Limits | null;
}

/** What each tier gets. */
export const TIERS: Record<Tier, TierTerms> = {
  free: { delayHours: 24, limits: { minute: 10, day: 200 } },
  pro: { delayHours: 0, limits: null },
};
