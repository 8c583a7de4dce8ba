import { hash } from 'node:crypto';
import type { Finding } from './findings.ts';

/** The maximum number of findings kept for each check and file. After correcting these, a maintainer runs the check again. */
const MAX_KEPT = 20;

/** The findings of a check in a file: the first ones, and the number of further ones. */
interface Group {
  kept: Finding[];
  more: number;
}

/**
 * Collects findings in little memory: for each check and file, it keeps the first ones and counts the others. Equal findings, which come
 * from builds that share a file, count once.
 */
export class BoundedFindings {
  readonly #groups = new Map<string, Group>();
  /** The fingerprints of all findings so far; a number uses a tenth of the memory of a finding. */
  readonly #known = new Set<number>();
  readonly #whole: BoundedFindings | undefined;

  /** @param whole also receives everything that is added to this one */
  constructor(whole?: BoundedFindings) {
    this.#whole = whole;
  }

  add(...lists: Iterable<Finding>[]): void {
    for (const list of lists) for (const finding of list) this.#add(finding);
  }

  /** Returns the kept findings by check and file; the last one of each has the number of further ones as `more`. */
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
    if (group.kept.length < MAX_KEPT) group.kept.push(finding);
    else group.more++;
  }
}

/** 48 bits: among a million findings, the chance that two have the same fingerprint is 0.2 %. */
function fingerprint(finding: Finding): number {
  return Number.parseInt(hash('sha1', JSON.stringify(finding)).slice(0, 12), 16);
}
