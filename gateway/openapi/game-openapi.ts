import { setImmediate } from 'node:timers/promises';
import type { CollectionAttributes } from '../../scripts/format/attributes.ts';
import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import {
  attributesOfEntries,
  countAttributes,
  facetsOf,
  filtersOf,
  inAnyLanguage,
  labelledFacetsOf,
  schemaOfRecord,
  typeName,
} from '../../scripts/types/types.ts';
import { type JsonSchema, LANG, type QueryParameter, type Route } from '../api/route.ts';
import { attributesOfDataset, attributesOfRoster } from '../data/dictionary.ts';
import type { Dataset, GameBuild } from '../data/game-build.ts';
import type { Collection } from '../query/collection.ts';
import {
  describeOperation,
  describeParameters,
  HEADERS,
  type Operation,
  TAGS,
} from './describe-operation.ts';
import { ABOUT, SECURITY_SCHEMES } from './openapi.ts';
import { schemaFor, SCHEMAS } from './schemas.ts';

/**
 * Makes the OpenAPI 3.1 document of one game in one build: with the types of its records, its datasets by name, and a parameter for each
 * filter.
 *
 * @param routes all routes; those below a game are described
 */
export function describeGame(
  game: GameBuild,
  routes: readonly Route[],
  version: string,
): Promise<JsonSchema> {
  return makeDocument(game, routes, version);
}

async function makeDocument(game: GameBuild, routes: readonly Route[], version: string): Promise<JsonSchema> {
  const { title, build } = game;
  const { operations, schemas } = await operationsOf(game, routes);
  const paths = Object.fromEntries(
    operations.map((operation) => [
      operation.path.replace(/:(\w+)/g, '{$1}'),
      { get: describeOperation(operation) },
    ]),
  );
  const described = JSON.stringify(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: `${title} (Game Data Read API)`,
      version: `${version}+${build}`,
      description:
        `${title} in its build ${build}: typed records, datasets by name, and a parameter for each filter. A later build may have further ` +
        'attributes and values. The parameter `fields` and the addresses of all games are in /openapi.json.',
      ...ABOUT,
    },
    tags: TAGS.filter(({ name }) => described.includes(`"tags":["${name}"]`)),
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: usedOf(HEADERS, 'headers', described),
      schemas: usedOf({ ...SCHEMAS, ...schemas }, 'schemas', described),
    },
  };
}

/** Returns the components that a text refers to, and those that they refer to. */
function usedOf(
  components: Readonly<Record<string, JsonSchema>>,
  kind: 'headers' | 'schemas',
  text: string,
): Record<string, JsonSchema> {
  const reference = new RegExp(`"#/components/${kind}/([\\w-]+)"`, 'g');
  const used = new Set<string>();
  const visit = (json: string): void => {
    for (const [, name = ''] of json.matchAll(reference)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(JSON.stringify(components[name]));
    }
  };
  visit(text);
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}

/** The operations of one game, and the schemas that they refer to besides those of all games. */
interface GameOperations {
  operations: Operation[];
  schemas: Record<string, JsonSchema>;
}

const GAME = '/api/:game';
const DATASET = '/api/:game/:dataset';
/** Left out of lists, whose filters have parameters of their own. */
const FILTER = 'filter';
/** What a schema cannot say: which attributes a record has for a value of `fields`. */
const ONLY_THESE = ' The schema of a record describes one without `fields`.';
/** The schemas of responses that consist of full records. */
const OF_FULL_RECORDS: Readonly<Record<string, string>> = { Character: 'FullCharacter' };

/**
 * Makes the operations of one game from the routes of all games: with its slug, its datasets by name, typed records and named filters. Rows
 * that are not JSON have no types, and are left out. Other
 * requests are handled between its collections.
 */
