import type { BuildContent } from '../format/build-content.ts';
import { compareNatural, type Renames } from '../format/dist-format.ts';
import { pointerSteps } from '../format/json.ts';
import { isGained } from './changes.ts';
import type { Change } from './compare.ts';
import {
  type AttributeChanges,
  type BuildDiff,
  type ChangedRecord,
  type CharacterName,
  type DatasetDiff,
  diffBuilds,
} from './diff-builds.ts';

/** The whole lengths of lists, by name, where a page has only a part of them. */
export type Counts = Readonly<Record<string, number | undefined>>;

/** How many members each list of what a build changed has on a page. */
export const MAX_MEMBERS = 2500;

type Member = string | { id: string };
type List<T> = readonly T[] | undefined;
type Texts = Readonly<Record<string, string>>;

/** The lists of what changed in a collection. */
interface Lists {
  added?: List<Member>;
  gained?: List<string>;
  removed?: List<Member>;
  changed?: List<Member>;
  fields?: List<string>;
  changes?: List<object>;
  names?: Texts | undefined;
  renamed?: Texts | undefined;
  counts?: Counts;
}

/** What a build or an amendment changed, or a page of it. */
export interface Changed {
  characters: Lists;
  datasets: Readonly<Record<string, Lists>>;
}

/** Returns how many pages what changed has, with at most `MAX_MEMBERS` members of each list on one. */
export function countPages({ characters, datasets }: Changed): number {
  return Math.max(1, ...[characters, ...Object.values(datasets)].map(pagesOfLists));
}

/** Returns a page of what changed. Those after the first have only the datasets that have members left. @param page from 1 */
export function pageOf(changed: Changed, page: number): Changed {
  if (page === 1 && countPages(changed) === 1) return changed;
  const datasets = Object.entries(changed.datasets)
    .filter(([, lists]) => Math.max(1, pagesOfLists(lists)) >= page)
    .map(([key, lists]) => [key, cutLists(lists, page)]);
  return {
    ...changed,
    characters: cutLists(changed.characters, page),
    datasets: Object.fromEntries(datasets),
  };
}

function pagesOfLists(lists: Lists): number {
  return Math.ceil(Math.max(...Object.values(countsOf(lists)).map((count = 0) => count)) / MAX_MEMBERS);
}

function countsOf({ added, gained, removed, changed, fields, changes, renamed }: Lists) {
  return {
    ...{ added: added?.length, gained: gained?.length, removed: removed?.length, changed: changed?.length },
    ...{ fields: fields?.length, changes: changes?.length, renamed: renamed && Object.keys(renamed).length },
  };
}

function cutLists(lists: Lists, page: number): Lists {
  if (page === 1 && pagesOfLists(lists) <= 1) return lists;
  const cut = <T>(list: List<T>) => list?.slice((page - 1) * MAX_MEMBERS, page * MAX_MEMBERS);
  const { names, renamed } = lists;
  const [added, removed, changed] = [cut(lists.added), cut(lists.removed), cut(lists.changed)];
  const members = [added, removed, changed].flatMap((list = []) => list);
  const ids = new Set(members.map((member) => (typeof member === 'string' ? member : member.id)));
  const namesOf = (all: Texts) =>
    [...ids].filter((id) => Object.hasOwn(all, id)).map((id) => [id, all[id] ?? '']);
  return {
    ...{ ...lists, added, removed, changed, fields: cut(lists.fields), changes: cut(lists.changes) },
    gained: lists.gained?.filter((id) => ids.has(id)),
    names: names && Object.fromEntries(namesOf(names)),
    renamed: renamed && Object.fromEntries(cut(Object.entries(renamed)) ?? []),
    counts: countsOf(lists),
  };
}

/** A summary of a dataset's changes: the ids of its records, or the attributes that differ if it is compared as one value. */
export type DatasetHistory = {
  kind?: 'added' | 'removed';
  attributes?: AttributeChanges;
  counts?: Counts;
} & (
  | {
      added: string[];
      /** As in `RecordsDiff`. */
      gained?: string[];
      removed: string[];
      changed: string[];
      names?: Record<string, string>;
      renamed?: Record<string, string>;
    }
  | { fields: string[] }
);

