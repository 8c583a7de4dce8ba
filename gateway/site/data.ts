// The data of pages. All of it is JSON of the API, read for the view of visitors, and cached as long as a build is current.
import { transcode } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { CollectionAttributes } from '../../scripts/format/attributes.ts';
import { parseRecord } from '../../scripts/format/dist-format.ts';
import type { Json, JsonObject } from '../../scripts/format/json.ts';
import { findNearest } from '../../scripts/text.ts';
import { TIERS } from '../access/account.ts';
import type { Asked } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import type { View } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { HttpProblem, type ProblemCode, quote, suggest, unavailable } from '../http/problem.ts';
import { valueAt } from '../query/fields.ts';
import * as facetLists from './facets.ts';
import { isObject, nameOfRecord, once, wordsOf } from './format.ts';
import { type Entry, pictureAddress } from './tile.ts';

const MAX_PAGE = 1000;

/** A page of a list, as the API sends it. */
export interface ListReply {
  build: string;
  total: number;
  count: number;
  did_you_mean?: { parameter: string; value: string };
  characters?: JsonObject[];
  records?: JsonObject[];
}

/** A list of a game, as pages show it. */
export interface ListModel {
  key: string;
  label: string;
  count: number;
  known: facetLists.Attributes;
  facets: facetLists.FacetRecord[];
  /** The filters beside the list. */
  side: facetLists.SideFacet[];
  /** The default columns of its table. */
  columns: string[];
  tile: facetLists.TileKeys;
  /** Its records in their order; empty if they have no ids. */
  entries: Entry[];
  byId: ReadonlyMap<string, Entry>;
  /** The hosts of their pictures. */
  hosts: string[];
}

/** What is known of a list before its records are read. */
type Described = Pick<ListModel, 'key' | 'known' | 'facets' | 'tile' | 'count'>;

/** The records of a list that refer to a record by an attribute. */
export interface Referrers {
  model: ListModel;
  attribute: string;
  ids: string[];
}

/** Returns the data for links to a record; undefined if there is no such record. */
export type FindEntry = (collection: string, id: string) => Entry | undefined;

