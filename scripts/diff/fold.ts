// Separates changes of the game from changes of the data alone. `changed` of a diff lists the former; the latter are in lists of their own, by kind.
import { distance } from 'fastest-levenshtein';
import { isShownName, isUnresolved, withoutLanguage } from '../changes/texts.ts';
import { stripMarkup } from '../compile/library.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent, ReadFile } from '../format/build-content.ts';
import * as dist from '../format/dist-format.ts';
import { pointerSteps } from '../format/json.ts';
import { countEach, timeOf } from '../text.ts';
import { type AttributeChanges, leastOfModel } from './attribute-changes.ts';
import { type Change, valuesAt } from './compare.ts';
import {
  type AmendmentChanges,
  type BuildDiff,
  type ChangedRecord,
  diffBuilds,
  FOLDED,
  type Folded,
  type FoldedKind,
  idOfText,
  textsOf,
} from './diff-builds.ts';
import { keyOf } from './summary.ts';

/** The context that the separation needs. */
export interface FoldContext {
  /** Of the newer build. */
  dictionary?: AttributeDictionary | undefined;
  /** The language of texts without one in their attribute, and the game's own language if it is a different one. */
  language?: string | undefined;
  playedIn?: string | undefined;
  /** The changes of the newer build's corrections. */
  amendments?: readonly AmendmentChanges[] | undefined;
}

/** Reads the context of a build in dist/. */
export async function readContext(
  game: dist.GameDescription,
  build: dist.BuildEntry,
  read: ReadFile,
): Promise<FoldContext> {
  const readJson = async (ref: dist.FileRef) => JSON.parse((await read(ref)).toString());
  const amendments = (build.amendments ?? []).filter((ref) => ref !== null);
  return {
    dictionary: await readJson(build.attributes),
    language: game.language,
    playedIn: game.played_in,
    amendments: await Promise.all(amendments.map(readJson)),
  };
}

/** If a list of references changes on its own in at least this many records, it is read from elsewhere. */
const MIN_REREAD = 10;

/**
 * Compares two builds like `diffBuilds`, and separates the changes: `changed` has those of the game, `folded` the others.
 *
 * @param before undefined if everything in `after` is new
 */
export function diffGame(
  before: BuildContent | undefined,
  after: BuildContent,
  renamed?: dist.Renames,
  context: FoldContext = {},
): BuildDiff {
  const diff = diffBuilds(before, after, renamed);
  const lists = Object.entries(diff.datasets).flatMap(([key, each]) =>
    'changed' in each ? [[key, each] as const] : [],
  );
  const all = [['characters', diff.characters] as const, ...lists];
  const words = new Map(all.map(([key, { changed }]) => [key, findWords(key, changed, before, after)]));
  const found = [...words.values()].flatMap((of) => [...of.values()]);
  const elements = all.flatMap(([, { attributes }]) => attributes?.elements ?? []);
  const about = {
    context,
    since: before?.released_at,
    diff,
    words,
    after,
    respelled: new Map(found.flatMap((each) => [...each.respelled])),
    elements,
    reread: findReread(all.map(([, collection]) => collection)),
  };
  return {
    ...diff,
    characters: foldCollection('characters', diff.characters, about),
    datasets: {
      ...diff.datasets,
      ...Object.fromEntries(lists.map(([key, dataset]) => [key, foldCollection(key, dataset, about)])),
    },
  };
}

/** What the separation needs to know of a diff. */
interface About {
  context: FoldContext;
  /** The release time of the older build. */
  since: string | undefined;
  diff: BuildDiff;
  /** From `findReread`. */
  reread: ReadonlySet<string>;
  /** The elements that lists of any collection gained: a trait that characters get, enemies get too. */
  elements: NonNullable<AttributeChanges['elements']>;
  words: ReadonlyMap<string, ReadonlyMap<string, Words>>;
  /** The words that are spelled anew in any collection. */
  respelled: ReadonlyMap<dist.Json, dist.Json>;
  after: BuildContent;
}

/** Moves the changes that are not the game's to `folded`. */
function foldCollection<
  T extends ChangedRecord,
  C extends { changed: T[]; folded?: Folded<T>; attributes?: AttributeChanges },
