// The only summary of a diff, for the history, pages, alerts, feeds, MCP and reviews. `summarise` says what a build did to each record; of this,
// `describeBuild` is one line, and `listChanges` is names and counts. `arrangeDiff` is the diff in full, in the same order and words.
import { type Attribute, type AttributeDictionary, wordsOf } from '../format/attributes.ts';
import { pointerSteps } from '../format/json.ts';
import type { AttributeChanges } from './attribute-changes.ts';
import type { Change } from './compare.ts';
import type {
  BuildDiff,
  CharacterName,
  DatasetDiff,
  Folded,
  FoldedKind,
  RecordsDiff,
} from './diff-builds.ts';

/** The complete lengths of lists, by name, if a page has only a part of them. */
export type Counts = Readonly<Record<string, number | undefined>>;

/** The numbers of records with changes that are not the game's, by kind. */
type FoldedCounts = Partial<Record<FoldedKind, number>>;

/** A summary of a dataset's changes: the ids of its records, or the different attributes if it is compared as one value. */
export type DatasetHistory = {
  kind?: 'added' | 'removed';
  folded?: FoldedCounts;
  attributes?: AttributeChanges;
  counts?: Counts;
} & ((Omit<RecordsDiff, 'changed' | 'folded' | 'attributes'> & { changed: string[] }) | { fields: string[] });

/** A character that the game changed; `kind` if all changes of numbers are to the advantage or disadvantage of the player. */
type ChangedCharacter = CharacterName & { fields: string[]; kind?: 'buff' | 'nerf' };

