import { type CheckFinding, equalKinds, type Rule } from '../check/rules.ts';
import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import type { Finding, Place } from '../findings.ts';
import type { CheckSettings } from '../read/game-schema.ts';
import {
  type ChangeStats,
  compareRecords,
  findRenumbered,
  type Pair,
  pairRecords,
  type Renumbered,
} from './compare.ts';
import { findPattern, type Pattern } from './patterns.ts';
import type { List, Survey, SurveyedAttribute } from './survey.ts';

/** A threshold of a check that `game.json` can set: `"checks": {"records-lost": {"max_lost_share": 0.3}}`. */
interface Threshold {
  default: number;
  min: number;
  max: number;
  /** The meaning of the number, for editors and the documents: "the share of records that may disappear". */
  help: string;
}

/** The description of a check. Its severity depends on `hold_on`: checks named there hold back a build, all others warn. */
export interface CheckRule extends Pick<Rule, 'name' | 'description'> {
  /** Whether it only warns, unless the game says otherwise. */
  warns?: boolean;
  thresholds?: Readonly<Record<string, Threshold>>;
}

/** A check of a build's content, or of its changes. An override of the build can lift its findings. `check` is pure. */
export interface ChangeCheck extends CheckRule {
  /** Whether a finding is reported only if the newest build still has it: a mapping may name what the game has only later. */
  lasting?: true;
  check(data: BuildData, limit: (name: string) => number): Iterable<ChangeFinding>;
}

/**
 * A finding. `of` is the list or the attribute in it (`characters.stats.atk`), as in an override. `causes` are the lists and attributes that are
 * wrong because of it: other findings about these are not listed.
 */
export type ChangeFinding = CheckFinding & {
  of: string;
  causes?: readonly string[];
  /** Whether it only warns, whatever the check's severity: it is in so few records that it may be the game's own. */
  warns?: boolean;
  /** In how many values it is. A finding that the previous build had in as many is not reported again. */
  count?: number;
};

/** A finding with the name and severity of its check. */
export type CheckedFinding = ChangeFinding & Pick<Finding, 'check' | 'severity'>;

/** The state after all builds so far. It is JSON, without undefined, because the findings of a build depend on it. */
export interface Seen {
  /** The findings of the previous build's content, with the number of values. */
  known: readonly { check: string; of: string; count: number }[];
  /** Findings that are reported only if the newest build still has them. */
  pending: Readonly<Record<string, Finding>>;
}

/** A build with the previous one, as checks receive it. */
export interface BuildData {
  build: CompiledBuild;
  after: Survey;
  /** Undefined for the first build. */
  before: Survey | undefined;
  /** The lists and objects that both builds have in the same form. */
  changes: readonly ListChange[];
}

export interface ListChange extends Source {
  /** The name of the previous build. */
  earlier: string;
  before: List;
  after: List;
  /** The records in both builds. */
  pairs: readonly Pair[];
  /** The attributes that differ in these; none if ids were renumbered. */
  columns: readonly ChangeStats[];
  /** Changes that many values of an attribute share, by its key. */
  patterns: ReadonlyMap<string, Pattern>;
  /** The records whose ids changed. */
  renumbered: readonly Renumbered[];
}

/** The origin of a list, and its compiled records; none for an object. */
export interface Source {
  place: Place;
  compiled: readonly CompiledRecord[];
}

export function sourceOf(build: CompiledBuild, list: string): Source {
  const dataset = build.datasets.find(({ key }) => key === list);
  if (dataset === undefined) return { place: build.rosterPlace, compiled: build.characters };
  return { place: dataset.place, compiled: dataset.kind === 'list' ? dataset.records : [] };
}

/** At most this share of the names in a list may move to other ids. */
const MAX_RENUMBERED_SHARE = 0.1;
/** More than this share of an attribute's values may not change; a game can set it for `values-changed`. */
export const MAX_CHANGED_SHARE = 0.5;

/** Compares a build with the previous one. */
export function compareBuilds(before: Survey | undefined, after: Survey, build: CompiledBuild): BuildData {
  const { max_changed_share: maxShare = MAX_CHANGED_SHARE } = build.source.checks['values-changed'] ?? {};
  const changes = [...after.lists.values()].flatMap((list): ListChange[] => {
    const earlier = before?.lists.get(list.list);
    if (earlier?.kind !== list.kind) return [];
    return [
      {
        earlier: before?.build ?? '',
        ...sourceOf(build, list.list),
        ...compareLists(earlier, list, maxShare),
      },
    ];
  });
  return { build, after, before, changes };
}