export class PageData {
  readonly #routes: readonly Route[];
  readonly #read: (asked: Asked, view: View) => Promise<Buffer>;
  readonly #lists = perGame((view: View, game, key) => this.#makeList(view, game, key));
  /** What refers to the records of a list, by the id that is referred to. */
  readonly references = perGame((view: View, game, key) => this.#findReferences(view, game, key));

  constructor(routes: readonly Route[], read: (asked: Asked, view: View) => Promise<Buffer>) {
    this.#routes = routes;
    this.#read = read;
  }

  /** Reads the JSON of a 200. @param query without `?` @throws the error of the address */
  async read<T>(view: View, path: string, query = ''): Promise<T> {
    const steps = path.split('/');
    const fits = (pattern: string[]) =>
      pattern.length === steps.length && pattern.every((step, at) => step[0] === ':' || step === steps[at]);
    const route = this.#routes.find((each) => each.form === undefined && fits(each.path.split('/')));
    if (route === undefined) throw new HttpProblem('not-found', `nothing is at ${quote(path)}`);
    const params = Object.fromEntries(
      route.path
        .split('/')
        .flatMap((step, at) =>
          step[0] === ':' ? [[step.slice(1), decodeURIComponent(steps[at] ?? '')]] : [],
        ),
    );
    const json = await this.#read({ route, path, search: query === '' ? '' : `?${query}`, params }, view);
    return JSON.parse(json.toString()) as T;
  }

  /** Returns the description of a list; undefined if the game has no such list. */
  async list(view: View, game: GameBuild, key: string): Promise<ListModel | undefined> {
    return listsOf(game).some((list) => list.key === key) ? await this.#lists(view, game, key) : undefined;
  }

  /** Returns the lists of a game, all or some, characters first. */
  async lists(view: View, game: GameBuild, some?: ReadonlySet<string>): Promise<ListModel[]> {
    const lists = listsOf(game).filter(({ key }) => some?.has(key) ?? true);
    return await Promise.all(lists.map(({ key }) => this.#lists(view, game, key)));
  }

  /** Returns the hosts of the pictures of some lists. */
  async hosts(view: View, game: GameBuild, keys: Iterable<string>): Promise<string[]> {
    const lists = await this.lists(view, game, new Set(keys));
    return [...new Set(lists.flatMap(({ hosts }) => hosts))];
  }

  /** Returns a function that finds the records of some lists. */
  async finder(view: View, game: GameBuild, keys: Iterable<string>): Promise<FindEntry> {
    const lists = new Map<string, ListModel | undefined>();
    for (const key of keys) lists.set(key, await this.list(view, game, key));
    return (key, id) => lists.get(key)?.byId.get(id);
  }

  /** Reads the attributes of a list or an object. */
  async describe(view: View, { slug }: GameBuild, key: string) {
    const path = key === CHARACTERS ? `/api/${slug}` : `/api/${slug}/${encodeURIComponent(key)}`;
    const { attributes, records } = await this.read<CollectionAttributes>(view, `${path}/attributes`);
    const known = new Map(facetLists.inReadingOrder(attributes).map((each) => [each.key, each]));
    return { known, path, records };
  }

  async #makeList(view: View, game: GameBuild, key: string): Promise<ListModel> {
    const { known, path, records: count } = await this.describe(view, game, key);
    type Reply = { records: facetLists.FacetRecord[] };
    const { records: facets } = await this.read<Reply>(view, `${path}/facets`);
    for (const facet of facets) {
      const { ref } = known.get(facet.id) ?? {};
      if (ref === undefined || facet.values === undefined) continue;
      // The id of a record without a page says nothing to readers.
      facet.values = facet.values.flatMap((each) => {
        const record = recordOf(game, ref, String(each.value));
        return record ? [{ label: nameOfRecord(record), ...each }] : [];
      });
    }
    const side = facetLists.sideFacets(facets, known, count);
    const tile = facetLists.tileKeysOf(side, facets, known);
    const described = { key, known, facets, tile, count };
    const entries = await this.#readEntries(view, game, described);
    const hosts = entries.flatMap(({ picture }) => (picture === undefined ? [] : new URL(picture).host));
    return {
      ...described,
      label: wordsOf(key),
      side,
      columns: facetLists.usualColumns(side, facets, known),
      entries,
      byId: new Map(entries.map((entry) => [entry.id, entry])),
      hosts: [...new Set(hosts)],
    };
  }

  /** Reads the names of all records, and the data for their tiles. */
  async #readEntries(view: View, game: GameBuild, list: Described): Promise<Entry[]> {
    const { key, known, facets, tile, count } = list;
    if (!known.has('id') || count === 0) return [];
    const isNamed = facets.find(({ id }) => id === 'name')?.count === count;
    const names = isNamed ? ['name'] : [...known.keys()].filter((each) => /^([^.]+_)?name$/.test(each));
    const fields = ['id', ...names, tile.group ?? [], tile.rarity ?? [], tile.picture ?? []].flat();
    const records = await this.readAll(view, game, key, fields);
    const path = `/games/${encodeURIComponent(game.slug)}/${encodeURIComponent(key)}/`;
    const { group = '', rarity = '', picture = '', labels } = tile;
    const rarities = new Set(records.map((record) => Number(valueAt(record, rarity) ?? 0)));
    const highest = [...rarities].sort((a, b) => b - a);
    const entries = records.map((record) => ({
      id: String(record.id),
      href: path + encodeURIComponent(String(record.id)),
      name: nameOfRecord(record),
      group: labels.get(String(valueAt(record, group))) ?? '',
      rarity: highest.length > 1 ? highest.indexOf(Number(valueAt(record, rarity) ?? 0)) : 2,
      picture: pictureAddress(valueAt(record, picture)),
    }));
    const hasTitles = entries.every(({ name, group: own }) => own !== '' && name.endsWith(` ${own}`));
    const titled = ({ name, group: own }: Entry) => ({ title: name.slice(0, -own.length) });
    return hasTitles ? entries.map((entry) => ({ ...entry, ...titled(entry) })) : entries;
  }

  /** Reads all records of a list, with all attributes or some. */
  async readAll(view: View, { slug }: GameBuild, key: string, fields?: string[]): Promise<JsonObject[]> {
    const path = `/api/${slug}/${encodeURIComponent(key)}`;
    const given = fields ? `fields=${fields.map(encodeURIComponent).join()}&` : '';
    const all: JsonObject[] = [];
    for (let total = 1; all.length < total; ) {
      // Other requests are served between pages.
      await setImmediate();
      const query = `${given}limit=${MAX_PAGE}&offset=${all.length}`;
      const reply = await this.read<ListReply>(view, path, query);
      const records = reply.characters ?? reply.records ?? [];
      all.push(...records);
      total = records.length === 0 ? 0 : reply.total;
    }
    return all;
  }

  async #findReferences(view: View, game: GameBuild, key: string): Promise<Map<string, Referrers[]>> {
    const found = new Map<string, Referrers[]>();
    for (const model of await this.lists(view, game)) {
      for (const { key: attribute, ref, count } of model.entries.length > 0 ? model.known.values() : []) {
        // The data may lack what the dictionary describes.
        if (ref !== key || count === 0) continue;
        for (const record of await this.readAll(view, game, model.key, ['id', attribute]))
          for (const id of new Set(valuesAt(record, attribute.split('.')))) {
            const all = found.get(id) ?? [];
            const last = all.at(-1);
            if (last?.model === model && last.attribute === attribute) last.ids.push(String(record.id));
            else all.push({ model, attribute, ids: [String(record.id)] });
            found.set(id, all);
          }
      }
    }
    return found;
  }
}