>(key: string, collection: C, about: About): C {
  const kindOf = foldKindOf(key, collection, about);
  const kinds = collection.changed.map((record) => record.changes.map((change) => kindOf(change, record)));
  const partsOf = (kind: FoldedKind | undefined) =>
    collection.changed.flatMap((record, at) => {
      const changes = record.changes.filter((_, index) => kinds[at]?.[index] === kind);
      const isOf = (field: string) => changes.some(({ path }) => isWithin(path, field));
      return changes.length > 0 ? [{ ...record, fields: record.fields.filter(isOf), changes }] : [];
    });
  const folded = FOLDED.map((kind) => [kind, partsOf(kind)] as const).filter(([, { length }]) => length > 0);
  const all = folded.length > 0 && { folded: Object.fromEntries(folded) };
  return { ...collection, changed: partsOf(undefined), ...all };
}

/** Whether the path of a change leads into an attribute. */
function isWithin(path: string, field: string): boolean {
  return `${pointerSteps(path).join('.')}.`.startsWith(`${field}.`);
}

/** Finds lists of references that are read from elsewhere: they changed in many records, as if upstream had completed them. */
function findReread(collections: readonly { changed: readonly ChangedRecord[] }[]): ReadonlySet<string> {
  const keysOf = ({ changes }: ChangedRecord) =>
    new Set(changes.filter(isReference).map(({ path }) => keyOf(path)));
  const keys = collections.flatMap(({ changed }) => changed.flatMap((record) => [...keysOf(record)]));
  return new Set(countEach(keys).flatMap(([key, count]) => (count >= MIN_REREAD ? [key] : [])));
}

/** Whether a change adds or removes an element with nothing but the id and names of another record. */
function isReference({ path, from, to }: Change): boolean {
  const value = from ?? to;
  if ((from !== undefined && to !== undefined) || !/\/\d+$/.test(path) || !dist.isObject(value)) return false;
  return (
    typeof value.id === 'string' && Object.keys(value).every((name) => /^(?:id|name(?:_.*)?)$/.test(name))
  );
}

/** Fewer records do not show that an element of lists is spelled anew; one of many can have another word for another reason. */
const MIN_RESPELLED = 3;
const MOST = 0.9;
/** Longer texts are sentences. */
const MAX_WORD = 40;

/** What changed in the texts of an attribute, or in its lists of texts, in the whole collection. */
interface Words {
  /** Words that hardly a record has any more, and what nearly all records that had them have instead, which none had before. */
  respelled: Map<dist.Json, dist.Json>;
  /** In how many records each word is new. */
  gained: Map<dist.Json, number>;
  /** In how many records the attribute is new; where it was a copy of another one, or changed places with it; and where at least a half of that. */
  filled: number;
  copies: Set<string>;
  moved: Set<string>;
  /** In how many records a change is one of the data model. */
  least: number;
}

