import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { gameIn, type View } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild, tagOfGame } from '../data/game-build.ts';
import { readOne, splitList, valuesOf } from '../http/incoming.ts';
import { invalidParameter } from '../http/problem.ts';
import { type Collection, textAt } from '../query/collection.ts';
import { foldText, type SearchText, SILENT } from '../query/fold.ts';
import { checkSearch, MAX_SEARCH_LENGTH } from '../query/list-query.ts';
import { type Hit, isWhole, kindOf, RANKS, searchNames } from '../query/name-index.ts';
import { pageLinks, readCode } from './lists.ts';
import { LANG, listParameter, pageParameters, parameter, readPage, route } from './route.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** A search for one letter matches only whole names: nearly every name contains it. */
const ONE_LETTER = /^[\0-\x7f]$/;
/** The ranks of names with one typo are smaller. */
const ONE_TYPO = 6 * 64;
/** The words that players use for datasets. */
export const MEANINGS: readonly (readonly [words: RegExp, keys: RegExp])[] = [
  [/^(pity|wish(es)?|gacha|pulls?|summons?)$/, /^pull_/],
  [/^(reruns?|rate-?ups?)$/, /^banners$/],
];

export const searchRoute = route({
  path: '/api/search',
  operationId: 'search',
  summary: 'A search over all games',
  parameters: [
    parameter(
      'q',
      'The words of a name, as in `q` of a list.',
      { minLength: 1, maxLength: MAX_SEARCH_LENGTH },
      { required: true, example: 'raidn' },
    ),
    listParameter('games', 'Only these games, by slug.'),
    LANG,
    ...pageParameters(MAX_LIMIT, DEFAULT_LIMIT, 'results'),
  ],
  result: 'SearchResults',
  problems: ['unknown-game'],
  async handle(request) {
    const { query, view } = request;
    const { lists, datasets, codes, tag } = await findLists(view, valuesOf(query, 'games'));
    const q = readOne(query, 'q');
    if (q === undefined) throw invalidParameter('q', 'q is missing, expected a part of a name');
    const text = checkSearch(q);
    const { limit, offset } = readPage(query, MAX_LIMIT, DEFAULT_LIMIT);
    const { code, language } = readCode(query, { codes });
    return {
      tag,
      language,
      body() {
        const hits = search(lists, text);
        const page = hits.slice(offset, offset + limit);
        const results = page.map((hit) => describe(hit, code));
        const named = offset === 0 ? findDatasets(datasets, q) : [];
        const found = { q, total: hits.length, count: page.length, limit, offset, results };
        const json = Buffer.from(JSON.stringify(named.length > 0 ? { ...found, datasets: named } : found));
        return { json, links: pageLinks(request, hits.length, page.length, offset, limit) };
      },
    };
  },
});

/** A list of a game whose records have ids and names. */
interface SearchedList {
  game: GameBuild;
  /** `characters` or the key of a dataset. */
  collection: string;
  list: Collection;
}

const searchedOf = new WeakMap<View, ReturnType<typeof listsOf>>();

/** @throws HttpProblem as `gameIn` does */
function findLists(view: View, choice: readonly string[] | undefined) {
  if (choice !== undefined)
    return listsOf([...new Set(splitList('games', choice))].map((slug) => gameIn(view, slug)));
  const searched = searchedOf.get(view) ?? listsOf([...view.games.values()]);
  searchedOf.set(view, searched);
  return searched;
}

/** The lists whose names were needed before. */
const indexed = new WeakSet<Collection>();

/**
 * Returns the lists with names, the names of all datasets, the languages of names, and the tag of the content. To index all names for the first time
 * takes more than a second: other requests are handled between the lists.
 */
async function listsOf(games: readonly GameBuild[]) {
  const contents = games.map((game) => [game.slug, tagOfGame(game)]);
  const lists = games.flatMap((game) => [
    { game, collection: CHARACTERS, list: game.roster },
    ...[...game.datasets.values()].flatMap((dataset) =>
      dataset.kind === 'list' ? { game, collection: dataset.key, list: dataset.list } : [],
    ),
  ]);
  const named: SearchedList[] = [];
  for (const searched of lists) {
    const { list } = searched;
    const hasNames = ['id', 'name'].every((key) => list.columns.get(key)?.type === 'string');
    if (hasNames) named.push(searched);
    if (indexed.has(list)) continue;
    if (hasNames) void list.names;
    indexed.add(list);
    await setImmediate();
  }
  const keys = games.flatMap(({ slug, datasets }) =>
    Array.from(datasets.keys(), (dataset) => ({ game: slug, dataset })),
  );
  const codes = [...new Set(named.flatMap(({ game }) => game.languages.codes))].sort();
  return { lists: named, datasets: keys, codes, tag: hash('sha256', JSON.stringify(contents)) };
}

/** A record that was found. */
type FoundRecord = { in: SearchedList; hit: Hit };

/**
 * Searches several lists as one. A word that begins names only of other records may be that of a character with a typo: the start of `furna` is that of
 * Furina sooner than of a furnace.
 *
 * @returns best first; characters before equally good records
 */
function search(lists: readonly SearchedList[], text: SearchText): FoundRecord[] {
  const isLetter = ONE_LETTER.test(text.whole.compact);
  const findIn = (some: readonly SearchedList[]): FoundRecord[] => {
    const indexes = some.map(({ list }) => list.names);
    return searchNames(indexes, text).flatMap((hits, at) =>
      hits.flatMap((hit) => (isLetter && !isWhole(hit.rank) ? [] : { in: some[at] as SearchedList, hit })),
    );
  };
  const isMeant = ({ in: { collection }, hit }: FoundRecord) => {
    const own = collection === CHARACTERS || foldText(hit.name.text).split(SILENT);
    return own === true || text.words.every(({ compact }) => own.includes(compact));
  };
  const kind = ({ in: { collection }, hit }: FoundRecord) =>
    2 * Math.floor(hit.rank / 64) + (collection === CHARACTERS ? 0 : 1);
  const found = findIn(lists).sort((a, b) => kind(a) - kind(b) || a.hit.rank - b.hit.rank);
  if (found.length === 0 || found.some(isMeant)) return found;
  const near = findIn(lists.filter(({ collection }) => collection === CHARACTERS));
  return [...near.filter(({ hit }) => hit.rank < ONE_TYPO), ...found];
}

/** Finds the datasets whose key contains every word, or that players call so. */
function findDatasets(datasets: readonly { game: string; dataset: string }[], q: string) {
  const folded = foldText(q).trim();
  const words = folded.split(/[\s_]+/u);
  const meant = words.map((word) => MEANINGS.find(([names]) => names.test(word))?.[1]);
  return datasets.filter(({ dataset }) => {
    const key = `_${dataset}_`;
    return words.every(
      (word, at) => key.includes(`_${word}_`) || key.includes(`_${word}s_`) || meant[at]?.test(dataset),
    );
  });
}

function describe({ in: { game, collection, list }, hit }: FoundRecord, code: string | undefined) {
  const { row, rank, name } = hit;
  const translated = code === undefined ? undefined : textAt(list, row, `name_${code}`);
  return {
    game: game.slug,
    collection,
    id: textAt(list, row, 'id'),
    name: translated ?? textAt(list, row, 'name') ?? name.text,
    matched: { name: name.text, attribute: name.key, kind: kindOf(rank) },
    score: Number((1 - rank / RANKS).toFixed(3)),
  };
}
