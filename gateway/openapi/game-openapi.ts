import { setImmediate } from 'node:timers/promises';
import type { CollectionAttributes } from '../../scripts/format/attributes.ts';
import { parseRecord } from '../../scripts/format/dist-format.ts';
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
import { describePaths, makeDocument, type Operation } from './openapi.ts';
import { SCHEMAS, schemaFor } from './schemas.ts';

const GAME = '/api/:game';
const DATASET = '/api/:game/:dataset';

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
  const info = {
    title: `${title} (Game Data Read API)`,
    version: `${version}+${build}`,
    description:
      `${title} in its build ${build}: typed records, datasets by name, and a parameter for each filter. A later build may have further ` +
      'attributes and values. The parameter `fields` and the addresses of all games are in /openapi.json.',
  };
  return makeDocument(info, { paths: describePaths(operations), schemas });
}

/** Makes the operation of one collection from the general route; none if the route does not suit the collection. */
function typeRoute(
  { hasRows: _, ...route }: Route,
  { languages: { codes } }: GameBuild,
  { page, record, list, filters, refersToCharacters }: Typed,
  own: Partial<Operation>,
): Operation[] {
  const parameters = route.parameters.flatMap((parameter): QueryParameter[] => {
    if (parameter.name !== LANG.name) return [parameter];
    const schema = { type: 'string', enum: codes };
    return codes.length > 0 ? [{ ...parameter, schema, example: codes[0] }] : [];
  });
  const operation = { ...route, parameters, isOfGame: true as const, ...own };
  switch (route.result) {
    case 'Roster':
    case 'Dataset': {
      const isKept = list ? hasParameter(list, refersToCharacters) : (name: string) => name === LANG.name;
      const kept = parameters.filter(({ name }) => isKept(name));
      return [{ ...operation, parameters: [...kept, ...filters], result: page }];
    }
    case 'Character':
    case 'Record':
      return list?.rowOfId ? [{ ...operation, result: record }] : [];
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
  countAttributes(roster.records.map(parseRecord), counts);
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
  };
}

function typeDataset(game: GameBuild, dataset: Dataset): Typed {
  const attributes = game.dictionary.of(dataset.key);
  const name = typeName(dataset.key);
  const record = `${name}Record`;
  const schema = schemaOfRecord(inAnyLanguage(attributes, game.languages.own));
  if (dataset.kind === 'object') {
    const page = `${name}Dataset`;
    return {
      ...{ page, record, list: undefined, filters: [] },
      schemas: { [page]: schemaFor.objectDataset(ref(record)), [record]: schema },
    };
  }
  const { list } = dataset;
  const page = `${name}Page`;
  return {
    ...{ page, record, list, filters: filtersOfList(attributes) },
    refersToCharacters: referenceIn(game, dataset) !== undefined,
    schemas: { [page]: schemaFor.listDataset(ref(record)), [record]: schema },
  };
}

function filtersOfList(attributes: CollectionAttributes): QueryParameter[] {
  const facets = [...facetsOf(attributes), ...labelledFacetsOf(attributes)];
  return facets.flatMap((facet) => filtersOf(facet, OPERATORS));
}
