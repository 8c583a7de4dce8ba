import { LANGUAGES } from '../languages/translations.ts';
import { setImmediate as nextTick } from 'node:timers/promises';
import { pageLinks } from '../api/list-body.ts';
import { type ApiRequest, gameIn, valuesOf } from '../api/route.ts';
import type { View } from '../data/view.ts';
import { ParameterError, readOnce } from '../http/raw-query.ts';
import { andThen, withPayer } from '../http/work.ts';
import { checkSearch, parsePage, splitList } from '../query/list-query.ts';
import type { Body, Result } from '../http/respond.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from './limits.ts';
import { namesOf } from './name-index.ts';
import { kindOf } from './rank-name.ts';
import { RANKS } from './row-ranks.ts';
import { type Hit, ListSearch } from './search-lists.ts';
import { type Searchable, type SearchableList, searchableIn, searchableOf } from './searchable.ts';

/** How many lists are searched before other requests have their turn: a few milliseconds. */
const LISTS_AT_ONCE = 300;

/** Responds to a search over all games. @throws ParameterError, and HttpProblem as `gameIn` does */
export function respond(request: ApiRequest): Result {
  const { query, view } = request;
  const searchable = findSearchable(view, valuesOf(query, 'games'));
  const q = readOnce('q', valuesOf(query, 'q'));
  if (q === undefined) throw new ParameterError('q', 'q is missing, expected a part of a name');
  const text = checkSearch(q);
  const { limit, offset } = parsePage(query, DEFAULT_LIMIT);
  if (limit > MAX_LIMIT)
    throw new ParameterError('limit', `limit is ${limit}, expected a whole number from 0 to ${MAX_LIMIT}`);
  const code = readCode(valuesOf(query, 'lang'), searchable);
  const makeBody = () => {
    const search = new ListSearch(searchable.collections, text);
    const runNear = () => andThen(searchable.prepare(), () => runSearch(search));
    return andThen(
      andThen(runSearch(search), () => (search.beginNear() ? runNear() : undefined)),
      () => {
        const { total, hits } = search.page(offset, offset + limit);
        return describe(request, searchable, { q, total, limit, offset, hits }, code);
      },
    );
  };
  return {
    tag: searchable.tag,
    language: code && LANGUAGES.languageTag(code),
    body: makeBody,
  };
}

/** Searches all lists; asynchronously if they are many. */
function runSearch(search: ListSearch): void | Promise<void> {
  return search.run(LISTS_AT_ONCE) ? undefined : finishSearch(search);
}

async function finishSearch(search: ListSearch): Promise<void> {
  const runOn = withPayer(() => search.run(LISTS_AT_ONCE));
  do await nextTick();
  while (!runOn());
}

/** @throws HttpProblem as `gameIn` does */
function findSearchable(view: View, choice: readonly string[] | undefined): Searchable {
  if (choice === undefined) return searchableOf(view);
  const slugs = [...new Set(splitList('games', choice))];
  return searchableIn(slugs.map((slug) => gameIn(view, slug)));
}

/** Returns the language of `lang`, if any of the games has it. */
function readCode(values: readonly string[] | undefined, { lists }: Searchable): string | undefined {
  if (values === undefined) return undefined;
  const codes = new Set(lists.flatMap(({ game }) => game.languages.codes));
  return LANGUAGES.readLanguage(values, { codes: [...codes].sort() });
}

interface Page {
  q: string;
  total: number;
  limit: number;
  offset: number;
  hits: readonly Hit[];
}

function describe(
  request: ApiRequest,
  { lists }: Searchable,
  { q, total, limit, offset, hits }: Page,
  code: string | undefined,
): Body<Buffer> {
  const results = hits.map(({ list: at, row, rank, name: number }) => {
    const searched = lists[at] as SearchableList;
    const { key, name } = namesOf(searched.list).describe(number);
    return {
      game: searched.game.slug,
      collection: searched.collection,
      id: textAt(searched, row, 'id'),
      name: nameOf(searched, row, code) ?? name,
      matched: { name, attribute: key, kind: kindOf(rank) },
      score: Number((1 - rank / RANKS).toFixed(3)),
    };
  });
  const json = JSON.stringify({ q, total, count: hits.length, limit, offset, results });
  return { json: Buffer.from(json), links: pageLinks(request, total, hits.length, offset, limit) };
}

function nameOf(searched: SearchableList, row: number, code: string | undefined): string | undefined {
  const translated = code === undefined ? undefined : textAt(searched, row, `name_${code}`);
  return translated ?? textAt(searched, row, 'name');
}

function textAt({ list }: SearchableList, row: number, key: string): string | undefined {
  const column = list.columns.get(key);
  if (column === undefined || column.list) return undefined;
  const code = column.codes[row] ?? 0;
  return code === -1 ? undefined : (column.values[code] as string);
}
