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
import { CHARACTER, referenceIn } from '../api/lists.ts';
import { type JsonSchema, LANG, type QueryParameter, type Route } from '../api/route.ts';
import { CHARACTERS, type Dataset, type GameBuild } from '../data/game-build.ts';
import type { Collection } from '../query/collection.ts';
import { OPERATORS } from '../query/list-query.ts';
import { ref, say } from './change-schemas.ts';
import { describeParameters, describePaths, HEADERS, makeDocument, type Operation, TAGS } from './openapi.ts';
import { SCHEMAS, schemaFor } from './schemas.ts';

const GAME = '/api/:game';
const DATASET = '/api/:game/:dataset';
/** A schema cannot describe which attributes a record has for a value of `fields`. */
const ONLY_THESE = ' The schema of a record describes one without `fields`.';
/** Lists in examples are cut to this length. */
const MAX_ELEMENTS = 2;

/** The parts of a document about one collection. */
interface Typed {
  /** The names of the schemas of its response and of a record. */
  page: string;
  record: string;
  /** The schemas that it adds to the document, by name. */
  schemas: Record<string, JsonSchema>;
  /** Undefined for a single object. */
  list: Collection | undefined;
  /** The filters of the list. */
  filters: QueryParameter[];
  refersToCharacters?: boolean;
  example: JsonObject;
  /** Undefined if there are no records. */
  exampleRecord: JsonObject | undefined;
}

/**
 * Makes the OpenAPI 3.1 document of a game's build from the routes below a game: with the slug, the types of the records, the datasets by name, and a
 * parameter per filter. Rows that are not JSON have no types, and are left out.
 */
export async function describeGame(
  game: GameBuild,
  routes: readonly Route[],
  version: string,
): Promise<JsonSchema> {
  const { title, build, slug } = game;
  const own = routes.filter(({ path, form }) => path.startsWith(`${GAME}/`) && form === undefined);
  const roster = typeRoster(game);
  const schemas = { ...SCHEMAS, ...roster.schemas };
  const operations = own
    .filter(({ path }) => !path.startsWith(DATASET))
    .flatMap((route) => typeRoute(route, game, roster, { path: route.path.replace(GAME, `/api/${slug}`) }));
  const ids = new Set(operations.map(({ operationId }) => operationId));
  for (const dataset of game.datasets.values()) {
    // Other requests are served between two collections.
    await setImmediate();
    const typed = typeDataset(game, dataset);
    Object.assign(schemas, typed.schemas);
    for (const route of own.filter(({ path }) => path.startsWith(DATASET))) {
      let operationId = route.operationId.replace(/Dataset|$/, typeName(dataset.key));
      // The name of a dataset may already be used: `timeline` would become `getTimeline`, which exists.
      while (ids.has(operationId)) operationId += 'Dataset';
      ids.add(operationId);
      const path = route.path.replace(DATASET, `/api/${slug}/${dataset.key}`);
      const summary = `${route.summary}: ${dataset.key}`;
      operations.push(...typeRoute(route, game, typed, { path, operationId, summary, tag: 'Datasets' }));
    }
  }
  const paths = describePaths(operations);
  const used = JSON.stringify(paths);
  const info = {
    title: `${title} (Game Data Read API)`,
    version: `${version}+${build}`,
    description:
      `${title} in its build ${build}: typed records, datasets by name, and a parameter for each filter. A later build may have further ` +
      'attributes and values. The parameter `fields` and the addresses of all games are in /openapi.json.',
  };
  const tags = TAGS.filter(({ name }) => used.includes(`"tags":["${name}"]`));
  return makeDocument(info, tags, {
    paths,
    headers: usedOf(HEADERS, 'headers', used),
    schemas: usedOf(schemas, 'schemas', used),
  });
}

