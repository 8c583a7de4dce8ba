import { hash } from 'node:crypto';
import type { Finding } from './findings.ts';

/** How many findings of a check are kept of a file: who has mended these runs the check again. */
const MOST_KEPT = 20;

/** The findings of a check in a file: the first ones, and how many there are beyond them. */
interface Group {
  kept: Finding[];
  more: number;
}

/**
 * Gathers findings in little memory: of each check in each file the first ones whole, of all others the number. A finding that comes
 * again (builds share files, and so what is wrong with them) counts once.
 */
export class BoundedFindings {
  readonly #groups = new Map<string, Group>();
  /** Of all findings so far; a number takes a tenth of the memory of what it stands for. */
  readonly #known = new Set<number>();
  readonly #whole: BoundedFindings | undefined;

  /** @param whole gathers all that this one does */
  constructor(whole?: BoundedFindings) {
    this.#whole = whole;
  }

  add(...lists: Iterable<Finding>[]): void {
    for (const list of lists) for (const finding of list) this.#add(finding);
  }

  /** The findings kept, by check and file; the last one of each says how many `more` there are. */
  list(): Finding[] {
    return [...this.#groups.values()].flatMap(({ kept, more }) =>
      more === 0 ? kept : [...kept.slice(0, -1), { ...(kept.at(-1) as Finding), more }],
    );
  }

  #add({ more = 0, ...finding }: Finding): void {
    this.#whole?.add([{ ...finding, more }]);
    const identity = fingerprint(finding);
    if (this.#known.has(identity)) return;
    this.#known.add(identity);
    const name = JSON.stringify([finding.severity, finding.check, finding.place.file]);
    const group = this.#groups.get(name) ?? { kept: [], more: 0 };
    this.#groups.set(name, group);
    group.more += more;
    if (group.kept.length < MOST_KEPT) group.kept.push(finding);
    else group.more++;
  }
}

/** 48 bits, so that among a million findings two are taken for one with a chance of 0.2 %. */
function fingerprint(finding: Finding): number {
  return Number.parseInt(hash('sha1', JSON.stringify(finding)).slice(0, 12), 16);
}