function compareLists(
  before: List,
  after: List,
  maxShare: number,
): Omit<ListChange, 'earlier' | keyof Source> {
  const pairs = before === after ? [] : pairRecords(before, after);
  const renumbered = before === after ? [] : findRenumbered(before, after, MAX_RENUMBERED_SHARE);
  // Different records with the same id differ in everything.
  const isComparable = ({ key }: ChangeStats) => !isOtherKind(before.fields.get(key), after.fields.get(key));
  const columns = renumbered.length > 0 ? [] : compareRecords(pairs).filter(isComparable);
  const patterns = new Map<string, Pattern>();
  for (const column of after.kind === 'object' ? [] : columns) {
    const { key, changed, lost } = column;
    const pattern = findPattern(column, before.fields.get(key), maxShare);
    // Values that are zero now are lost rather than changed, unless zero is usual.
    const isLoss =
      !pattern?.isMove && pattern?.factor === undefined && lostOf(column, before).length > changed.length / 2;
    if (pattern && !isLoss && lost.length <= column.had * 0.9) patterns.set(key, pattern);
  }
  return { before, after, pairs, columns, patterns, renumbered };
}

/** Whether an attribute has values of another kind now. */
function isOtherKind(before: SurveyedAttribute | undefined, after: SurveyedAttribute | undefined): boolean {
  return Boolean(before?.kind && after?.kind && !equalKinds(before.kind, after.kind));
}

/** The positions of the records that lost a value. Zero counts as none; if records had zero before, only when nearly all have it now. */
export function lostOf({ key, lost, zeroed, had }: ChangeStats, { fields }: List): readonly number[] {
  const isUsual = (fields.get(key)?.zeros ?? 0) > 0 && lost.length < had * NEARLY_ALL;
  return isUsual ? lost.filter((at) => !zeroed.has(at)) : lost;
}

export const NEARLY_ALL = 0.9;

/** The threshold of a check: the game's value, otherwise the default. */
export function limitOf({ name, thresholds }: CheckRule, settings: CheckSettings): (limit: string) => number {
  return (limit) => settings[name]?.[limit] ?? thresholds?.[limit]?.default ?? Number.POSITIVE_INFINITY;
}

/** Whether a list or attribute is `outer` or inside it. */
export function isWithin(of: string, outer: string): boolean {
  return of === outer || of.startsWith(`${outer}.`);
}

/** A finding about attributes of a list; about the list if there are none. */
export function findingOf(
  { after, place }: Pick<ListChange, 'after' | 'place'>,
  keys: readonly string[],
  found: string,
  expected: string,
  more: Partial<ChangeFinding> = {},
): ChangeFinding {
  return { of: ofAll(after.list, keys), place, found, expected, ...more };
}

/** If a fault concerns at most this many records, and at most this share of the list, they can keep their previous versions. */
const MAX_CARRIED = 5;
const MAX_CARRIED_SHARE = 0.1;

/** Proposes that records keep their previous versions, if they are few. @param count how many there are; `ids` may be only the first */
export function carryRecords(
  list: List,
  ids: readonly unknown[],
  count = ids.length,
): Pick<ChangeFinding, 'carry'> {
  const few = Math.min(MAX_CARRIED, Math.max(1, list.records.length * MAX_CARRIED_SHARE));
  const isKnown = ids.every((id) => typeof id === 'string' && list.byId?.has(id));
  if (ids.length === 0 || count > few || !isKnown) return {};
  return { carry: [...new Set(ids)].map((id) => `${list.list}/${String(id)}`) };
}

const MAX_NAMED = 3;

/** The first words of a list, and the number of the others. */
export function nameSome(words: readonly string[]): string {
  const more = words.length - MAX_NAMED;
  const named = words.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** The first of some keys, quoted; names come first, because they matter most. */
export function quoteKeys(keys: readonly string[]): string {
  const isName = (key: string) => /(?:^|\.)name(?:_\w+)?$/.test(key);
  const sorted = [...keys.filter(isName), ...keys.filter((key) => !isName(key))];
  return nameSome(sorted.map((key) => `"${key}"`));
}

/** The common prefix of attributes of a list: `characters.stats` for `stats.atk` and `stats.def`. */
function ofAll(list: string, keys: readonly string[]): string {
  const [first = [], ...others] = keys.map((key) => key.split('.'));
  const end = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return [list, ...(end === -1 ? first : first.slice(0, end))].join('.');
}