/** Returns the components that a text refers to, directly or through other components. */
function usedOf(components: Readonly<Record<string, JsonSchema>>, kind: string, text: string): JsonSchema {
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

/** Makes the operation of one collection from the general route; none if the route does not suit the collection. */
function typeRoute(
  { hasRows: _, ...route }: Route,
  { languages: { codes } }: GameBuild,
  { page, record, list, filters, refersToCharacters, example, exampleRecord }: Typed,
  own: Partial<Operation>,
): Operation[] {
  const parameters = describeParameters(route).flatMap((parameter): QueryParameter[] => {
    const { name, description } = parameter;
    if (name === 'fields') return [{ ...parameter, description: description + ONLY_THESE }];
    if (name !== LANG.name) return [parameter];
    const schema = { type: 'string', enum: codes };
    return codes.length > 0 ? [{ ...parameter, schema, example: codes[0] }] : [];
  });
  const operation = { ...route, parameters, isOfGame: true as const, ...own };
  switch (route.result) {
    case 'Roster':
    case 'Dataset': {
      const isKept = list ? hasParameter(list, refersToCharacters) : (name: string) => name === LANG.name;
      const kept = parameters.filter(({ name }) => isKept(name));
      return [{ ...operation, parameters: [...kept, ...filters], result: page, example }];
    }
    case 'Character':
    case 'Record':
      return list?.rowOfId ? [{ ...operation, result: record, example: exampleRecord }] : [];
    case 'Facets':
      return list ? [operation] : [];
    default:
      return [operation];
  }
}

/** Returns whether a list has a parameter: `q` needs names, `ids` needs ids, and the filters have parameters of their own. */
function hasParameter(
  { count, columns, rowOfId }: Collection,
  refersToCharacters = false,
): (name: string) => boolean {
  const hasNames = count === 0 || columns.get('name')?.type === 'string';
  return (name) =>
    name !== 'filter' &&
    (name !== 'q' || hasNames) &&
    (name !== 'ids' || rowOfId !== undefined) &&
    (name !== CHARACTER.name || refersToCharacters);
}

/** Describes the roster of a game, and all other responses with full records. */
function typeRoster(game: GameBuild): Typed {
  const { roster, languages } = game;
  const attributes = game.dictionary.of(CHARACTERS);
  const counts = new Map<string, number>();
  countAttributes(roster.records.map(parse), counts);
  const full = ref('FullCharacter');
  const recordOf = (those: CollectionAttributes) => schemaOfRecord(inAnyLanguage(those, languages.own));
  return {
    ...{ page: 'RosterPage', record: 'FullCharacter', list: roster, filters: filtersOfList(attributes) },
    schemas: {
      RosterPage: schemaFor.roster(ref('RosterCharacter')),
      RosterCharacter: say(
        'The attributes of a character that a list needs.',
        recordOf(attributesOfEntries(attributes, counts)),
      ),
      FullCharacter: say('The full record of a character.', recordOf(attributes)),
      RandomCharacters: schemaFor.randomCharacters(full),
      Comparison: schemaFor.comparison(full),
    },
    example: { ...openingOf(game), ...pageOf(roster), characters: firstOf(roster.records) },
    exampleRecord: firstOf(roster.fullRecords)[0],
  };
}

function typeDataset(game: GameBuild, dataset: Dataset): Typed {
  const attributes = game.dictionary.of(dataset.key);
  const opening = { ...openingOf(game), dataset: dataset.key };
  const name = typeName(dataset.key);
  const record = `${name}Record`;
  const schema = schemaOfRecord(inAnyLanguage(attributes, game.languages.own));
  if (dataset.kind === 'object') {
    const page = `${name}Dataset`;
    return {
      ...{ page, record, list: undefined, filters: [] },
      schemas: { [page]: schemaFor.objectDataset(ref(record)), [record]: schema },
      example: { ...opening, data: shorten(parse(dataset.json)) },
      exampleRecord: undefined,
    };
  }
  const { list } = dataset;
  const page = `${name}Page`;
  const records = firstOf(list.records);
  return {
    ...{ page, record, list, filters: filtersOfList(attributes) },
    refersToCharacters: referenceIn(game, dataset) !== undefined,
    schemas: { [page]: schemaFor.listDataset(ref(record)), [record]: schema },
    example: { ...opening, ...pageOf(list), records },
    exampleRecord: records[0],
  };
}

function filtersOfList(attributes: CollectionAttributes): QueryParameter[] {
  const facets = [...facetsOf(attributes), ...labelledFacetsOf(attributes)];
  return facets.flatMap((facet) => filtersOf(facet, OPERATORS));
}

function openingOf({ slug, build }: GameBuild): JsonObject {
  return { game: slug, build };
}

/** The envelope of a page with `limit=1`. */
function pageOf({ count, rowOfId }: Collection): JsonObject {
  return { total: count, count: Math.min(1, count), limit: 1, offset: 0, sort: rowOfId ? 'id' : null };
}

function firstOf(records: readonly Buffer[]): JsonObject[] {
  return records.slice(0, 1).map((record) => shorten(parse(record)) as JsonObject);
}

function parse(json: Buffer): JsonObject {
  return JSON.parse(json.toString());
}

/** Cuts each list inside a value to its first elements. */
function shorten(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, MAX_ELEMENTS).map(shorten);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]));
}