/** Returns a function that caches what it reads about a game, by name, as long as a build is current. */
export function perGame<Asked, T>(
  make: (asked: Asked, game: GameBuild, name: string) => Promise<T>,
): (asked: Asked, game: GameBuild, name: string) => Promise<T> {
  const kept = new WeakMap<GameBuild, Map<string, Promise<T>>>();
  return (asked, game, name) => {
    const ofGame = kept.get(game) ?? new Map<string, Promise<T>>();
    kept.set(game, ofGame);
    const found = ofGame.get(name);
    if (found) return found;
    const made = make(asked, game, name);
    ofGame.set(name, made);
    made.catch(() => ofGame.delete(name));
    return made;
  };
}

/** The texts at a path of a record, in each element of lists on the way. */
function valuesAt(value: Json | undefined, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path));
  const [name, ...inner] = path;
  if (name === undefined)
    return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  return isObject(value) && Object.hasOwn(value, name) ? valuesAt(value[name], inner) : [];
}

/** Returns a record of a list, whole; undefined if there is none. */
export function recordOf(game: GameBuild, key: string, id: string): JsonObject | undefined {
  const dataset = game.datasets.get(key);
  const list = key === CHARACTERS ? game.roster : dataset?.kind === 'list' ? dataset.list : undefined;
  const json = list?.fullRecords[list.rowOfId?.get(id) ?? -1];
  // With texts in many languages, this takes a fifth of the time of toString.
  return json && parseRecord(transcode(json, 'utf8', 'utf16le').toString('utf16le'));
}

/** Returns the lists of a game that have records, characters first. */
export const listsOf = once(({ entry }: GameBuild) => {
  const lists = entry.datasets.flatMap(({ key, kind, count }) =>
    kind === 'list' && count > 0 ? [{ key, label: wordsOf(key), count }] : [],
  );
  return [{ key: CHARACTERS, label: 'Characters', count: entry.characters.count }, ...lists];
});

/** An element of /api/games. */
export interface ListedGame {
  slug: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  counts: { characters: number; datasets: number; builds: number };
  /** The slug of the game that continues this one, if it has ended. */
  successor?: string;
  /** The date of each collection's source. */
  as_of: Readonly<Record<string, string>>;
  /** As in `Freshness`; absent if the game's files are damaged. */
  age_days?: number;
  cadence_days?: number | null;
  behind_days?: number | null;
}

/** When a game's characters were read last; newer data about less, such as banners, does not make it newer. */
const freshAt = (game: ListedGame) => Date.parse(game.as_of[CHARACTERS] ?? game.released_at);

/** Returns all games: ongoing ones first, the newest first. */
export function gamesOf({ gamesJson }: View): ListedGame[] {
  const { games }: { games: ListedGame[] } = JSON.parse(gamesJson.toString());
  return games.sort(
    (a, b) =>
      Number(a.successor !== undefined) - Number(b.successor !== undefined) || freshAt(b) - freshAt(a),
  );
}

/** Something that does not exist, with pages that the visitor may have meant. */
export class NearProblem extends HttpProblem {
  readonly near: readonly (readonly [href: string, name: string])[];

  constructor(code: ProblemCode, detail: string, near: NearProblem['near']) {
    super(code, detail);
    this.near = near;
  }
}

/**
 * Returns the game of a page.
 *
 * @throws HttpProblem `unknown-game`, or `unavailable` if its files are damaged
 */
export function gameOf({ view, params }: { view: View; params: Partial<Record<string, string>> }): GameBuild {
  const slug = params.game ?? '';
  const game = view.games.get(slug);
  if (game) return game;
  if (view.lost.has(slug)) throw unavailable('the data of this game cannot be read right now');
  const nearest = findNearest(slug, [...view.games.keys()]);
  const wordsIn = (title: string) => title.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const near = [...view.games.values()].filter(
    (each) => each.slug === nearest || wordsIn(each.title).includes(slug.toLowerCase()),
  );
  throw new NearProblem(
    'unknown-game',
    `there is no game ${quote(slug)}${suggest(slug, [...view.games.keys()])}, or it is not public yet: a game is public ${TIERS.free.delayHours} hours after its first build, and Pro keys see it at once`,
    [...near.map((each) => [`/games/${each.slug}`, each.title] as const), ['/games', 'All games']],
  );
}

/** The path of a list's page. */
export function listAddressOf(game: string, collection: string): string {
  const name = collection === CHARACTERS ? 'explore' : encodeURIComponent(collection);
  return `/games/${encodeURIComponent(game)}/${name}`;
}
