import type { Attribute, AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { compareNatural, type Renames } from '../format/dist-format.ts';
import { pointerSteps } from '../format/json.ts';
import type { Change } from './compare.ts';
import {
  type AttributeChanges,
  type BuildDiff,
  type CharacterName,
  type DatasetDiff,
  FOLDED,
  type Folded,
  type FoldedKind,
} from './diff-builds.ts';
import { diffGame, type FoldContext } from './fold.ts';

/** The whole lengths of lists, by name, where a page has only a part of them. */
type Counts = Readonly<Record<string, number | undefined>>;

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

/** How many records the game did not change, by kind. */
type FoldedCounts = Partial<Record<FoldedKind, number>>;

/** A summary of a dataset's changes: the ids of its records, or the attributes that differ if it is compared as one value. */
export type DatasetHistory = {
  kind?: 'added' | 'removed';
  folded?: FoldedCounts;
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

/** A character that the game changed; `kind` if a player gains or loses by all of its numbers that changed. */
export type ChangedCharacter = CharacterName & { fields: string[]; kind?: 'buff' | 'nerf' };

/** A summary of a build's changes. */
export interface BuildHistory {
  build: string;
  /** The build before; null for the first build, in which everything is added. */
  previous: string | null;
  characters: {
    added: CharacterName[];
    removed: CharacterName[];
    /** Buffs first, then nerfs; `fields` as in `Comparison`. */
    changed: ChangedCharacter[];
    /** New ids by old ones. */
    folded?: FoldedCounts;
    renamed?: Record<string, string>;
    attributes?: AttributeChanges;
    counts?: Counts;
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetHistory>;
}

/** Less of these is better. */
const LOWER_IS_BETTER = /cost|cooldown|\bcd\b|interval|redeploy|seconds|duration of/i;

/**
 * Returns whether a player gains or loses by changes of numbers: of stats, also at other levels, and of attributes that say which is better;
 * undefined if some are for each, or if there are none.
 */
function directionOf(
  changes: readonly Change[],
  attributes: ReadonlyMap<string, Attribute>,
): 'buff' | 'nerf' | undefined {
  const found = new Set<'buff' | 'nerf'>();
  for (const { path, from, to } of changes) {
    if (typeof from !== 'number' || typeof to !== 'number') continue;
    const key = pointerSteps(path)
      .filter((step) => !/^\d+$/.test(step))
      .join('.');
    const { label = '', better } = attributes.get(key) ?? {};
    const isStat = key.startsWith('stats.') || attributes.has(`stats.${key.split('.').at(-1)}`);
    if (better === undefined && !isStat) continue;
    const isLower = better
      ? better === 'lower'
      : LOWER_IS_BETTER.test(`${key.replaceAll('_', ' ')} ${label}`);
    found.add(to > from === isLower ? 'nerf' : 'buff');
  }
  const [only, ...others] = found;
  return others.length === 0 ? only : undefined;
}

/** Summarises the diff from the build before. @param dictionary that of the newer build */
export function summariseDiff(
  { from, to, characters, datasets }: BuildDiff,
  dictionary: AttributeDictionary = {},
): BuildHistory {
  const attributes = new Map(
    dictionary.characters?.attributes.map((attribute) => [attribute.key, attribute]),
  );
  const changed = characters.changed.map(({ id, name, fields, changes }): ChangedCharacter => {
    const kind = directionOf(changes, attributes);
    return { id, name, fields, ...(kind && { kind }) };
  });
  const ofKind = (kind: ChangedCharacter['kind']) => changed.filter((each) => each.kind === kind);
  return {
    build: to,
    previous: from,
    characters: {
      added: characters.added,
      removed: characters.removed,
      changed: [...ofKind('buff'), ...ofKind('nerf'), ...ofKind(undefined)],
      ...countFolded(characters),
      ...(characters.renamed && { renamed: characters.renamed }),
      ...(characters.attributes && { attributes: characters.attributes }),
    },
    datasets: Object.fromEntries(
      Object.entries(datasets).map(([key, diff]) => [key, summariseDataset(diff)]),
    ),
  };
}

function countFolded({ folded }: { folded?: Folded<object> }): { folded?: FoldedCounts } {
  if (folded === undefined) return {};
  return {
    folded: Object.fromEntries(Object.entries(folded).map(([kind, records]) => [kind, records.length])),
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
    changed: diff.changed.map(({ id }) => id),
    ...countFolded(diff),
    ...(names && { names }),
    ...(renamed && { renamed }),
  };
}

/**
 * The change of a character in a build. `changes` are those of the game, and empty unless `kind` is `changed`; then `folded` has the others.
 */
export interface TimelineEntry {
  id: string;
  /** The name in the newer build. */
  name: string;
  kind: 'added' | 'changed' | 'removed';
  changes: Change[];
  folded?: Folded<Change>;
}

/**
 * The changes of each character in a build, in natural order of ids. A character's timeline is its entries in all builds. A character that
 * was removed may be added again.
 */
export function timelineOf({
  characters: { added, removed, changed, folded = {} },
}: BuildDiff): TimelineEntry[] {
  const ofRecords = new Map<string, TimelineEntry>();
  for (const { id, name, changes } of changed) ofRecords.set(id, { id, name, kind: 'changed', changes });
  for (const kind of FOLDED)
    for (const { id, name, changes } of folded[kind] ?? []) {
      const entry = ofRecords.get(id) ?? { id, name, kind: 'changed', changes: [] };
      ofRecords.set(id, { ...entry, folded: { ...entry.folded, [kind]: changes } });
    }
  const entries = [
    ...added.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'added', changes: [] })),
    ...removed.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'removed', changes: [] })),
    ...ofRecords.values(),
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
export function diffStep(
  before: BuildContent | undefined,
  after: BuildContent,
  renamed: Renames,
  context: FoldContext,
): StepDiff {
  const diff = diffGame(before, after, renamed, context);
  const all = summariseDiff(diff, context.dictionary);
  const more = Array.from({ length: countPages(all) - 1 }, (_, at) => pageOf(all, at + 2));
  return { diff: before ? diff : null, history: [pageOf(all, 1), ...more], timeline: timelineOf(diff) };
}