async function operationsOf(game: GameBuild, routes: readonly Route[]): Promise<GameOperations> {
  const roster = await typeRoster(game);
  const typed = routes.flatMap(({ hasRows: _rows, rowForms: _forms, ...route }) =>
    route.form === undefined ? route : [],
  );
  const operations = typed
    .filter(({ path }) => path.startsWith(`${GAME}/`) && !path.startsWith(DATASET))
    .map((route) => typeRosterRoute(route, game, roster));
  const taken = new Set(operations.map(({ operationId }) => operationId));
  const schemas = { ...roster.schemas };
  for (const dataset of game.datasets.values()) {
    await setImmediate();
    const collection = typeDataset(game, dataset);
    Object.assign(schemas, collection.schemas);
    const added = typed
      .filter(({ path }) => path.startsWith(DATASET))
      .flatMap((route) => typeDatasetRoute(route, game, dataset, collection));
    for (const operation of added) operations.push(withOwnId(operation, taken));
  }
  return { operations, schemas };
}

function typeRosterRoute(route: Route, game: GameBuild, roster: TypedCollection): Operation {
  const path = route.path.replace(GAME, `/api/${game.slug}`);
  const operation = { ...route, path, parameters: describeParameters(route), isOfGame: true as const };
  if (route.result === 'Roster') return listOperation(operation, game, roster);
  const parameters = parametersOf(operation, game);
  const result = OF_FULL_RECORDS[route.result] ?? route.result;
  return { ...operation, parameters, result, ...(result === roster.record && exampleOf(roster)) };
}

function typeDatasetRoute(
  route: Route,
  game: GameBuild,
  dataset: Dataset,
  typed: TypedCollection,
): Operation[] {
  const isList = dataset.kind === 'list';
  const { path, operationId } = route;
  const operation = {
    ...route,
    path: path.replace(DATASET, `/api/${game.slug}/${dataset.key}`),
    parameters: parametersOf({ parameters: describeParameters(route) }, game),
    operationId: operationId.replace(/Dataset|$/, typeName(dataset.key)),
    summary: `${route.summary}: ${dataset.key}`,
    tag: 'Datasets',
    isOfGame: true as const,
  };
  switch (route.result) {
    case 'Dataset':
      return [isList ? listOperation(operation, game, typed) : objectOperation(operation, typed)];
    case 'Record':
      return isList && dataset.list.rowOfId
        ? [{ ...operation, result: typed.record, ...exampleOf(typed) }]
        : [];
    case 'Facets':
      return isList ? [operation] : [];
    default:
      return [operation];
  }
}

function listOperation(
  operation: Operation,
  game: GameBuild,
  { page, filters, without, example }: TypedCollection,
): Operation {
  const parameters = parametersOf(operation, game).filter(
    ({ name }) => name !== FILTER && !without.includes(name),
  );
  return { ...operation, parameters: [...parameters, ...filters], result: page, example };
}

/** One object has only the parameters that do not select records. */
function objectOperation(operation: Operation, { page, example }: TypedCollection): Operation {
  const parameters = operation.parameters.filter(({ name }) => name === LANG.name);
  return { ...operation, parameters, result: page, example };
}

function exampleOf({ exampleRecord }: TypedCollection): Pick<Operation, 'example'> {
  return exampleRecord === undefined ? {} : { example: exampleRecord };
}

/** The parameters of an operation that a typed document can describe, with the languages that the game has. */
function parametersOf(
  { parameters }: Pick<Operation, 'parameters'>,
  { languages }: GameBuild,
): QueryParameter[] {
  const { codes } = languages;
  return parameters
    .filter(({ name }) => name !== LANG.name || codes.length > 0)
    .map((parameter) => {
      const { name, description } = parameter;
      if (name === LANG.name)
        return { ...parameter, schema: { type: 'string', enum: codes }, example: codes[0] };
      return name === 'fields' ? { ...parameter, description: description + ONLY_THESE } : parameter;
    });
}

/** A dataset may be called as something else is: `timeline`, of which `getTimeline` exists. */
function withOwnId(operation: Operation, taken: Set<string>): Operation {
  let { operationId } = operation;
  while (taken.has(operationId)) operationId += 'Dataset';
  taken.add(operationId);
  return { ...operation, operationId };
}

