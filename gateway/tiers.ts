import type { Tier } from './store/store.ts';

/** What a tier gets. */
export interface TierTerms {
  /** How long after its release a build becomes visible, in hours. */
  delayHours: number;
  /** The caps on requests; null for none. */
  limits: null;
}

/** The terms of every tier. */
export const TIERS: Record<Tier, TierTerms> = {
  free: { delayHours: 0, limits: null },
  pro: { delayHours: 0, limits: null },
};