/** Finds what changed in the texts of each attribute. */
function findWords(
  collection: string,
  changed: readonly ChangedRecord[],
  ...builds: [before: BuildContent | undefined, after: BuildContent]
): Map<string, Words> {
  if (changed.length === 0) return new Map();
  const found = new Map<string, Words & { lost: Map<dist.Json, dist.Json[][]>; isOfLists: boolean }>();
  const [before = [], after = []] = builds.map((build) => (build ? textsOf(collection, build) : []));
  const [older, newer] = [before, after].map((texts) => new Map(texts.map((text) => [idOfText(text), text])));
  const has = (texts: typeof older, id: string, part: string, times: number) =>
    (texts?.get(id)?.split(part).length ?? 0) > times;
  for (const { id, changes } of changed)
    for (const { path, from, to } of changes) {
      const key = keyOf(path);
      const words = found.get(key) ?? {
        respelled: new Map(),
        gained: new Map(),
        lost: new Map(),
        filled: 0,
        copies: new Set(),
        moved: new Set(),
        least: leastOfModel(after.length),
        isOfLists: Array.isArray(to),
      };
      found.set(key, words);
      const isListed = /\/\d+(?:\/|$)/.test(path);
      if (from === undefined && !dist.isObject(to) && !isListed) words.filled++;
      const [quoted, next] = [from, to].map((value) => `:${JSON.stringify(value)}`) as [string, string];
      if (typeof from === 'string' && !isListed) {
        // The other attribute still has it, or the two changed places.
        const isLeft = has(newer, id, quoted, 1);
        const isSwapped = changes.some((other) => other.from === to && other.to === from);
        if (isSwapped || (isLeft && has(older, id, quoted, 2))) words.copies.add(id);
        if (isLeft || has(older, id, next, 1)) words.moved.add(id);
      }
      const [earlier, later] = [listOf(from), listOf(to)];
      const gains = later.filter((word) => !earlier.includes(word));
      for (const word of gains) words.gained.set(word, (words.gained.get(word) ?? 0) + 1);
      for (const word of earlier.filter((each) => !later.includes(each))) {
        const all = words.lost.get(word) ?? [];
        words.lost.set(word, all);
        all.push(gains);
      }
    }
  let parsed: dist.JsonObject[][] | undefined;
  for (const [key, { lost, gained, respelled, isOfLists }] of found) {
    const least = isOfLists ? MIN_RESPELLED : MIN_REREAD;
    const digitsOf = (word: dist.Json) => String(word).replace(/\D+/g, ' ').trim();
    const many = [...lost].flatMap(([word, all]) => {
      if (all.length < least) return [];
      const alike = countEach(all.flat()).filter(
        ([each, count]) => count >= all.length * MOST && digitsOf(each) === digitsOf(word),
      );
      return alike.length > 0 ? [{ word, alike, count: all.length }] : [];
    });
    if (many.length === 0) continue;
    parsed ??= [before, after].map((texts) => texts.map(dist.parseRecord));
    const [had, left] = parsed.map((records) => new Map(countEach(valuesAt(records, key.split('.')))));
    for (const { word, alike, count } of many) {
      const [next] = alike
        .filter(([each]) => !had?.has(each))
        .sort(([a, many], [b, more]) => more - many || (gained.get(a) ?? 0) - (gained.get(b) ?? 0));
      if (next !== undefined && count >= (count + (left?.get(word) ?? 0)) * MOST)
        respelled.set(word, next[0]);
    }
  }
  return found;
}

/** A word, or the words of a list, as a list. */
function listOf(value: dist.Json | undefined): readonly dist.Json[] {
  const isWord = (each: dist.Json) => typeof each === 'string' && each.length <= MAX_WORD && !DAY.test(each);
  return [value ?? null].flat().filter(isWord);
}

/** In a shorter name, another letter is another word. */
const MIN_SPELLED = 8;
const DAY = /^\d{4}-\d\d-\d\d(?=$|T)/;
const SUFFIX = new RegExp(`^(.*?)_(${dist.LANGUAGE.slice(1, -1)})$`);

