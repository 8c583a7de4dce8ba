import { RESERVED_DATASET_KEYS } from '../../scripts/format/dist-format.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type Dataset, type GameBuild, type ListDataset } from '../data/game-build.ts';
import { type RawQuery, valuesOf } from '../http/incoming.ts';
import { HttpProblem, quote, suggest } from '../http/problem.ts';
import { type Body, Joined } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import { findMeant, refuseUnknown } from '../query/did-you-mean.ts';
import { project } from '../query/fields.ts';
import * as queries from '../query/list-query.ts';
import {
  keptNameOf,
  type Languages,
  languageTag,
  readLanguage,
  translateValue,
} from '../query/translation.ts';
import {
  type ApiRequest,
  type JsonResult,
  LANG,
  listParameter,
  pageParameters,
  parameter,
  type QueryParameter,
  rejectParameters,
  route,
} from './route.ts';

const OPERATORS_IN_WORDS = queries.OPERATOR_NAMES.map(
  (name) => `\`[${name}]\` ${queries.OPERATORS[name].label}`,
).join(', ');

const FILTER = listParameter(
  'filter',
  'Filters, such as `stats.atk[gte]=20`: a facet, an operator if needed, `=` and a value. Each can also be a separate parameter. A facet is a scalar ' +
    'attribute by its dotted key, also in a list. The same facet several times: any of the values; different facets: all of them. ' +
    `Operators: ${OPERATORS_IN_WORDS}.`,
  { explode: true, example: ['rarity=5', 'stats.atk[gte]=20'] },
);

const SEARCH = parameter(
  'q',
  'Name search over `name`, every `name_xx` and `aliases`: every word must be found in one name. Ranked, unless `sort` is given. At most ' +
    `${queries.MAX_SEARCH_LENGTH} characters and ${queries.MAX_SEARCH_WORDS} different words.`,
  { minLength: 1, maxLength: queries.MAX_SEARCH_LENGTH },
);

const SORT = parameter('sort', 'Facets separated by commas, `-` before one for descending: `-rarity,name`.', {
  minLength: 1,
});

const IDS = listParameter(
  'ids',
  'Only these ids, in this order without `sort`. Unknown ones are in `missing`.',
);

/** The parameter that chooses the attributes of records. */
export const FIELDS = listParameter(
  'fields',
  'Only these attributes of the full record, by dotted key; `id` is always included.',
  { example: ['id', 'name', 'stats.atk'] },
);

/** The parameters of every list. @param size of a page; without it, lists are complete */
export function listParameters(size?: number): QueryParameter[] {
  return [FILTER, SEARCH, SORT, ...pageParameters(queries.MAX_RECORDS, size, 'records'), IDS, FIELDS, LANG];
}

/**
 * Responds with a page of a list.
 *
 * @param key `characters` or the key of a dataset
 * @param opening the envelope's first members, as JSON, without the closing brace
 * @param member the envelope's last member, which holds the records
 */
function listResult(
  request: ApiRequest,
  game: GameBuild,
  { key, tag, list }: Omit<ListDataset, 'kind'>,
  opening: string,
  member: string,
  defaultLimit?: number,
): JsonResult {
  const query = queries.parseListQuery(request.query, list, defaultLimit, game.languages);
  if (query.hasUnknown) refuseUnknown(query, game.dictionary.of(key).attributes);
  return {
    tag: tagOf(tag, query.language, game),
    build: game.build,
    language: query.language,
    rows: { game, collection: key, list, query },
    body() {
      const { total, rows } = queries.selectRows(list, query);
      const { limit = null, offset, sortName, ids } = query;
      const missing = ids ? `,"missing":${JSON.stringify(ids.missing)}` : '';
      const meant = total === 0 ? findMeant(query) : undefined;
      const hint = meant ? `,"did_you_mean":${JSON.stringify(meant)}` : '';
      const sort = JSON.stringify(sortName);
      const page = `"total":${total},"count":${rows.length},"limit":${limit},"offset":${offset},"sort":${sort}`;
      const head = `${opening},${page}${missing}${hint},"${member}":[`;
      const links = pageLinks(request, total, rows.length, offset, limit);
      return { json: joinRecords(head, recordsOf(list, query, rows), ']}'), links };
    },
  };
}

