import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import type { Finding, Place } from '../findings/findings.ts';
import type { CheckFinding } from '../check/check.ts';
import type { Limits, Rule } from './rule.ts';
import { type Column, compareColumns, type Scalar } from './columns.ts';
import { type Explanation, type ExplanationLimits, explainChanges } from './explain-changes.ts';
import {
  type FieldChange,
  type FieldLimits,
  findFieldChanges,
  pairRecords,
  type RecordPair,
  withoutZeros,
} from './field-changes.ts';
import { findMovedValues } from './moved-values.ts';
import type { BuildProfile, ListProfile } from './profile/profile.ts';
import { findRenumbered, type Renumbered } from './renumbered.ts';

/** The smallest and the largest of some numbers. */
export interface Range {
  min: number;
  max: number;
}

/**
 * What gates remember of all builds so far. It is JSON, without undefined: the memo of builds keeps it, and the findings of a build depend on
 * it.
 */
export interface Seen {
  /** The range of the rarities, by the name of the list. */
  rarities: Readonly<Record<string, Range>>;
  /** The names of the datasets that had content in some build. */
  filled: readonly string[];
  /** What checks of content found in the build before. */
  known: readonly KnownContent[];
  /** All builds so far, with a hash of what each says. */
  builds?: readonly { build: string; hash: string }[];
  /** The ids of the records that the build before added, by the name of the list. */
  added?: Readonly<Record<string, readonly string[]>>;
  /** What checks of content found in it that is only reported if the newest build has it too, by `keyOfFinding`. */
  pending: Readonly<Record<string, Finding>>;
}

/** A finding about the content of a build, and in how many values it is. */
export interface KnownContent {
  check: string;
  of: string;
  count: number;
}

/** A list or object that is in both builds of a step, and of the same form. */
export interface ListStep {
  before: ListProfile;
  after: ListProfile;
  /** Where the later list or object comes from. */
  place: Place;
  /** The records of the later list, in the order of its profile; empty for an object. */
  records: readonly CompiledRecord[];
  changes: readonly FieldChange[];
  /** The records that both builds have. */
  pairs: readonly RecordPair[];
  /** The attributes in these records; none for an object, and if ids were renumbered. */
  columns: readonly Column[];
  /** What happened to many values of an attribute at once, by its key. */
  explained: ReadonlyMap<string, Explanation>;
  /** The names that moved to another id. */
  renumbered: readonly Renumbered[];
}

/** The step from one build to the next, as gates get it. */
export interface BuildStep {
  before: BuildProfile;
  after: BuildProfile;
  /** The later build, for the places of findings. */
  build: CompiledBuild;
  lists: readonly ListStep[];
  /** What is remembered of all builds before the later one. */
  seen: Seen;
}

/**
 * What a gate or a check of content finds. `of` is the list or the attribute in it (`characters.stats.atk`), as in an override. `causes` are the
 * lists and attributes that are wrong because of it: other findings about these are not listed.
 */
export type StepFinding = CheckFinding & {
  of: string;
  causes?: readonly string[];
  /** In how many values it is; a check of content that sets it reports a fault again if many more values have it. */
  count?: number;
  /** A milder one than that of the check, as for few of many values. */
  severity?: Finding['severity'];
};

/** A gate: one rule for the step from a build to the next, which an override of the later build can lift. `check` is pure. */
export interface StepCheck<Name extends string = never> extends Rule<Name> {
  check(step: BuildStep, limits: Limits<Name>): StepFinding[];
}

/** The limits of what is found once for several gates. */
export interface StepLimits extends FieldLimits, ExplanationLimits {
  renumbered: Limits<'max_moved_share'>;
}

/** Pairs the lists and objects of two builds. */
export function makeStep(
  before: BuildProfile,
  after: BuildProfile,
  build: CompiledBuild,
  seen: Seen,
  limits: StepLimits,
): BuildStep {
  const lists = [...after.lists.values()].flatMap((list): ListStep[] => {
    const earlier = before.lists.get(list.list);
    if (earlier === undefined || earlier.kind !== list.kind) return [];
    return [{ ...sourceOf(build, list.list), ...compareLists(earlier, list, limits) }];
  });
  return { before, after, build, lists, seen };
}

function compareLists(
  before: ListProfile,
  after: ListProfile,
  limits: StepLimits,
): Omit<ListStep, 'place' | 'records'> {
  const pairs = pairRecords(before, after);
  const changes = findFieldChanges(before, after, pairs, limits);
  const renumbered = findRenumbered(before, after, limits.renumbered.max_moved_share);
  // Records that share an id and are not the same differ in everything.
  const isComparable = after.kind !== 'object' && renumbered.length === 0;
  const thinned = changes.filter(({ change }) => change === 'thinned').map(({ key }) => key);
  const columns = isComparable ? compareColumns(pairs, thinned) : [];
  const lost = (change: FieldChange) => withoutZeros(before, pairs, change).lost.length;
  const explained = explain(columns, changes, lost, limits, before);
  const moved = isComparable ? findMovedValues(changes, pairs, columns) : [];
  for (const { key, both } of moved) explained.set(key, { kind: 'moved', count: both });
  return {
    ...{ before, after, changes, pairs, explained, renumbered },
    columns: [...columns, ...moved.filter((column) => !columns.includes(column))],
  };
}

/**
 * Explains the columns that no change explains.
 *
 * @param countLost how many records lost a value, without those whose zero is usual
 */
function explain(
  columns: readonly Column[],
  changes: readonly FieldChange[],
  countLost: (change: FieldChange) => number,
  limits: StepLimits,
  { values }: ListProfile,
): Map<string, Explanation> {
  const reported = changes.flatMap(({ key, change }) => (change === 'thinned' ? [] : [key]));
  const thinned = new Map(changes.map((change) => [change.key, change]));
  const explained = new Map<string, Explanation>();
  for (const column of columns) {
    const { key, changed } = column;
    if (reported.some((other) => key === other || key.startsWith(`${other}.`))) continue;
    const { choices, categories } = values.get(key) ?? {};
    const usual = new Set<Scalar>([...(choices ?? []), ...(categories ?? [])]);
    const explanation = explainChanges(column, limits, usual);
    if (explanation === undefined) continue;
    // Values that are zero now are lost rather than changed. Where zero is usual, they are not reported as lost.
    const loss = thinned.get(key);
    if (loss === undefined || lossWithin(explanation, loss, countLost) <= changed.length / 2)
      explained.set(key, explanation);
  }
  return explained;
}

/** How many of the changed values are lost, if an explanation is so vague that it may be about lost values only. */
function lossWithin(
  { kind }: Explanation,
  loss: FieldChange,
  countLost: (change: FieldChange) => number,
): number {
  if (kind === 'merged') return loss.lost.length;
  return kind === 'rewritten' ? countLost(loss) : 0;
}

/** Where a list comes from, and its compiled records. */
export function sourceOf(build: CompiledBuild, list: string): { place: Place; records: CompiledRecord[] } {
  const dataset = build.datasets.find(({ key }) => key === list);
  if (dataset === undefined) return { place: build.rosterPlace, records: build.characters };
  return { place: dataset.place, records: dataset.kind === 'list' ? dataset.records : [] };
}

/** The text for a list or object in messages. */
export function describeList({ list, kind }: ListProfile): string {
  return kind === 'object' ? `the dataset "${list}"` : list;
}

/** A share as a text for messages: `10 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

const MAX_NAMED = 3;

/** The first words of a list, and how many more it has. */
export function nameSome(words: readonly string[]): string {
  const more = words.length - MAX_NAMED;
  const named = words.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
