import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { gameIn, type View } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild, tagOfGame } from '../data/game-build.ts';
import { readOne, splitList, valuesOf } from '../http/incoming.ts';
import { invalidParameter } from '../http/problem.ts';
import { type Collection, textAt } from '../query/collection.ts';
import { readSearchText, type SearchText } from '../query/fold.ts';
import { checkSearch, MAX_SEARCH_LENGTH } from '../query/list-query.ts';
import * as names from '../query/name-index.ts';
import { pageLinks, readCode } from './lists.ts';
import { LANG, listParameter, pageParameters, parameter, readPage, route } from './route.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** How many names with typos are found at most. */
const MAX_TYPOS = 10;
/** How many parts of the words are searched for, the longest first. */
const MAX_PARTS = 7;
/** The words that players use for datasets, or for pages about a game. */
const MEANINGS: readonly (readonly [words: RegExp, keys: RegExp])[] = [
  [/^(pity|wish(es)?|gacha|pulls?|summons?)$/, /^pull_/],
  [/^(reruns?|rateups?|next|current|upcoming)$/, /^banners$/],
  [/^costs?$/, /^materials$/],
  [/^(patch(es)?|versions?|updates?|characters?)$/, /^$/],
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
    const searched = await findLists(view, valuesOf(query, 'games'));
    const q = readOne(query, 'q');
    if (q === undefined) throw invalidParameter('q', 'q is missing, expected a part of a name');
    const text = checkSearch(q);
    const { limit, offset } = readPage(query, MAX_LIMIT, DEFAULT_LIMIT);
    const { code, language } = readCode(query, searched);
    return {
      tag: searched.tag,
      language,
      body() {
        const { hits, games, datasets } = search(searched, text);
        const page = hits.slice(offset, offset + limit);
        const results = page.map((hit) => describe(hit, code));
        const named = { ...(games.length > 0 && { games }), ...(datasets.length > 0 && { datasets }) };
        const found = { q, total: hits.length, count: page.length, limit, offset, results };
        const json = Buffer.from(JSON.stringify({ ...found, ...(offset === 0 && named) }));
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
 * Returns the lists with names, the games, the languages of names, and the tag of the content. To index all names for the first time
 * takes more than a second: other requests are handled between the lists.
 */
async function listsOf(games: readonly GameBuild[]) {
  const contents = games.map((game) => [game.slug, tagOfGame(game), game.other_names]);
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
  const codes = [...new Set(named.flatMap(({ game }) => game.languages.codes))].sort();
  return { lists: named, games: games.map(namesOf), codes, tag: hash('sha256', JSON.stringify(contents)) };
}

type Searched = Awaited<ReturnType<typeof listsOf>>;

/** Returns a game with its names, and the datasets that words mean. */
function namesOf({ slug, title, other_names = [], datasets }: GameBuild) {
  const called = [slug.replaceAll('-', ' '), title, ...other_names].map((name) => joined(textOf(name)));
  const keys = [...datasets.keys()];
  const partsOf = (key: string) => key.split('_').flatMap((part) => [part, part.replace(/s$/, '')]);
  const parts = new Set(keys.flatMap(partsOf));
  const means = (word: string, key: string) =>
    partsOf(key).includes(word) || MEANINGS.some(([words, meant]) => words.test(word) && meant.test(key));
  const datasetsOf = (words: readonly string[]) =>
    keys.flatMap((dataset) => (words.some((word) => means(word, dataset)) ? [{ game: slug, dataset }] : []));
  return { slug, title, called, parts, datasetsOf };
}

const textOf = (text: string) => readSearchText(text) as SearchText;
const joined = ({ words }: SearchText) => words.map(({ compact }) => compact).join(' ');

/** A record that was found. */
type FoundRecord = names.Hit & { in: SearchedList };

/**
 * Searches for games, datasets and records. Words that name games select them. If no record has all other words in one name, those that mean data are
 * left out, then a typo may be in them, then only the most of them count.
 */
function search({ lists, games: all }: Searched, text: SearchText) {
  const typed = joined(text);
  const isInside = (name: string) => typed.includes(name) && ` ${typed} `.includes(` ${name} `);
  const inside = all.flatMap(({ called }) => called.filter(isInside));
  const [longest = ''] = inside.sort((a, b) => b.length - a.length);
  const games = all.filter(({ called }) => called.includes(longest));
  const isIn = ({ game }: SearchedList) => longest === '' || games.some(({ slug }) => slug === game.slug);
  const words = ` ${typed} `.replace(` ${longest} `, ' ').split(' ').filter(Boolean);
  const isData = (word: string) =>
    MEANINGS.some(([data]) => data.test(word)) || all.some(({ parts }) => parts.has(word));
  const plain = words.filter((word) => !isData(word));
  let hits = find(lists, text, plain.join(' ') === typed);
  if (words.length === 0) hits = hits.filter(({ rank }) => names.isWhole(rank));
  const parts = plain.flatMap((_, at) => [plain.slice(0, plain.length - at), plain.slice(at)]);
  const tries = new Set([words, ...parts].map((some) => some.join(' ')));
  // A number or a letter alone is no name.
  for (const part of [...tries].slice(0, MAX_PARTS))
    if (hits.length === 0 && part !== typed && /\D.|.\D/.test(part))
      hits = find(lists.filter(isIn), textOf(part), plain.join(' ').includes(part));
  const name = plain.join(' ');
  const isPoor = hits.every(({ rank }) => names.typosOf(rank) > 0);
  const isNear = (each: string) => each[0] === name[0] && names.editDistance(each, name, 1) < 2;
  const isBegun = (each: string) => each.startsWith(name) || (isPoor && isNear(each));
  const begun = names.SHORT_TEXT.test(name) ? [] : all.filter(({ called }) => called.some(isBegun));
  const named = games.length > 0 ? games : begun;
  if (isPoor && named === begun && begun.length > 0) hits = [];
  const slugs = new Set(words.length > plain.length ? hits.map((each) => each.in.game.slug) : []);
  const found = plain.length === 0 ? all : all.filter(({ slug }) => slugs.has(slug));
  const datasets = (games.length > 0 ? games : found).flatMap(({ datasetsOf }) => datasetsOf(words));
  return { hits, games: named.map(({ slug, title }) => ({ game: slug, title })), datasets };
}

/** Searches several lists as one. @returns best first; characters before equally good records */
function findIn(lists: readonly SearchedList[], search: (index: names.NameIndex) => readonly names.Hit[]) {
  const found = lists.flatMap((each) => search(each.list.names).map((hit) => ({ ...hit, in: each })));
  const kind = ({ in: { collection }, rank }: FoundRecord) =>
    4 * names.typosOf(rank) + (collection === CHARACTERS ? 0 : 1);
  return found.sort((a, b) => kind(a) - kind(b) || a.rank - b.rank);
}

/**
 * Finds names with words that begin with all words. Words that begin names only of other records may be that of a character with a typo: the start of
 * `furna` is that of Furina sooner than of a furnace. Without such names, finds those with the fewest typos, or that contain the words inside of
 * others if that is more probable.
 */
function find(lists: readonly SearchedList[], text: SearchText, hasTypos: boolean): FoundRecord[] {
  const isShort = names.SHORT_TEXT.test(text.whole.compact);
  const all = findIn(lists, (index) => index.find(text));
  const found = all.filter(({ rank }) => names.typosOf(rank) <= 0);
  const whole = found.filter(({ rank }) => names.isWhole(rank));
  // Nearly every name contains one letter.
  if (isShort && (text.whole.compact.length === 1 || whole.length > 0)) return whole;
  const hasCharacter = found.some(({ in: { collection } }) => collection === CHARACTERS);
  if (whole.length > 0 || hasCharacter || (found.length === 0 && !hasTypos)) return found;
  if (isShort && found.length === 0 && all.length > 0) return all;
  const some = all.length > 0 ? lists.filter(({ collection }) => collection === CHARACTERS) : lists;
  const near = findIn(some, (index) => index.findNear(text));
  if (found.length > 0) return [...near.filter(({ rank }) => names.typosOf(rank) <= 1), ...found];
  const typos = Math.min(...[near, all].flatMap(([best]) => (best ? names.typosOf(best.rank) : [])));
  const few = near.filter(({ rank }) => names.typosOf(rank) === typos);
  return few.length > 0 ? few.slice(0, MAX_TYPOS) : all;
}

/** What a client reads. */
export type SearchReply = Partial<ReturnType<typeof search>> & { total: number; results: Result[] };
type Result = ReturnType<typeof describe>;

function describe({ in: from, row, rank, name }: FoundRecord, code: string | undefined) {
  const { game, collection, list } = from;
  const translated = code === undefined ? undefined : textAt(list, row, `name_${code}`);
  return {
    game: game.slug,
    collection,
    id: textAt(list, row, 'id'),
    name: translated ?? textAt(list, row, 'name') ?? name.text,
    matched: { name: name.text, attribute: name.key, kind: names.kindOf(rank) },
    score: Number((1 - rank / names.RANKS).toFixed(3)),
  };
}