/** Returns the records of rows in the requested language and with the requested attributes. */
export function recordsOf(
  list: Collection,
  { projection, translation }: queries.ListQuery,
  rows: readonly number[],
): readonly (string | Buffer)[] {
  if (projection) return rows.map((row) => project(projection, row) || '{}');
  const { records } = list;
  if (translation) return rows.map((row) => translation.write(records[row] as Buffer));
  return rows.map((row) => records[row] as Buffer);
}

/** Joins a head, records with commas between them, and an end. */
export function joinRecords(head: string, records: readonly (string | Buffer)[], end: string): Body['json'] {
  return typeof records[0] === 'string'
    ? Buffer.from(head + records.join() + end)
    : new Joined(head, records as readonly Buffer[], end);
}

/** The parts of a request that links to other pages are made from. */
export type Addressed = Pick<ApiRequest, 'path' | 'search' | 'query'>;

/** Longer links are left out: clients and proxies refuse responses with large header fields. */
const MAX_LINK_LENGTHS = 4096;

/** Returns the existing links to the first, previous, next and last page as the value of a Link field (RFC 8288); empty if there are none. */
export function pageLinks(
  request: Addressed,
  total: number,
  count: number,
  offset: number,
  limit: number | null,
): string {
  if (!limit || total === 0) return '';
  const address = addressOf(request);
  const link = (rel: string, at: number) => `<${address}offset=${at}>; rel="${rel}"`;
  const before = offset % limit;
  const last = before + Math.floor((total - 1 - before) / limit) * limit;
  let links = link('first', 0);
  if (offset > 0) links += `, ${link('prev', Math.max(0, Math.min(offset - limit, last)))}`;
  if (offset + count < total && count > 0) links += `, ${link('next', offset + limit)}`;
  links += `, ${link('last', Math.max(0, last))}`;
  return links.length > MAX_LINK_LENGTHS ? '' : links;
}

/** Returns the address up to and including `offset=`. */
function addressOf({ path, search, query }: Addressed): string {
  if (PLAIN_SEARCH.test(search) && !search.includes('offset')) return `${path}${search}&`;
  const others = query.filter(([name]) => name !== 'offset');
  return `${path}?${others.map((pair) => `${pair.map(encodeLightly).join('=')}&`).join('')}`;
}

/** Characters that need no encoding. */
const PLAIN = /^[\w.~,:[\]-]*$/;

const PLAIN_SEARCH = /^\?[\w.~,:[\]-]+=[\w.~,:[\]-]*(?:&[\w.~,:[\]-]+=[\w.~,:[\]-]*)*$/;

/** Percent-encodes all but the readable characters that a query may contain. */
function encodeLightly(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(/%(2C|3A|5B|5D)/g, decodeURIComponent);
}

const DEFAULT_LIMIT = 100;

export const rosterRoute = route({
  path: '/api/:game/characters',
  operationId: 'listCharacters',
  summary: 'The roster',
  parameters: listParameters(DEFAULT_LIMIT),
  result: 'Roster',
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const roster = { key: CHARACTERS, tag: game.tag, list: game.roster };
    return listResult(request, game, roster, game.opening, CHARACTERS, DEFAULT_LIMIT);
  },
});

/** The parameter of datasets that refer to characters. */
export const CHARACTER = parameter(
  'character',
  'Only records that refer to the character with this id: a filter by the first attribute whose `ref` is `characters`, such as `featured.id` of banners.',
);

/** Returns the attribute that `character` is a filter by; undefined if the dataset does not refer to characters, or has an attribute of this name. */
export function referenceIn({ dictionary }: GameBuild, dataset: Dataset): string | undefined {
  if (dataset.kind !== 'list' || dataset.list.columns.has(CHARACTER.name)) return undefined;
  return dictionary
    .of(dataset.key)
    .attributes.find(({ key, ref }) => ref === CHARACTERS && dataset.list.hasField(key))?.key;
}

export const datasetRoute = route({
  path: '/api/:game/:dataset',
  operationId: 'getDataset',
  summary: 'A dataset: a list of records, whole unless `limit` is given, or one object',
  parameters: [...listParameters(), CHARACTER],
  result: 'Dataset',
  problems: ['not-acceptable'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const dataset = findDataset(game, request.params.dataset);
    if (request.query.every(([name]) => name !== CHARACTER.name))
      return datasetResult(request, game, dataset);
    const key = referenceIn(game, dataset) ?? CHARACTER.name;
    const query = request.query.map(
      ([name, value]) => [name === CHARACTER.name ? key : name, value] as const,
    );
    return datasetResult({ ...request, query }, game, { ...dataset, tag: `${dataset.tag} ${key}` });
  },
});

