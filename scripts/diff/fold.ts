// Separates changes of the game from changes of the data alone. `changed` of a diff lists the former; the latter are in lists of their own, by kind.
import type { Attribute, AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json, LANGUAGE, type Renames } from '../format/dist-format.ts';
import { pointerSteps } from '../format/json.ts';
import type { Change } from './compare.ts';
import {
  type AmendmentChanges,
  type AttributeChanges,
  type BuildDiff,
  type ChangedRecord,
  diffBuilds,
  FOLDED,
  type Folded,
  type FoldedKind,
  type RecordsDiff,
} from './diff-builds.ts';

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

/** With the release time of the older build. */
type Since = FoldContext & { since: string | undefined };

/** If a list of references changes on its own in at least this many records, it is read from elsewhere. */
const MIN_REREAD = 10;

/**
 * Compares two builds like `diffBuilds`, and separates the changes: `changed` has those of the game.
 *
 * @param before undefined if everything in `after` is new
 */
export function diffGame(
  before: BuildContent | undefined,
  after: BuildContent,
  renamed?: Renames,
  context: FoldContext = {},
): BuildDiff {
  return foldDiff(diffBuilds(before, after, renamed), { ...context, since: before?.released_at });
}

/** Moves the changes that are not the game's to `folded`. */
function foldDiff(diff: BuildDiff, context: Since): BuildDiff {
  const collections = Object.entries(diff.datasets).filter(
    (entry): entry is [string, RecordsDiff] => 'changed' in entry[1],
  );
  const reread = findReread([diff.characters, ...collections.map(([, dataset]) => dataset)]);
  const foldOne = <T extends ChangedRecord, C extends { changed: T[]; attributes?: AttributeChanges }>(
    key: string,
    collection: C,
  ): C => {
    const folder = new Folder(key, collection.attributes, diff, context, reread);
    const changed: T[] = [];
    const folded: Folded<T> = {};
    for (const record of collection.changed) {
      const kinds = new Map<FoldedKind | undefined, Change[]>();
      for (const change of record.changes) {
        const kind = folder.kindOf(change, record);
        kinds.set(kind, [...(kinds.get(kind) ?? []), change]);
      }
      for (const [kind, changes] of kinds) {
        const isOf = (field: string) => changes.some(({ path }) => isWithin(path, field));
        const part = { ...record, fields: record.fields.filter(isOf), changes };
        if (kind === undefined) changed.push(part);
        else folded[kind] = [...(folded[kind] ?? []), part];
      }
    }
    const inOrder = FOLDED.flatMap((kind) => (folded[kind] ? [[kind, folded[kind]]] : []));
    return { ...collection, changed, ...(inOrder.length > 0 && { folded: Object.fromEntries(inOrder) }) };
  };
  return {
    ...diff,
    characters: foldOne('characters', diff.characters),
    datasets: {
      ...diff.datasets,
      ...Object.fromEntries(collections.map(([key, dataset]) => [key, foldOne(key, dataset)])),
    },
  };
}

/** Whether the path of a change leads into an attribute. */
function isWithin(path: string, field: string): boolean {
  return `${pointerSteps(path).join('.')}.`.startsWith(`${field}.`);
}

function keyOf(path: string): string {
  return pointerSteps(path)
    .filter((step) => !/^\d+$/.test(step))
    .join('.');
}

