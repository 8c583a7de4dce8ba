import type { Incoming } from '../http/incoming.ts';
import { bucketOf, type Histogram, newHistogram } from './histogram.ts';

/** The responses of one route. */
export interface RouteTraffic {
  /** The route's path with `:name` for parameters; `none` for unknown addresses, `page` for pages' files, and `invalid` for what is not a valid request. */
  route: string;
  /** How many responses there were, by `TIERS.indexOf(tier) * STATUSES + status`. */
  counts: Float64Array;
  durations: Histogram;
}

/** The tiers of callers. `none`: without a valid key, or on a route that needs none. */
export const TIERS = ['none', 'free', 'pro'] as const;
/** One more than the highest status. */
export const STATUSES = 600;
/** Upper bounds of the durations of responses, in seconds. */
export const DURATION_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const NONE = 'none';

/** Counts responses by route, tier and status in arrays. This is the only cost of metrics for a request. */
export class Traffic {
  readonly #routes = new Map<string, RouteTraffic>();

  /** What was counted, by route. */
  get routes(): Iterable<RouteTraffic> {
    return this.#routes.values();
  }

  /** Counts a response. It is a `ResponseObserver`. */
  readonly observe = (
    { pattern = NONE, tier }: Pick<Incoming, 'pattern' | 'tier'>,
    status: number,
    ms: number,
  ): void => {
    const route = this.#routes.get(pattern) ?? this.#add(pattern);
    const at = tierIndex(tier) * STATUSES + status;
    route.counts[at] = (route.counts[at] ?? 0) + 1;
    const { counts } = route.durations;
    const seconds = ms / 1000;
    const bucket = bucketOf(DURATION_BOUNDS, seconds);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    route.durations.sum += seconds;
  };

  /** Patterns come from the route table, so there are few. */
  #add(route: string): RouteTraffic {
    const added = {
      route,
      counts: new Float64Array(TIERS.length * STATUSES),
      durations: newHistogram(DURATION_BOUNDS),
    };
    this.#routes.set(route, added);
    return added;
  }
}

function tierIndex(tier: string | undefined): number {
  return tier === undefined ? 0 : tier === 'free' ? 1 : 2;
}