/** A summary of a build's changes. */
export interface BuildHistory {
  build: string;
  /** The previous build; null for the first build, in which everything is added. */
  previous: string | null;
  characters: Omit<BuildDiff['characters'], 'changed' | 'folded'> & {
    /** Buffs first, then nerfs; `fields` as in `Comparison`. */
    changed: ChangedCharacter[];
    folded?: FoldedCounts;
    counts?: Counts;
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetHistory>;
}

/** The dotted key of the attribute to which the path of a change leads. */
export function keyOf(path: string): string {
  return pointerSteps(path)
    .filter((step) => !/^\d+$/.test(step))
    .join('.');
}

/** Numbers for which less is better. */
const LOWER_IS_BETTER = /cost|cooldown|\bcd\b|interval|redeploy|seconds|duration of/i;

/** In an element of a list, what says which quantity its numbers are. */
const IDENTITY = /^(.*\/\d+\/)(?:(?:max_)?(?:level|phase|rank|rarity)|id|name|kind|type|stat|unit)$/;
const HIGHEST = /^\/max_(?:level|phase|rank|rarity)/;
/** A number that grew by such a factor, or fell, has another unit: percent and fraction, seconds and milliseconds. */
const UNITS: ReadonlySet<number> = new Set([100, 1000, 0.01, 0.001]);

/**
 * Returns whether changes of numbers are to the advantage of the player: of stats, also at other levels, and of attributes that say what is better;
 * undefined if there are none, some in each direction, or some that are not the same quantity as before.
 */
function directionOf(
  changes: readonly Change[],
  attributes: ReadonlyMap<string, Attribute>,
): 'buff' | 'nerf' | undefined {
  const found = new Set<'buff' | 'nerf' | undefined>();
  for (const { path, from, to } of changes) {
    if (typeof from !== 'number' || typeof to !== 'number') continue;
    const key = keyOf(path);
    const last = key.split('.').at(-1) ?? '';
    const { label = '', better: own, unit = '' } = attributes.get(key) ?? {};
    const stat = attributes.get(`stats.${last}`);
    const better = own ?? stat?.better;
    if (better === undefined && !stat && !key.startsWith('stats.')) continue;
    const isLower = better
      ? better === 'lower'
      : LOWER_IS_BETTER.test(`${key.replaceAll('_', ' ')} ${label}`);
    const isOther = UNITS.has(Number((to / from).toPrecision(6))) || isOtherQuantity(path, unit, changes);
    found.add(isOther ? undefined : to > from === isLower ? 'nerf' : 'buff');
  }
  const [only, ...others] = found;
  return others.length === 0 ? only : undefined;
}

/** Whether a number is one of another element, stat or level than before. A unit can name what decides; stats are those of the highest level. */
function isOtherQuantity(path: string, unit: string, changes: readonly Change[]): boolean {
  const [, deciding] = /`(.+?)`/.exec(unit) ?? [];
  const name = `"${path.split('/').at(-1)}":`;
  return changes.some((other) => {
    const [, element] = IDENTITY.exec(other.path) ?? [];
    if (element !== undefined) return path.startsWith(element);
    if (keyOf(other.path) === deciding) return true;
    const isElement = (other.from === undefined || other.to === undefined) && /\/\d+$/.test(other.path);
    const isLevel = HIGHEST.test(other.path) || (isElement && JSON.stringify(other).includes(name));
    return isLevel && !/\/\d+\//.test(path);
  });
}

/** Summarises the changes of a build in names and numbers. @param dictionary of the newer build */
export function summarise(
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

export function countFolded({ folded }: { folded?: Folded<object> }): { folded?: FoldedCounts } {
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
 * How many records of a collection were added, removed and changed; a dataset that is one object counts as one record. `attributes` counts those that
 * the whole collection gained or lost, `gained` the records of `added` that the build is only the first to serve.
 */
export interface RecordCounts {
  added: number;
  gained?: number;
  removed: number;
  changed: number;
  attributes?: Record<'gained' | 'lost', number>;
}

export function countRecords(lists: DatasetHistory | BuildHistory['characters']): RecordCounts {
  const { attributes: all, counts = {} } = lists;
  const attributes = all && { attributes: { gained: all.gained.length, lost: all.lost.length } };
  const kind = 'kind' in lists ? lists.kind : undefined;
  if ('fields' in lists) {
    // A list without ids that only gained or lost attributes did not change.
    const count = all && lists.fields.length === 0 ? 0 : 1;
    const gained = kind === 'added' && { gained: count };
    return { added: 0, removed: 0, changed: 0, [kind ?? 'changed']: count, ...gained, ...attributes };
  }
  const { added, removed, changed } = lists;
  const gained = 'gained' in lists ? lists.gained : undefined;
  return {
    added: counts.added ?? added.length,
    ...(gained && { gained: counts.gained ?? gained.length }),
    removed: counts.removed ?? removed.length,
    changed: counts.changed ?? changed.length,
    ...attributes,
  };
}

/** `12 added, 3 first served`: records that the build is only the first to serve are not counted as added. */
export function describeCounts({ added, gained = 0, removed, changed, attributes }: RecordCounts): string {
  const counts = {
    added: added - gained,
    'first served': gained,
    removed,
    changed,
    'attributes gained': attributes?.gained ?? 0,
    'attributes lost': attributes?.lost ?? 0,
  };
  return Object.entries(counts)
    .flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : []))
    .join(', ');
}

/** The line of a build in which the game changed nothing. */
export const NO_CHANGES = 'no changes in the game';
/** How many datasets a line names. */
const MAX_NAMED = 3;
const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;

/** Describes a build in one line: `2 new characters, 14 characters changed, 33 new in Banners`. @param since as in the history */
export function describeBuild({
  previous,
  characters,
  datasets,
  since,
}: Omit<BuildHistory, 'build'> & { since?: string | undefined }): string {
  const { added, changed, removed } = countRecords(characters);
  if (previous === null) return `the first build, with ${count(added, 'character')}`;
  const all = Object.entries(datasets).map(([key, dataset]) => {
    const counts = countRecords(dataset);
    const isNew = dataset.kind === undefined ? counts.added - (counts.gained ?? 0) : 0;
    const isChanged = dataset.kind !== 'added' && counts.removed + counts.changed > 0;
    return { key, isNew, isChanged };
  });
  const gains = all.filter(({ isNew }) => isNew > 0).sort((a, b) => b.isNew - a.isNew);
  const others = all.filter(({ isNew, isChanged }) => isNew <= 0 && isChanged).length;
  const unnamed = others + gains.slice(MAX_NAMED).length;
  const parts = [
    added > 0 && count(added, 'new character'),
    changed > 0 && `${count(changed, 'character')} changed`,
    removed > 0 && `${count(removed, 'character')} removed`,
    ...gains
      .slice(0, MAX_NAMED)
      .map(({ key, isNew }) => `${isNew.toLocaleString('en-US')} new in ${wordsOf(key)}`),
    unnamed > 0 && `${count(unnamed, 'dataset')} changed`,
  ].filter((text) => text !== false);
  const what = parts.length === 0 ? NO_CHANGES : parts.join(', ');
  return since === undefined ? what : `${what} since ${since}`;
}

/** The length of a list, and its first records. */
interface Listed<T = { id: string; name?: string | undefined }> {
  count: number;
  first: T[];
}

/** The changes of a build in names and counts; lists without records are absent. */
export interface ListedChanges {
  characters: Record<string, Listed | FoldedCounts>;
  datasets: Record<string, Record<string, Listed | FoldedCounts | string | number>>;
}

/** How many names each list has: of characters, and of each dataset. */
const MAX_NAMES = { characters: 60, dataset: 8 };

/** Lists the changes of a build: buffs and nerfs apart from other changes. @param fields only characters of which one of these changed */
export function listChanges(
  { characters, datasets }: Pick<BuildHistory, 'characters' | 'datasets'>,
  fields?: readonly string[],
): ListedChanges {
  const list = <T extends { id: string }>(records: readonly T[], most: number, count = records.length) =>
    count > 0 ? { count, first: records.slice(0, most) } : undefined;
  const ofCharacters = <T extends CharacterName>(records: readonly T[], count?: number) =>
    list(records, MAX_NAMES.characters, count);
  const changed = characters.changed.filter(
    (each) =>
      fields === undefined ||
      each.fields.some((key) => fields.some((field) => `${key}.`.startsWith(`${field}.`))),
  );
  const ofKind = (wanted: ChangedCharacter['kind']) =>
    ofCharacters(changed.flatMap(({ kind, ...each }) => (kind === wanted ? [each] : [])));
  const lists = Object.entries(datasets).map(([key, dataset]) => {
    const { kind, folded } = dataset;
    const what = kind === undefined ? 'changed' : kind === 'added' ? 'new' : 'removed';
    if ('fields' in dataset) return [key, withoutAbsent({ kind, [what]: { count: 1, first: [] } })] as const;
    const { added, gained = [], removed, counts = {}, names = {} } = dataset;
    const served = counts.gained ?? gained.length;
    const isServed = new Set(gained);
    const records = (ids: readonly string[], count?: number) =>
      list(
        ids.map((id) => ({ id, ...(Object.hasOwn(names, id) && { name: names[id] }) })),
        MAX_NAMES.dataset,
        count,
      );
    const isNew = added.filter((id) => !isServed.has(id));
    const all = {
      kind,
      folded,
      first_served: served || undefined,
      new: records(isNew, counts.added && counts.added - served),
      changed: records(dataset.changed, counts.changed),
      removed: records(removed, counts.removed),
    };
    return [key, withoutAbsent(all)] as const;
  });
  return {
    characters: withoutAbsent({
      new: ofCharacters(characters.added, characters.counts?.added),
      buffs: ofKind('buff'),
      nerfs: ofKind('nerf'),
      changed: ofKind(undefined),
      removed: ofCharacters(characters.removed),
      folded: characters.folded,
    }),
    datasets: Object.fromEntries(lists.filter(([, each]) => Object.keys(each).length > 0)),
  };
}

function withoutAbsent<T>(members: Record<string, T | undefined>): Record<string, T> {
  const entries = Object.entries(members).filter((entry): entry is [string, T] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

/** Returns a diff or its summary with other names. @param nameOf undefined if a record keeps its name */
export function replaceNames<T extends { characters: unknown; datasets: object }>(
  changes: T,
  nameOf: (collection: string, id: string) => string | undefined,
): T {
  const replace = (collection: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => replace(collection, each));
    if (typeof value !== 'object' || value === null) return value;
    const { id, names } = value as { id?: unknown; names?: Readonly<Record<string, string>> };
    if (typeof id === 'string') {
      const name = nameOf(collection, id);
      return name === undefined ? value : { ...value, name };
    }
    const members = Object.entries(value).map(([key, each]) => [
      key,
      OF_VALUES.has(key) ? each : replace(collection, each),
    ]);
    const named = Object.entries(names ?? {}).map(([each, name]) => [each, nameOf(collection, each) ?? name]);
    return Object.fromEntries([...members, ...(names ? [['names', Object.fromEntries(named)]] : [])]);
  };
  return {
    ...changes,
    characters: replace('characters', changes.characters),
    datasets: Object.fromEntries(
      Object.entries(changes.datasets).map(([key, each]) => [key, replace(key, each)]),
    ),
  };
}

/** Members of a collection's diff that hold values of its records. */
const OF_VALUES: ReadonlySet<string> = new Set(['changes', 'attributes', 'names', 'renamed']);

/** The changes of one collection in a build. */
export interface DiffPart {
  /** `characters`, or the key of a dataset. */
  key: string;
  /** In words, without `ofData`; empty if nothing changed. */
  summary: string;
  added: Named[];
  removed: Named[];
  changed: (Named & { changes: Change[] })[];
  /** The changes of a collection without ids. */
  changes: Change[];
  /** New ids by old ones. */
  renamed: Record<string, string>;
  /** What the whole collection gained and lost. */
  attributes: AttributeChanges;
  /** Changes of the data that are not changes of the game, in words. */
  ofData: string[];
}

/** A record's id and name. */
export type Named = CharacterName;

/** What the difference of a collection may hold. */
type AnyDiff = Partial<
  Omit<RecordsDiff, 'added' | 'removed'> & Record<'added' | 'removed', (string | Named)[]>
> & { kind?: 'added' | 'removed'; changes?: Change[] };

/** Arranges the changes of a build: characters first, then each dataset. */
export function arrangeDiff({
  characters,
  datasets,
}: Pick<BuildDiff, 'characters' | 'datasets'>): DiffPart[] {
  return [
    arrangeOne('characters', characters),
    ...Object.entries(datasets).map(([key, diff]) => arrangeOne(key, diff)),
  ];
}

function arrangeOne(key: string, diff: AnyDiff): DiffPart {
  const { kind, gained = [], names = {}, renamed = {}, attributes = { gained: [], lost: [] } } = diff;
  const named = (each: string | Named): Named =>
    typeof each === 'string'
      ? { id: each, name: (Object.hasOwn(names, each) && names[each]) || each }
      : { id: each.id, name: each.name };
  const isServed = new Set<unknown>(gained);
  const added = (diff.added ?? []).filter((each) => !isServed.has(each)).map(named);
  const removed = (diff.removed ?? []).map(named);
  const changed = inOrder(diff.changed ?? []).map(({ id, name = id, changes }) => ({ id, name, changes }));
  const changes = kind === undefined ? [...(diff.changes ?? [])] : [];
  const renumbered = Object.keys(renamed).length;
  const words = [
    describeCounts({ added: added.length, removed: removed.length, changed: changed.length }),
    changes.length > 0 && count(changes.length, 'change'),
    renumbered > 0 && `${renumbered} renumbered`,
  ];
  const { elements = [] } = attributes;
  const folded = Object.entries(diff.folded ?? {}).map(
    ([of, { length }]) => `${length.toLocaleString('en-US')} ${FOLDED_WORDS[of as FoldedKind]}`,
  );
  const ofData = [
    kind === 'removed' && 'no longer served',
    kind === 'added' && gained.length === 0 && 'served from this build on',
    gained.length > 0 && `${gained.length} served from this build on`,
    ...folded,
    attributes.gained.length > 0 && `${count(attributes.gained.length, 'attribute')} gained`,
    elements.length > 0 && `elements of ${count(elements.length, 'list')} gained`,
    attributes.lost.length > 0 && `${count(attributes.lost.length, 'attribute')} lost`,
  ].filter((text) => text !== false);
  const summary = words.filter(Boolean).join(', ');
  return { key, summary, added, removed, changed, changes, renamed, attributes, ofData };
}

const FOLDED_WORDS: Record<FoldedKind, string> = {
  corrections: 'corrections of ours',
  gained: 'with more data',
  translations: 'translations and spellings',
  times: 'times of day, and dates of the past',
  order: 'in another order',
  references: 'names and ids of other records',
};

/** Sorts what players look for first: numbers that grew or fell, stats before others; then other values, and names in other languages last. */
function inOrder<T extends { changes: readonly Change[] }>(records: readonly T[]) {
  return records
    .map((record) => ({ ...record, changes: record.changes.toSorted((a, b) => rankOf(a) - rankOf(b)) }))
    .sort((a, b) => rankOf(a.changes[0]) - rankOf(b.changes[0]));
}

function rankOf({ path, from, to }: Change = { path: '' }): number {
  const steps = pointerSteps(path);
  if (typeof from === 'number' && typeof to === 'number') return steps[0] === 'stats' ? 0 : 2;
  if (steps[0] === 'stats') return 1;
  return /^(?:.+_)?name_[a-z]{2}/.test(steps.at(-1) ?? '') ? 4 : 3;
}

/** How much of a long common start stays visible before the first difference. */
const CONTEXT = 20;

/**
 * Shortens two different texts so that the difference is visible: a long common start and the ends are cut.
 *
 * @param max the number of characters of each, without ellipses
 */
export function cutApart(from: string, to: string, max: number): [string, string] {
  const [before, after] = [[...from], [...to]];
  const isLong = before.length > max || after.length > max;
  let same = 0;
  while (isLong && same < before.length && before[same] === after[same]) same++;
  const start = same > max / 2 ? Math.max(0, same - CONTEXT) : 0;
  const cut = (text: readonly string[]) =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + max).join('')}${text.length > start + max ? '…' : ''}`;
  return [cut(before), cut(after)];
}
