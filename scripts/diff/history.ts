import type { BuildContent } from '../format/build-content.ts';
import { compareNatural, type Renames } from '../format/dist-format.ts';
import type { Change } from './compare.ts';
import { type BuildDiff, FOLDED, type Folded } from './diff-builds.ts';
import { diffGame, type FoldContext } from './fold.ts';
import { type Counts, summarise } from './summary.ts';

/** The maximum number of elements in each list of a page. */
export const MAX_MEMBERS = 2500;

const LISTS = ['added', 'gained', 'removed', 'changed', 'fields', 'changes'] as const;
type Texts = Readonly<Record<string, string>>;

/** The lists of changes in a collection: of ids, or of objects. */
type Lists = { [Name in (typeof LISTS)[number]]?: readonly (string | object)[] } & {
  names?: Texts;
  renamed?: Texts;
  counts?: Counts;
};

/** The changes of a build or an amendment, or a page of them. */
export interface Changed {
  characters: Lists;
  datasets: Readonly<Record<string, Lists>>;
}

/** Returns the number of pages, with at most `MAX_MEMBERS` elements of each list on a page. */
export function countPages({ characters, datasets }: Changed): number {
  return Math.max(1, ...[characters, ...Object.values(datasets)].map(pagesOfLists));
}

/** Returns a page of changes. Pages after the first have only datasets with remaining elements. @param page from 1 */
export function pageOf(changed: Changed, page: number): Changed {
  if (page === 1 && countPages(changed) === 1) return changed;
  const datasets = Object.entries(changed.datasets)
    .filter(([, lists]) => Math.max(1, pagesOfLists(lists)) >= page)
    .map(([key, lists]) => [key, cutLists(lists, page)]);
  const characters = cutLists(changed.characters, page);
  return { ...changed, characters, datasets: Object.fromEntries(datasets) };
}

function pagesOfLists(lists: Lists): number {
  return Math.ceil(Math.max(...Object.values(countsOf(lists)).map((count = 0) => count)) / MAX_MEMBERS);
}

function countsOf(lists: Lists): Counts {
  const { renamed } = lists;
  const lengths = LISTS.map((name) => [name, lists[name]?.length]);
  return { ...Object.fromEntries(lengths), renamed: renamed && Object.keys(renamed).length };
}

function cutLists(lists: Lists, page: number): Lists {
  if (page === 1 && pagesOfLists(lists) <= 1) return lists;
  const cut = <T>(list: readonly T[] = []) => list.slice((page - 1) * MAX_MEMBERS, page * MAX_MEMBERS);
  const { names, renamed, gained } = lists;
  const parts = LISTS.flatMap((name) => (lists[name] ? [[name, cut(lists[name])]] : []));
  const members = (['added', 'removed', 'changed'] as const).flatMap((name) => cut(lists[name]));
  const ids = new Set(
    members.map((member) => String(typeof member === 'object' && 'id' in member ? member.id : member)),
  );
  return {
    ...lists,
    ...Object.fromEntries(parts),
    ...(gained && { gained: gained.filter((id) => ids.has(String(id))) }),
    ...(names && { names: Object.fromEntries(Object.entries(names).filter(([id]) => ids.has(id))) }),
    ...(renamed && { renamed: Object.fromEntries(cut(Object.entries(renamed))) }),
    counts: countsOf(lists),
  };
}

/** The change of a character in a build. `changes` are those of the game, and empty unless `kind` is `changed`; `folded` has the others. */
export interface TimelineEntry {
  id: string;
  /** The name in the newer build. */
  name: string;
  kind: 'added' | 'changed' | 'removed';
  changes: Change[];
  folded?: Folded<Change>;
}

/**
 * Returns the changes of each character in a build, in natural order of ids. A character's timeline is its entries in all builds. A character that
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

/** The changes of a build in the three forms that dist/ holds. */
export interface BuildChanges {
  /** Null for the first build. */
  diff: BuildDiff | null;
  /** The pages of the history; one, unless a list is long. */
  history: [first: Changed, ...more: Changed[]];
  timeline: TimelineEntry[];
}

/**
 * Compares a build with the previous one.
 *
 * @param before undefined for the first build, in which everything is new
 * @param renamed the records that the build renumbered
 */
export function diffBuild(
  before: BuildContent | undefined,
  after: BuildContent,
  renamed: Renames,
  context: FoldContext,
): BuildChanges {
  const diff = diffGame(before, after, renamed, context);
  const all = summarise(diff, context.dictionary);
  const more = Array.from({ length: countPages(all) - 1 }, (_, at) => pageOf(all, at + 2));
  return { diff: before ? diff : null, history: [pageOf(all, 1), ...more], timeline: timelineOf(diff) };
}