/** A summary of a build's changes. */
export interface BuildHistory {
  build: string;
  /** The build before; null for the first build, in which everything is added. */
  previous: string | null;
  characters: {
    added: CharacterName[];
    removed: CharacterName[];
    /** `fields` as in `Comparison`. */
    changed: (CharacterName & { fields: string[] })[];
    /** New ids by old ones. */
    renamed?: Record<string, string>;
    attributes?: AttributeChanges;
    counts?: Counts;
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetHistory>;
}

/** The records that the game changed: without changes that are elements which all records gained. */
export function ofTheGame<T extends ChangedRecord>({
  changed,
  attributes,
}: {
  changed: readonly T[];
  attributes?: AttributeChanges;
}): readonly T[] {
  const elements = attributes?.elements;
  if (elements === undefined) return changed;
  return changed.flatMap((record) => {
    const changes = record.changes.filter((change) => !isGained(change, elements));
    if (changes.length === record.changes.length) return [record];
    const isLeft = (field: string) => changes.some(({ path }) => isWithin(path, field));
    return changes.length > 0 ? [{ ...record, fields: record.fields.filter(isLeft), changes }] : [];
  });
}

/** Whether the place of a change is in an attribute. */
function isWithin(path: string, field: string): boolean {
  return `${pointerSteps(path).join('.')}.`.startsWith(`${field}.`);
}

/** Summarises the diff from the build before. */
export function summariseDiff({ from, to, characters, datasets }: BuildDiff): BuildHistory {
  return {
    build: to,
    previous: from,
    characters: {
      added: characters.added,
      removed: characters.removed,
      changed: ofTheGame(characters).map(({ id, name, fields }) => ({ id, name, fields })),
      ...(characters.renamed && { renamed: characters.renamed }),
      ...(characters.attributes && { attributes: characters.attributes }),
    },
    datasets: Object.fromEntries(
      Object.entries(datasets).map(([key, diff]) => [key, summariseDataset(diff)]),
    ),
  };
}

function summariseDataset(diff: DatasetDiff): DatasetHistory {
  const { kind, attributes } = diff;
  const both = { ...(kind && { kind }), ...(attributes && { attributes }) };
  if ('changes' in diff) return { ...both, fields: diff.fields };
  const { added, gained, removed, names, renamed } = diff;
  return {
    ...both,
    added,
    ...(gained && { gained }),
    removed,
    changed: ofTheGame(diff).map(({ id }) => id),
    ...(names && { names }),
    ...(renamed && { renamed }),
  };
}

/** The change of a character in a build. `changes` is empty unless `kind` is `changed`. */
export interface TimelineEntry {
  id: string;
  /** The name in the newer build. */
  name: string;
  kind: 'added' | 'changed' | 'removed';
  changes: Change[];
}

/**
 * The changes of each character in a build, in natural order of ids. A character's timeline is its entries in all builds. A character that
 * was removed may be added again.
 */
export function timelineOf({ characters: { added, removed, changed } }: BuildDiff): TimelineEntry[] {
  const entries = [
    ...added.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'added', changes: [] })),
    ...removed.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'removed', changes: [] })),
    ...changed.map(({ id, name, changes }): TimelineEntry => ({ id, name, kind: 'changed', changes })),
  ];
  return entries.sort((a, b) => compareNatural(a.id, b.id));
}

/** The changes of a build, in the three forms that dist/ holds. */
export interface StepDiff {
  /** Null for the first build. */
  diff: BuildDiff | null;
  /** Its pages; one, unless a list is long. */
  history: [first: Changed, ...more: Changed[]];
  timeline: TimelineEntry[];
}

/**
 * Compares a build with the one before it.
 *
 * @param before undefined for the first build, in which everything is new
 * @param renamed the records that the build renumbered
 */
export function diffStep(before: BuildContent | undefined, after: BuildContent, renamed: Renames): StepDiff {
  const diff = diffBuilds(before, after, renamed);
  const all = summariseDiff(diff);
  const more = Array.from({ length: countPages(all) - 1 }, (_, at) => pageOf(all, at + 2));
  return { diff: before ? diff : null, history: [pageOf(all, 1), ...more], timeline: timelineOf(diff) };
}