/** Returns a function that finds the kind of a change in a collection; undefined for one of the game. */
function foldKindOf(
  collection: string,
  { attributes: ofData }: { attributes?: AttributeChanges },
  about: About,
): (change: Change, record: ChangedRecord) => FoldedKind | undefined {
  const { context, since, diff, reread } = about;
  const words = about.words.get(collection) ?? new Map<string, never>();
  const { dictionary = {}, amendments = [], language, playedIn = language } = context;
  const described = dist.ownValue(dictionary, collection)?.attributes ?? [];
  const attributes = new Map(described.map((attribute) => [attribute.key, attribute]));
  const identity = (id: string, { path, from = null }: Change) => JSON.stringify([id, path, from]);
  const corrected = new Set<string>();
  for (const { characters, datasets } of amendments) {
    const of = collection === 'characters' ? characters : dist.ownValue(datasets, collection);
    for (const { id, changes } of of && 'changed' in of ? of.changed : [])
      for (const change of changes) corrected.add(identity(id, change));
  }

  /** Whether a date is before the older build: a game does not change its past. */
  const isPast = (value: dist.Json) =>
    DAY.test(String(value)) && timeOf(String(value)) < Date.parse(since ?? '');

  const isGained = ({ path, from, to }: Change, key: string, { changes }: ChangedRecord): boolean => {
    if ((isEmpty(from) && isEmpty(to)) || (isAddress(from) && isAddress(to))) return true;
    if (to === undefined) return false;
    const { gained = [], elements = [] } = ofData ?? {};
    const ofAll = words.get(key);
    const isOfElements = about.elements.some((each) => {
      const { values } = each;
      if (each.key !== key) return false;
      if (values === undefined) return from === undefined && elements.includes(each);
      const news = values.filter((value) => ![...(ofAll?.respelled.values() ?? [])].includes(value));
      const isOfModel = news.some((value) => (ofAll?.gained.get(value) ?? 0) >= (ofAll?.least ?? 0));
      return (isOfModel || !elements.includes(each)) && isGrown(respell(key, from), to, news);
    });
    if (isOfElements || from !== undefined) return isOfElements;
    if (isPast(to)) return true;
    // A list that was empty, if all its elements gained attributes.
    const list = path.replace(/\/\d+$/, '');
    if (list === path || !gained.some((each) => each.startsWith(`${key}.`))) return false;
    const ofList = changes.filter((each) => each.path.startsWith(`${list}/`));
    return ofList.every((each) => each.from === undefined) && ofList[0]?.path === `${list}/0`;
  };

  /** Whether upstream only now has this value: before, it had a copy of another attribute, a key, or nothing in many records. */
  const isOwn = ({ path, from, to }: Change, key: string, { id, changes }: ChangedRecord): boolean => {
    const { filled = 0, least = 0 } = words.get(key) ?? {};
    if (from === undefined) return filled >= least && !/\/\d+(?:\/|$)/.test(path) && !DAY.test(String(to));
    if (typeof from !== 'string' || typeof to !== 'string') return false;
    // Also a name that is made from such a text.
    const isMade = changes.some((each) => {
      const { copies, moved } = words.get(keyOf(each.path)) ?? {};
      if (copies === undefined || copies.size < MIN_REREAD || !moved?.has(id)) return false;
      return from.replace(String(each.from), () => String(each.to)) === to;
    });
    if (isMade) return true;
    return isUnresolved(from) && !isUnresolved(to) && isShownName(key.split('.').at(-1) ?? '');
  };

  /** A text, or each of a list, as it is spelled now. */
  const respell = (key: string, value: dist.Json | undefined): dist.Json | undefined => {
    const isLeft = (word: dist.Json) =>
      textsOf(collection, about.after).some((text) => text.includes(JSON.stringify(word)));
    const one = (text: dist.Json) => {
      const other = about.respelled.get(text);
      return words.get(key)?.respelled.get(text) ?? (other !== undefined && !isLeft(text) ? other : text);
    };
    return Array.isArray(value) ? value.map(one) : value && one(value);
  };

  /** Whether a text is in another language than the game's own. */
  const isForeign = ({ from, to }: Change, key: string): boolean => {
    // The mark of a text that is not translated.
    if (attributes.has(key.replace(/_language$/, '')) && key.endsWith('_language')) return true;
    const { kind, values } = attributes.get(key) ?? {};
    // Such as the number `hp_max`, or the id of a skill's name.
    if (typeof (to ?? from) === 'number' || kind === 'id') return false;
    const [, base = '', suffix] = SUFFIX.exec(key) ?? [];
    const isInLanguage = base.endsWith('name') || (attributes.has(base) && withoutLanguage(key) === base);
    if (suffix !== undefined && isInLanguage) return suffix !== playedIn;
    const isText = kind === 'text' && (!values || key.endsWith('.name'));
    return playedIn !== language && isText && typeof (to ?? from) === 'string';
  };

  /** Whether a value is a renumbered id, or the name of another record, which has a change of its own. */
  const isReferred = ({ path, from, to }: Change, key: string): boolean => {
    if (to === undefined || Array.isArray(to)) return false;
    if (from === undefined && diff.characters.added.some(({ name }) => name === to)) return true;
    const { kind, ref } = attributes.get(key) ?? {};
    if (kind === 'id' && from !== undefined) return !/\/\d/.test(path);
    if (ref !== undefined) {
      const target = ref === 'characters' ? diff.characters : dist.ownValue(diff.datasets, ref);
      // What was only a name is linked to a record that is new.
      if (from === undefined && /\/id$/.test(path) && target && 'added' in target)
        return target.added.some((each) => (typeof each === 'string' ? each : each.id) === to);
      const renamed = target && 'renamed' in target ? target.renamed : undefined;
      return typeof from === 'string' && dist.ownValue(renamed ?? {}, from) === to;
    }
    const [, owner = ''] = /^(.+)[._]name(?:_[a-z_]+)?$/.exec(key) ?? [];
    const target = (attributes.get(`${owner}.id`) ?? attributes.get(owner))?.ref ?? '';
    return dist.ownValue(dictionary, target)?.attributes.some((each) => each.key === 'name') ?? false;
  };

  return (change, record) => {
    const { path, from, to } = change;
    const key = keyOf(path);
    if (corrected.has(identity(record.id, change))) return 'corrections';
    if (isGained(change, key, record)) return 'gained';
    if (isForeign(change, key)) return 'translations';
    if (typeof from === 'string' && typeof to === 'string') {
      const day = DAY.exec(from)?.[0];
      if (day !== undefined && (day === DAY.exec(to)?.[0] || (isPast(from) && isPast(to)))) return 'times';
      if (isMisspelt(key, from, to)) return 'translations';
    }
    if (to === undefined && isPast(from ?? null)) return 'times';
    if (isSameInOrder(from, to)) return 'order';
    const now = respell(key, from);
    if (plainText(now) === plainText(to) || isSameInOrder(now, to)) return 'translations';
    if (isOwn(change, key, record)) return 'gained';
    if (reread.has(key) && record.changes.every(isReference)) return 'gained';
    return isReferred(change, key) ? 'references' : undefined;
  };
}