/** What a document says of one collection. */
interface TypedCollection {
  /** The names of the schemas of its response, and of one record in it. */
  page: string;
  record: string;
  /** The schemas that it adds to the document, by name. */
  schemas: Record<string, JsonSchema>;
  /** The filters of the list; none for one object. */
  filters: QueryParameter[];
  /** Parameters of lists that this one does not have: `q` without names, `ids` without ids. */
  without: readonly string[];
  example: JsonObject;
  /** Undefined without records. */
  exampleRecord: JsonObject | undefined;
}

/** Describes the roster of a game, and what consists of full records. */
async function typeRoster(game: GameBuild): Promise<TypedCollection> {
  const { roster } = game;
  const attributes = attributesOfRoster(game);
  const entries = attributesOfEntries(attributes, countIn(roster.records));
  const { own } = game.languages;
  const full = ref('FullCharacter');
  return {
    page: 'RosterPage',
    record: 'FullCharacter',
    schemas: {
      RosterPage: schemaFor.roster(ref('RosterCharacter')),
      RosterCharacter: {
        description: 'The attributes of a character that a list needs.',
        ...schemaOfRecord(inAnyLanguage(entries, own)),
      },
      FullCharacter: {
        description: 'The full record of a character.',
        ...schemaOfRecord(inAnyLanguage(attributes, own)),
      },
      RandomCharacters: schemaFor.randomCharacters(full),
      Comparison: schemaFor.comparison(full),
    },
    filters: filtersOfList(attributes),
    without: [],
    example: { ...openingOf(game), ...pageOf(roster), characters: firstOf(roster.records) },
    exampleRecord: firstOf(roster.fullRecords)[0],
  };
}

/** Describes a dataset of a game. */
function typeDataset(game: GameBuild, dataset: Dataset): TypedCollection {
  const attributes = attributesOfDataset(game, dataset);
  const opening = { ...openingOf(game), dataset: dataset.key };
  const name = typeName(dataset.key);
  const record = `${name}Record`;
  const schema = schemaOfRecord(inAnyLanguage(attributes, game.languages.own));
  if (dataset.kind === 'object') {
    const page = `${name}Dataset`;
    return {
      ...{ page, record, filters: [], without: [] },
      schemas: { [page]: schemaFor.objectDataset(ref(record)), [record]: schema },
      example: { ...opening, data: shortenExample(parse(dataset.json)) },
      exampleRecord: undefined,
    };
  }
  const page = `${name}Page`;
  const records = firstOf(dataset.list.records);
  return {
    ...{ page, record, filters: filtersOfList(attributes), without: missingIn(dataset.list) },
    schemas: { [page]: schemaFor.listDataset(ref(record)), [record]: schema },
    example: { ...opening, ...pageOf(dataset.list), records },
    exampleRecord: records[0],
  };
}

function countIn(records: readonly Buffer[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  countAttributes(records.map(parse), counts);
  return counts;
}

function missingIn({ count, columns, rowOfId }: Collection): string[] {
  const hasNames = count === 0 || columns.get('name')?.type === 'string';
  return [...(hasNames ? [] : ['q']), ...(rowOfId ? [] : ['ids'])];
}

function filtersOfList(attributes: CollectionAttributes): QueryParameter[] {
  return [...facetsOf(attributes), ...labelledFacetsOf(attributes)].flatMap(filtersOf);
}

function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function openingOf({ slug, build }: GameBuild): JsonObject {
  return { game: slug, build };
}

/** What a page with `limit=1` says of itself. */
function pageOf({ count, rowOfId }: Collection): JsonObject {
  const sort = rowOfId ? 'id' : null;
  return { total: count, count: Math.min(1, count), limit: 1, offset: 0, sort };
}

function firstOf(records: readonly Buffer[]): JsonObject[] {
  return records.slice(0, 1).map((record) => shortenExample(parse(record)));
}

function parse(json: Buffer): JsonObject {
  return JSON.parse(json.toString());
}

/** Lists of an example are cut to this length. */
const MAX_ELEMENTS = 2;

/** Returns an object with only the first elements of each list inside it. */
function shortenExample(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, shorten(value)]));
}

function shorten(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, MAX_ELEMENTS).map(shorten);
  return isObject(value) ? shortenExample(value) : value;
}
