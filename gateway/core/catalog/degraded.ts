/** A part of the data that is not served in its newest state. */
export interface Degraded {
  /** The slug of the game; undefined if it is not about one game. */
  game: string | undefined;
  /** What is wrong, what is served meanwhile, and what to do: one line for operators. */
  problem: string;
  /** Since when: ISO 8601 in UTC. */
  since: string;
}

/** A part, as reported by its observer. */
export type DegradedPart = Pick<Degraded, 'game' | 'problem'>;

/** Collects what is degraded, for a status page. Each observer replaces its own parts only. */
export class DegradedParts {
  readonly #now: () => number;
  readonly #byObserver = new Map<string, Degraded[]>();

  /** @param now ms since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** All parts, in the order of their games' slugs. */
  get list(): readonly Degraded[] {
    const all = [...this.#byObserver.values()].flat();
    return all.sort((a, b) => ((a.game ?? '') < (b.game ?? '') ? -1 : 1));
  }

  /** Replaces the parts that an observer reports; a part that it reported before keeps its time. */
  set(observer: string, parts: readonly DegradedPart[]): void {
    const previous = this.#byObserver.get(observer) ?? [];
    const since = new Date(this.#now()).toISOString();
    const next = parts.map(({ game, problem }) => {
      const before = previous.find((part) => part.game === game && part.problem === problem);
      return before ?? { game, problem, since };
    });
    if (next.length > 0) this.#byObserver.set(observer, next);
    else this.#byObserver.delete(observer);
  }
}