/** Finds a dataset, or the roster, which is called `characters`, also without a key. @throws HttpProblem `unknown-dataset` */
export function findDataset(game: GameBuild, key = CHARACTERS): Dataset {
  if (key === CHARACTERS) return { kind: 'list', key, tag: game.tag, list: game.roster };
  const dataset = game.datasets.get(key);
  if (dataset) return dataset;
  const near = suggest(key, [...game.datasets.keys(), ...RESERVED_DATASET_KEYS]);
  const detail = `${game.slug} has no dataset ${quote(key)}${near}; /api/games lists all`;
  throw new HttpProblem('unknown-dataset', detail);
}

export const facetsRoute = route({
  path: '/api/:game/facets',
  operationId: 'listFacets',
  summary: 'The facets of the roster',
  parameters: listParameters().filter((each) => each !== SEARCH),
  result: 'Facets',
  handle(request) {
    const game = findGame(request);
    const { dictionary, languages } = game;
    const described = findDataset(game, request.params.dataset);
    const { key, tag } = described;
    if (described.kind !== 'list')
      throw new HttpProblem('unknown-dataset', `${key} of ${game.slug} is one object, which has no facets`);
    const { code, language } = readCode(request.query, languages);
    const list = dictionary.facetsOf(key, described.list, code);
    const query = request.query.filter(([name]) => name !== LANG.name);
    const facets: Dataset = { kind: 'list', key: 'facets', tag: `${tag} ${dictionary.tag}`, list };
    return { ...datasetResult({ ...request, query }, game, facets), language };
  },
});

function datasetResult(request: ApiRequest, game: GameBuild, dataset: Dataset): JsonResult {
  const { build } = game;
  const tag = `${build} ${dataset.tag}`;
  const opening = `${game.opening},"dataset":${JSON.stringify(dataset.key)}`;
  if (dataset.kind === 'list') return listResult(request, game, { ...dataset, tag }, opening, 'records');
  if (request.form !== 'json') {
    const types = ['application/json'];
    const detail = `${dataset.key} is one object, which has no rows; expected ${types}`;
    throw new HttpProblem('not-acceptable', detail, { types });
  }
  rejectParameters(request.query, [LANG]);
  const { code, language } = readCode(request.query, game.languages);
  return {
    tag: tagOf(tag, language, game),
    build,
    language,
    body() {
      let data = dataset.json.toString();
      if (code !== undefined) {
        const kept = keptNameOf(code, game.languages.own);
        data = JSON.stringify(translateValue(JSON.parse(data), code, kept));
      }
      return { json: Buffer.from(`${opening},"data":${data}}`) };
    },
  };
}

/** Reads `lang`. @returns the language as the attributes name it, and its tag; neither without `lang` @throws HttpProblem */
export function readCode(
  query: RawQuery,
  languages: Pick<Languages, 'codes'>,
): { code?: string; language?: string } {
  const values = valuesOf(query, LANG.name);
  if (values === undefined) return {};
  const code = readLanguage(values, languages);
  return { code, language: languageTag(code) };
}

export const datasetFacetsRoute = route({
  ...facetsRoute,
  path: '/api/:game/:dataset/facets',
  operationId: 'listDatasetFacets',
  summary: 'The facets of a dataset',
});

/** Reads `lang` for the records of a list. @returns the members of the response, its tag among them @throws HttpProblem */
export function inLanguage({ query }: ApiRequest, game: GameBuild, tag = game.tag, list = game.roster) {
  const { translation, language } = queries.readTranslation(valuesOf(query, LANG.name), list, game.languages);
  return { translation, common: { tag: tagOf(tag, language, game), build: game.build, language } };
}

/** Returns the tag of a response whose texts may be in a language. */
function tagOf(tag: string, language: string | undefined, { languages }: GameBuild): string {
  // Only the language of `name` is not in the records.
  return language === undefined ? tag : `${tag} ${languages.own}`;
}