function isEmpty(value: dist.Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether a value consists only of addresses, such as those of pictures; also true if it is absent. */
function isAddress(value: dist.Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'object') return Object.values(value).every(isAddress);
  return typeof value === 'string' && /^https?:\/\//.test(value);
}

/** Whether a list only gained scalars that all lists of its collection gained. */
function isGrown(from: dist.Json | undefined, to: dist.Json, values: readonly dist.Json[]): boolean {
  if (!Array.isArray(to) || !Array.isArray(from)) return false;
  return JSON.stringify(to.filter((value) => !values.includes(value))) === JSON.stringify(from);
}

/** Whether two values are equal except for the order of elements: a list, or an element that only moved. Numbers are by level, so their order counts. */
function isSameInOrder(from: dist.Json | undefined, to: dist.Json | undefined): boolean {
  if (typeof from !== 'object' || from === null || typeof to !== 'object' || to === null) return false;
  if (Array.isArray(from) && from.every((each) => typeof each === 'number')) return false;
  const sorted = (value: dist.Json) =>
    JSON.stringify(Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value);
  return sorted(from) === sorted(to);
}

/** Whether one small letter inside a word is another one, or is new or gone, in a name of some length. */
function isMisspelt(key: string, from: string, to: string): boolean {
  const outlineOf = (text: string) => text.replace(/(?<=\p{L})\p{Ll}+/gu, '');
  const isLong = from.length >= MIN_SPELLED && isShownName(key.split('.').at(-1) ?? '');
  return isLong && outlineOf(from) === outlineOf(to) && distance(from, to) === 1;
}

/** A text, or each of a list, without markup, case, spaces, leading zeros and punctuation; punctuation next to a digit stays, as in 1.5 or 20%. [Lv.] stands for a number. */
function plainText(text: dist.Json | undefined): string {
  if (typeof text !== 'string') return JSON.stringify(Array.isArray(text) ? text.map(plainText) : [text]);
  const unmarked = (stripMarkup(text) ?? '').replace(/\[Lv\.\]|(?<![\d.,])0+(?=\d)/gi, '');
  const plain = unmarked.normalize('NFKC').toLowerCase();
  return plain.replace(/\s+/g, '').replace(/(?<!\d)[\p{P}<>]+(?!\d)/gu, '');
}
