import { hash } from 'node:crypto';
import { pointerTo } from './format/json.ts';
import type { ReadOptions } from './read/formats.ts';

/** The names of all checks. Findings contain them, overrides name them, and docs/maintainers/checks.md explains them. */
// biome-ignore format: names of a kind stand together.
export const CHECK_NAMES = [
  // Files and definitions.
  'slug', 'definition', 'build-definition', 'build-name', 'build-order', 'builds-lock', 'corrections',
  'aliases', 'removed-files', 'file-text', 'file-syntax', 'csv-columns', 'duplicate-key', 'table-files',
  'table-key', 'dataset-file', 'schema-file', 'attributes-file',
  // Mappings.
  'expression-file', 'expression-syntax', 'expression-result', 'shape', 'full-record', 'mapping-tables',
  'mapping-changes', 'where-drops-all', 'attribute-unserved',
  // One build.
  'roster-size', 'character-schema', 'ids', 'attribute-names', 'attribute-kinds', 'dataset-keys',
  'required-datasets', 'dataset-schema',
  // What a build says.
  'numbers-implausible', 'text-damaged', 'text-unresolved',
  // The attribute dictionary.
  'attribute-undescribed', 'attribute-unexpected',
  // Changes from one build to the next.
  'ids-renumbered', 'field-kinds', 'dataset-gone', 'records-lost', 'values-lost', 'values-changed',
  'values-jumped', 'values-moved', 'categories-changed', 'names-changed', 'overrides', 'renamed',
  // Released builds and limits.
  'recorded-build', 'time-limit', 'memory-limit', 'system-limit', 'upstream-file', 'internal-error',
] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

/** A problem in the data: what was found, where, and what was expected. */
export interface Finding {
  check: CheckName;
  severity: 'error' | 'warning';
  place: Place;
  found: string;
  expected: string;
  /** Advice, if `expected` does not make it obvious. */
  fix?: string;
  /** Records with new ids, by list: old id → new id, as "renamed" in the build.json of `build`. */
  renamed?: Record<string, Record<string, string>>;
  /** The build, if a check between builds or of content found it. */
  build?: string;
  /** The list or the attribute in it, as an override names it: `characters.stats.atk`. */
  of?: string;
  /** How much of a list changed, for a finding about that. */
  changed?: ChangedShare;
  /** Keys of `carried` in build.json, if the build can keep the previous version of what the finding is about. */
  carry?: readonly string[];
  /** How many findings of the same check and file, or with the same cause, are not listed; they count too. */
  more?: number;
  /** The tables that the failed expression reads, whose faults may be the reason. */
  tables?: readonly string[];
  /** Names the fault if it causes a finding in each of many rows: only the first is listed. */
  cause?: string;
}

/** How many records or values of a list changed: `count` of `all`, for the first of the attributes. */
export interface ChangedShare {
  /** The dotted keys of the attributes. */
  attributes: readonly string[];
  count: number;
  all: number;
  /** The factor by which numbers are multiplied. */
  factor?: number;
  /** The single value that all of these have now. */
  value?: string | number | boolean;
}

/**
 * A place in a file. `pointer` is a JSON Pointer (RFC 6901); in CSV and JSON Lines files it is `/<row from 0>/<column>`. `line` is 1-based, and
 * absent until `locateFindings` sets it, for which `reading` has the options of the file's table.
 */
export interface Place {
  file: string;
  pointer: string;
  line?: number;
  reading?: ReadOptions;
}

/** The result of a stage, as complete as possible, and its findings. */
export interface WithFindings<T> {
  value: T;
  findings: Finding[];
}

/** @param place a path stands for the file's first line */
export function errorAt(
  check: CheckName,
  place: Place | string,
  found: string,
  expected: string,
  fix?: string,
): Finding {
  const at = typeof place === 'string' ? { file: place, pointer: '', line: 1 } : place;
  return { check, severity: 'error', place: at, found, expected, ...(fix && { fix }) };
}

/** Appends findings. A table can have more of them than `push` accepts as arguments. */
export function addFindings(findings: Finding[], ...more: Finding[][]): void {
  for (const list of more) for (const finding of list) findings.push(finding);
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Returns the place one or more steps below another. */
export function placeBelow(place: Place, ...steps: (string | number)[]): Place {
  return { ...place, pointer: pointerTo(place.pointer, ...steps) };
}

/** Makes the name of a cause from messages: without the parts that differ from row to row. */
export function causeOf(...messages: string[]): string {
  return messages.join(' ').replace(/"[^"]*"|\d+/g, '…');
}

const MAX_QUOTED_CHARACTERS = 60;

/** Renders a value for a finding: shortened JSON, with its type if the JSON alone could mislead. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  const short = text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
  return typeof value === 'string'
    ? `the text ${short}`
    : `${value === null ? '' : `the ${typeof value} `}${short}`;
}

/** Receives the stages and steps of a compilation, to report where it hangs. */
export interface StepReporter {
  /** Begins a stage with its own time limit: the definitions, then each build. */
  beginStage(doing: string, at: Place | string): void;
  /**
   * Begins a step of a stage.
   *
   * @param doing a phrase such as "evaluating data/x/game.json /roster/entry"
   * @param at a place, or the path of a whole file
   */
  beginStep(doing: string, at: Place | string): void;
}

/** Ignores the steps. */
export const NO_REPORTER: StepReporter = { beginStage() {}, beginStep() {} };

/** How many findings are kept per check and file, and how many causes per check. After correcting these, a maintainer runs the check again. */
const MAX_KEPT = 20;

/** How many findings with one cause are listed. If there are more, only the first is. */
const MAX_OF_CAUSE = 3;

/** The first findings of a check in a file, or of one cause, and the number of the others. */
interface Group {
  kept: Finding[];
  more: number;
}

/**
 * Collects findings in little memory: keeps the first ones per check and file, or per cause, and counts the others. Equal findings, which come from
 * builds that share a file, count once.
 */
export class BoundedFindings {
  readonly #groups = new Map<string, Group>();
  /** The number of causes of each check, and the group of the last one. */
  readonly #causes = new Map<string, { count: number; last: Group }>();
  /** The fingerprints of all findings so far; a number takes a tenth of the memory of a finding. */
  readonly #known = new Set<number>();
  readonly #whole: BoundedFindings | undefined;

  /** @param whole also receives everything that is added here */
  constructor(whole?: BoundedFindings) {
    this.#whole = whole;
  }

  add(...lists: Iterable<Finding>[]): void {
    for (const list of lists) for (const finding of list) this.#add(finding);
  }

  /** Returns the kept findings by check and file; the last one of each has the number of others as `more`. */
  list(): Finding[] {
    return [...this.#groups.values()].flatMap(({ kept, more }) =>
      kept.map((finding, at) => (more > 0 && at === kept.length - 1 ? { ...finding, more } : finding)),
    );
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
    if (cause !== undefined)
      this.#causes.set(severity + check, { count: (causes?.count ?? 0) + 1, last: group });
    return group;
  }
}

/** 48 bits: among a million findings, the chance that two have the same fingerprint is 0.2 %. */
function fingerprint(finding: Finding): number {
  return Number.parseInt(hash('sha1', JSON.stringify(finding)).slice(0, 12), 16);
}
