import { hash } from 'node:crypto';
import { countOf } from '../lib/count-of.ts';
import type { Finding } from './findings.ts';

/** The maximum number of findings kept for each check and file. After correcting these, a maintainer runs the check again. */
const MAX_KEPT = 20;

/** Of findings with one cause, these are listed. If there are more, only the first is. */
const MAX_OF_CAUSE = 3;

/** The findings of a check in a file: the first ones, and the number of further ones. */
interface Group {
  kept: Finding[];
  more: number;
  /** The first finding of each cause, and how many there are. */
  causes: Map<string, { first: Finding; count: number }>;
}

/**
 * Collects findings in little memory: for each check and file, it keeps the first ones and counts the others; of those with one cause, it keeps
 * the first. Equal findings, which come from builds that share a file, count once.
 */
export class BoundedFindings {
  readonly #groups = new Map<string, Group>();
  /** The fingerprints of all findings so far; a number uses a tenth of the memory of a finding. */
  readonly #known = new Set<number>();
  readonly #whole: BoundedFindings | undefined;
  /** What follows from findings, by their fingerprints. */
  readonly #following = new Map<number, Set<number>>();

  /** @param whole also receives everything that is added to this one */
  constructor(whole?: BoundedFindings) {
    this.#whole = whole;
  }

  add(...lists: Iterable<Finding>[]): void {
    for (const list of lists) for (const finding of list) this.#add(finding);
  }

  /** Counts findings that follow from a listed one, and does not list them. */
  addFollowing(cause: Finding, following: readonly Finding[]): void {
    const identity = fingerprint(withoutMore(cause));
    const causes = this.#following.get(identity) ?? new Set();
    for (const finding of following) causes.add(fingerprint(finding));
    if (causes.size > 0) this.#following.set(identity, causes);
  }

  /** Returns the kept findings by check and file; the last one of each has the number of further ones as `more`. */
  list(): Finding[] {
    const findings = [...this.#groups.values()].flatMap(listGroup);
    return this.#following.size === 0 ? findings : findings.map((finding) => this.#withFollowing(finding));
  }

  #withFollowing(finding: Finding): Finding {
    const following = this.#following.get(fingerprint(withoutMore(finding)))?.size ?? 0;
    if (following === 0) return finding;
    return {
      ...finding,
      found: `${finding.found}; ${countOf(following, 'finding')} that it causes: not listed`,
    };
  }

  #add({ more = 0, ...finding }: Finding): void {
    this.#whole?.add([{ ...finding, more }]);
    const identity = fingerprint(finding);
    if (this.#known.has(identity)) return;
    this.#known.add(identity);
    const { severity, check, place, cause } = finding;
    const name = JSON.stringify([severity, check, ...(cause === undefined ? [place.file] : [])]);
    const group: Group = this.#groups.get(name) ?? { kept: [], more: 0, causes: new Map() };
    this.#groups.set(name, group);
    if (cause === undefined) group.more += more;
    if (cause !== undefined && countCause(group, cause, finding, 1 + more) > MAX_OF_CAUSE) return;
    if (group.kept.length < MAX_KEPT) group.kept.push(finding);
    else if (cause === undefined) group.more++;
  }
}

/** Counts a finding of a cause, and returns how many there are now. */
function countCause({ causes }: Group, cause: string, finding: Finding, count: number): number {
  const entry = causes.get(cause) ?? { first: finding, count: 0 };
  entry.count += count;
  causes.set(cause, entry);
  return entry.count;
}

/** The findings of a group that are listed: of a cause that has many, the first. */
function listGroup({ kept, more, causes }: Group): Finding[] {
  const listed = kept.flatMap((finding): Finding[] => {
    const entry = finding.cause === undefined ? undefined : causes.get(finding.cause);
    if (entry === undefined || entry.count <= MAX_OF_CAUSE) return [finding];
    return entry.first === finding ? [{ ...finding, more: entry.count - 1 }] : [];
  });
  const last = listed.at(-1);
  const unlisted = more + countUnlisted(kept, causes);
  return last === undefined || unlisted === 0
    ? listed
    : [...listed.slice(0, -1), { ...last, more: (last.more ?? 0) + unlisted }];
}

/** How many findings have a cause of which none is kept, because there are too many causes. */
function countUnlisted(listed: readonly Finding[], causes: Group['causes']): number {
  return [...causes.values()].reduce(
    (sum, { first, count }) => (listed.includes(first) ? sum : sum + count),
    0,
  );
}

function withoutMore({ more: _, ...finding }: Finding): Finding {
  return finding;
}

/** 48 bits: among a million findings, the chance that two have the same fingerprint is 0.2 %. */
function fingerprint(finding: Finding): number {
  return Number.parseInt(hash('sha1', JSON.stringify(finding)).slice(0, 12), 16);
}
