import { RESERVED_DATASET_KEYS } from '../../scripts/format/dist-format.ts';
import type { Dataset, GameBuild, ListDataset } from '../data/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Collection } from '../query/collection.ts';
import {
  keptNameOf,
  type Languages,
  languageTag,
  readLanguage,
  translateValue,
} from '../query/translation.ts';
import { listBody, listParameters, readListQuery } from './list-body.ts';
import {
  type ApiRequest,
  findGame,
  type JsonResult,
  LANG,
  type QueryParameter,
  type Route,
  rejectParameters,
  tagOf,
  valuesOf,
} from './route.ts';

export const datasetRoute: Route = {
  path: '/api/:game/:dataset',
  operationId: 'getDataset',
  summary: 'A dataset',
  description:
    'A list of records, with the filters, sort, paging and `fields` of the roster, and whole unless `limit` is given; or one object, which ' +
    'has only `lang`. /api/games lists the keys. Every game also has the generated dataset `facets`.',
  needsKey: true,
  parameters: listParameters(),
  result: 'Dataset',
  problems: ['unknown-game', 'unknown-dataset', 'not-acceptable'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    return datasetResult(request, game, findDataset(request, game));
  },
};

function hasNoRows(key: string): HttpProblem {
  const types = ['application/json'];
  return new HttpProblem('not-acceptable', `${key} is one object, which has no rows; expected ${types}`, {
    types,
  });
}

/** @throws HttpProblem `unknown-dataset` */
export function findDataset({ params }: ApiRequest, { slug, datasets }: GameBuild): Dataset {
  const key = params.dataset ?? '';
  const dataset = datasets.get(key);
  if (dataset) return dataset;
  const near = suggest(key, [...datasets.keys(), ...RESERVED_DATASET_KEYS]);
  const detail = `${slug} has no dataset ${quote(key)}${near}; /api/games lists all`;
  throw new HttpProblem('unknown-dataset', detail);
}

const LABEL_LANG: QueryParameter = {
  ...LANG,
  description:
    'The language of the labels: that of the attribute dictionary, or the text that the records with a value have in this language. A replaced ' +
    'label is kept as `label_en`; `value` stays what filters expect. `Content-Language` repeats it.',
};

export const facetsRoute: Route = {
  path: '/api/:game/facets',
  operationId: 'listFacets',
  summary: 'The facets of the roster',
  description:
    'The generated dataset: every facet of the roster with its type, and its values with the number of characters that have each, or its ' +
    'minimum and maximum. `count` is the number of characters that have the facet, `list` whether a character may have several values.',
  needsKey: true,
  // Facets have no names.
  parameters: listParameters()
    .filter(({ name }) => name !== 'q')
    .map((parameter) => (parameter.name === LANG.name ? LABEL_LANG : parameter)),
  result: 'Facets',
  problems: ['unknown-game'],
  handle(request) {
    const game = findGame(request);
    return facetsResult(request, game, 'characters', game.tag, game.roster);
  },
};

/** Returns the response with the facets of a list. @param tag identifies the content of the list */
export function facetsResult(
  request: ApiRequest,
  game: GameBuild,
  collection: string,
  tag: string,
  described: Collection,
): JsonResult {
  const { dictionary, languages } = game;
  const lang = valuesOf(request.query, LANG.name);
  const { code, language } = readCode(lang, languages);
  const list = dictionary.facetsOf(collection, described, code);
  const others = request.query.filter(([name]) => name !== LANG.name);
  const dataset: ListDataset = { kind: 'list', key: 'facets', tag: `${tag} ${dictionary.tag}`, list };
  const result = datasetResult({ ...request, query: others }, game, dataset);
  return { ...result, language };
}

function datasetResult(request: ApiRequest, game: GameBuild, dataset: Dataset | ListDataset): JsonResult {
  const { build } = game;
  const tag = `${build} ${dataset.tag}`;
  const opening = `${game.opening},"dataset":${JSON.stringify(dataset.key)}`;
  if (dataset.kind === 'list') {
    const query = readListQuery(request, game, [dataset.key, dataset.list]);
    return {
      vary: 'Accept',
      isNamed: true,
      tag: tagOf(tag, query, game),
      build,
      language: query.language,
      body: () => listBody(request, dataset.list, query, opening, 'records'),
      rows: { game, collection: dataset.key, list: dataset.list, query },
    };
  }
  if (request.form !== 'json') throw hasNoRows(dataset.key);
  rejectParameters(request.query, ['lang']);
  const lang = valuesOf(request.query, 'lang');
  const { code, language } = readCode(lang, game.languages);
  return {
    tag: tagOf(tag, { language }, game),
    build,
    language,
    body() {
      const data = code === undefined ? dataset.json.toString() : translated(dataset.json, code, game);
      return { json: Buffer.from(`${opening},"data":${data}}`) };
    },
  };
}

function translated(json: Buffer, code: string, { languages: { own } }: GameBuild): string {
  return JSON.stringify(translateValue(JSON.parse(json.toString()), code, keptNameOf(code, own)));
}

/** Reads the values of `lang`. @returns the language as the attributes name it, and its tag; neither without `lang` */
function readCode(
  values: readonly string[] | undefined,
  languages: Languages,
): { code?: string; language?: string } {
  if (values === undefined) return {};
  const code = readLanguage(values, languages);
  return { code, language: languageTag(code) };
}