/** Finds lists of references that are read from elsewhere: they changed in many records, as if upstream had completed them. */
function findReread(collections: readonly { changed: readonly ChangedRecord[] }[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { changed } of collections)
    for (const { changes } of changed) {
      const keys = new Set(changes.filter(isReference).map(({ path }) => keyOf(path)));
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return new Set([...counts].flatMap(([key, count]) => (count >= MIN_REREAD ? [key] : [])));
}

/** Whether a change adds or removes an element with nothing but the id and names of another record. */
function isReference({ path, from, to }: Change): boolean {
  const value = from ?? to;
  if ((from !== undefined && to !== undefined) || !/\/\d+$/.test(path) || !isObject(value)) return false;
  return (
    typeof value.id === 'string' && Object.keys(value).every((name) => /^(?:id|name(?:_.*)?)$/.test(name))
  );
}

const DAY = /^\d{4}-\d\d-\d\d(?=$|T)/;
const SUFFIX = new RegExp(`^(.*?)_(${LANGUAGE.slice(1, -1)})$`);

/** Finds the kind of each change in a collection. */
class Folder {
  readonly #attributes: ReadonlyMap<string, Attribute>;
  readonly #corrected = new Set<string>();

  readonly #ofData: AttributeChanges | undefined;
  readonly #diff: BuildDiff;
  readonly #context: Since;
  readonly #reread: ReadonlySet<string>;

  /** @param ofData what the whole collection gained @param reread from `findReread` */
  constructor(
    key: string,
    ofData: AttributeChanges | undefined,
    diff: BuildDiff,
    context: Since,
    reread: ReadonlySet<string>,
  ) {
    this.#ofData = ofData;
    this.#diff = diff;
    this.#context = context;
    this.#reread = reread;
    const { dictionary = {}, amendments = [] } = context;
    const attributes = Object.hasOwn(dictionary, key) ? (dictionary[key]?.attributes ?? []) : [];
    this.#attributes = new Map(attributes.map((attribute) => [attribute.key, attribute]));
    for (const { characters, datasets } of amendments) {
      const changes =
        key === 'characters' ? characters : Object.hasOwn(datasets, key) ? datasets[key] : undefined;
      if (changes === undefined || 'changes' in changes) continue;
      for (const { id, changes: corrected } of changes.changed)
        for (const { path, from } of corrected) this.#corrected.add(JSON.stringify([id, path, from ?? null]));
    }
  }

  kindOf(change: Change, record: ChangedRecord): FoldedKind | undefined {
    const { path, from, to } = change;
    const key = keyOf(path);
    const attribute = this.#attributes.get(key);
    if (this.#corrected.has(JSON.stringify([record.id, path, from ?? null]))) return 'corrections';
    if (this.#isGained(change, key, record)) return 'gained';
    if (this.#isForeign(key, attribute, from, to)) return 'translations';
    if (typeof from === 'string' && typeof to === 'string') {
      const day = DAY.exec(from)?.[0];
      if (day !== undefined && (day === DAY.exec(to)?.[0] || (this.#isPast(from) && this.#isPast(to))))
        return 'times';
      if (plainText(from) === plainText(to)) return 'translations';
    }
    if (isSameInOrder(from, to)) return 'order';
    if (this.#reread.has(key) && record.changes.every(isReference)) return 'gained';
    return this.#isReferred(change, key, attribute) ? 'references' : undefined;
  }

  #isGained({ path, from, to }: Change, key: string, { changes }: ChangedRecord): boolean {
    if ((isEmpty(from) && isEmpty(to)) || (isAddress(from) && isAddress(to))) return true;
    if (to === undefined) return false;
    const { gained = [], elements = [] } = this.#ofData ?? {};
    for (const { key: list, values } of elements) {
      if (list !== key) continue;
      if (values === undefined ? from === undefined : isGrown(from, to, values)) return true;
    }
    if (from !== undefined) return false;
    if (this.#isPast(to)) return true;
    // A list that was empty, if all its elements gained attributes.
    const list = path.replace(/\/\d+$/, '');
    if (list === path || !gained.some((each) => each.startsWith(`${key}.`))) return false;
    const ofList = changes.filter((each) => each.path.startsWith(`${list}/`));
    return (
      ofList.every((each) => each.from === undefined) && ofList.some((each) => each.path === `${list}/0`)
    );
  }

  /** Whether a date is before the older build: a game does not change its past. */
  #isPast(value: Json): boolean {
    const { since } = this.#context;
    if (typeof value !== 'string' || !DAY.test(value) || since === undefined) return false;
    return Date.parse(value) < Date.parse(since);
  }

  /** Whether a text is in another language than the game's own. */
  #isForeign(key: string, attribute: Attribute | undefined, from?: Json, to?: Json): boolean {
    const { language, playedIn = language } = this.#context;
    const [, base = '', suffix] = SUFFIX.exec(key) ?? [];
    if (suffix !== undefined && (base.endsWith('name') || this.#attributes.has(base)))
      return suffix !== playedIn;
    if (playedIn === language || attribute?.kind !== 'text' || attribute.values) return false;
    return typeof (to ?? from) === 'string';
  }

  /** Whether a value is a renumbered id, or the name of another record, which has a change of its own. */
  #isReferred({ path, from, to }: Change, key: string, attribute: Attribute | undefined): boolean {
    if (to === undefined || Array.isArray(to)) return false;
    if (attribute?.kind === 'id' && from !== undefined) return !/\/\d/.test(path);
    const { ref } = attribute ?? {};
    if (ref !== undefined && from !== undefined) {
      const renamed = ref === 'characters' ? this.#diff.characters.renamed : this.#renamedIn(ref);
      return (
        typeof from === 'string' &&
        renamed !== undefined &&
        Object.hasOwn(renamed, from) &&
        renamed[from] === to
      );
    }
    const [, owner] = /^(.+)[._]name(?:_[a-z_]+)?$/.exec(key) ?? [];
    if (owner === undefined) return false;
    return (this.#attributes.get(`${owner}.id`) ?? this.#attributes.get(owner))?.ref !== undefined;
  }

  #renamedIn(dataset: string): Readonly<Record<string, string>> | undefined {
    const diff = Object.hasOwn(this.#diff.datasets, dataset) ? this.#diff.datasets[dataset] : undefined;
    return diff && 'renamed' in diff ? diff.renamed : undefined;
  }
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether a value consists only of addresses, such as those of pictures; also true if it is absent. */
function isAddress(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'object') return Object.values(value).every(isAddress);
  return typeof value === 'string' && /^https?:\/\//.test(value);
}

/** Whether a list only gained scalars that all lists of its collection gained. */
function isGrown(from: Json | undefined, to: Json, values: readonly Json[]): boolean {
  if (!Array.isArray(to) || !Array.isArray(from)) return false;
  return JSON.stringify(to.filter((value) => !values.includes(value))) === JSON.stringify(from);
}

/** Whether two values are equal except for the order of elements: a list, or an element that only moved. */
function isSameInOrder(from: Json | undefined, to: Json | undefined): boolean {
  if (typeof from !== 'object' || from === null || typeof to !== 'object' || to === null) return false;
  const sorted = (value: Json) =>
    JSON.stringify(Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value);
  return sorted(from) === sorted(to);
}

/** A text without markup, case, spaces and punctuation; punctuation next to a digit stays, as in 1.5 or 20%. */
function plainText(text: string): string {
  const plain = text
    .replace(/<\/?[a-z][^<>\s]*>/gi, '')
    .normalize('NFKC')
    .toLowerCase();
  return plain.replace(/\s+/g, '').replace(/(?<!\d)\p{P}+(?!\d)/gu, '');
}
