import { hash } from 'node:crypto';
import { countOf } from '../lib/count-of.ts';
import type { Finding } from './findings.ts';

/** The maximum number of findings kept for each check and file, and of causes for each check. After correcting these, a maintainer runs the check again. */
const MAX_KEPT = 20;

/** Of findings with one cause, these are listed. If there are more, only the first is. */
const MAX_OF_CAUSE = 3;

/** The first findings of a check in a file, or of one cause, and the number of further ones. */
interface Group {
  kept: Finding[];
  more: number;
}

/**
 * Collects findings in little memory: for each check and file, or for each cause, it keeps the first ones and counts the others. Equal
 * findings, which come from builds that share a file, count once.
 */
export class BoundedFindings {
  readonly #groups = new Map<string, Group>();
  /** How many causes each check has, and the group of the last of them. */
  readonly #causes = new Map<string, { count: number; last: Group }>();
  /** The fingerprints of all findings so far; a number uses a tenth of the memory of a finding. */
  readonly #known = new Set<number>();
  /** The fingerprints of what follows from findings, by theirs. */
  readonly #following = new Map<number, Set<number>>();
  readonly #whole: BoundedFindings | undefined;

  /** @param whole also receives everything that is added to this one */
  constructor(whole?: BoundedFindings) {
    this.#whole = whole;
  }

  add(...lists: Iterable<Finding>[]): void {
    for (const list of lists) for (const finding of list) this.#add(finding);
  }

  /** Counts findings that follow from a listed one, and does not list them. */
  addFollowing({ more: _, ...cause }: Finding, following: readonly Finding[]): void {
    if (following.length === 0) return;
    const identity = fingerprint(cause);
    const known = this.#following.get(identity) ?? new Set();
    for (const finding of following) known.add(fingerprint(finding));
    this.#following.set(identity, known);
  }

  /** Returns the kept findings by check and file; the last one of each has the number of further ones as `more`. */
  list(): Finding[] {
    return [...this.#groups.values()].flatMap(({ kept, more }) => {
      const described = kept.map((finding) => this.#withFollowing(finding));
      const last = described.pop();
      return last === undefined || more === 0 ? [...described, ...(last ? [last] : [])] : [...described, { ...last, more }];
    });
  }

  #withFollowing(finding: Finding): Finding {
    const following = this.#following.get(fingerprint(finding))?.size ?? 0;
    if (following === 0) return finding;
    const found = `${finding.found}; ${countOf(following, 'finding')} that it causes: not listed`;
    return { ...finding, found };
  }

  #add({ more = 0, ...finding }: Finding): void {
    this.#whole?.add([{ ...finding, more }]);
    const identity = fingerprint(finding);
    if (this.#known.has(identity)) return;
    this.#known.add(identity);
    const group = this.#groupOf(finding);
    const isKept = group.kept.length < MAX_KEPT && (finding.cause === undefined || group.more === 0);
    if (isKept) group.kept.push(finding);
    group.more += more + (isKept ? 0 : 1);
    if (finding.cause === undefined || group.kept.length <= MAX_OF_CAUSE) return;
    group.more += group.kept.length - 1;
    group.kept.length = 1;
  }

  #groupOf({ severity, check, place, cause }: Finding): Group {
    const name = JSON.stringify([severity, check, cause ?? place.file, cause === undefined]);
    const known = this.#groups.get(name);
    if (known) return known;
    const causes = cause === undefined ? undefined : this.#causes.get(severity + check);
    if (causes && causes.count >= MAX_KEPT) return causes.last;
    const group: Group = { kept: [], more: 0 };
    this.#groups.set(name, group);
    if (cause !== undefined) this.#causes.set(severity + check, { count: (causes?.count ?? 0) + 1, last: group });
    return group;
  }
}

/** 48 bits: among a million findings, the chance that two have the same fingerprint is 0.2 %. */
function fingerprint(finding: Finding): number {
  return Number.parseInt(hash('sha1', JSON.stringify(finding)).slice(0, 12), 16);
}
