import { createHash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import type { View } from '../data/view.ts';
import { whenPrepared } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import { namesOf } from './name-index.ts';

/** A list of a game that a search over all games searches: its records have ids and names. */
export interface SearchableList {
  game: GameBuild;
  /** `characters` or the key of a dataset. */
  collection: string;
  list: Collection;
}

/** The lists that a search over the games of a view searches. */
export interface Searchable {
  lists: readonly SearchableList[];
  collections: readonly Collection[];
  /** Identifies the content of all of them. */
  tag: string;
  /** Makes the indexes for typos that are missing, in slices; undefined if there are none. */
  prepare(): Promise<void> | undefined;
}

/** How long indexes are made before other requests have their turn. */
const SLICE_MS = 10;

const searchables = new WeakMap<View, Searchable>();
/** The lists whose indexes for typos are made. Lists are shared by views, and mostly stay when a game gets a new build. */
const prepared = new WeakSet<Collection>();

/** Returns what a search over all games of a view searches. */
export function searchableOf(view: View): Searchable {
  let searchable = searchables.get(view);
  if (searchable === undefined) {
    searchable = searchableIn([...view.games.values()]);
    searchables.set(view, searchable);
  }
  return searchable;
}

/** Returns what a search over some games searches, in their order. */
export function searchableIn(games: readonly GameBuild[]): Searchable {
  const lists = games.flatMap(listsOf);
  const hash = createHash('sha256');
  for (const { slug, tag, languages, datasets } of games) {
    hash.update(JSON.stringify([slug, tag, languages.own, [...datasets.values()].map((each) => each.tag)]));
  }
  let preparing: Promise<void> | undefined;
  return {
    lists,
    collections: lists.map(({ list }) => list),
    tag: hash.digest('hex'),
    prepare() {
      if (lists.every(({ list }) => prepared.has(list))) return undefined;
      preparing ??= prepareAll(lists).finally(() => {
        preparing = undefined;
      });
      return preparing;
    },
  };
}

function listsOf(game: GameBuild): SearchableList[] {
  const datasets = [...game.datasets.values()].flatMap((dataset) =>
    dataset.kind === 'list' ? [{ game, collection: dataset.key, list: dataset.list }] : [],
  );
  return [{ game, collection: CHARACTERS, list: game.roster }, ...datasets].filter(
    ({ list }) => list.columns.get('name')?.type === 'string' && list.columns.get('id')?.type === 'string',
  );
}

async function prepareAll(lists: readonly SearchableList[]): Promise<void> {
  let since = performance.now();
  for (const { list } of lists) {
    if (prepared.has(list)) continue;
    await whenPrepared(() => namesOf(list).prepareNear());
    prepared.add(list);
    if (performance.now() - since < SLICE_MS) continue;
    await nextTick();
    since = performance.now();
  }
}
