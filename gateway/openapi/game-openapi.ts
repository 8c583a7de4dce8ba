import { setImmediate } from 'node:timers/promises';
import type { CollectionAttributes } from '../../scripts/format/attributes.ts';
import { parseRecord } from '../../scripts/format/dist-format.ts';
import * as types from '../../scripts/types/types.ts';
import { CHARACTER, referenceIn } from '../api/lists.ts';
import { LANG, type QueryParameter, type Route } from '../api/route.ts';
import { CHARACTERS, type Dataset, type GameBuild } from '../data/game-build.ts';
import type { Collection } from '../query/collection.ts';
import { OPERATORS } from '../query/list-query.ts';
import { makeDocument, type Operation } from './openapi.ts';
import { ref, SCHEMAS, say, schemaFor } from './schemas.ts';

const GAME = '/api/:game';
const DATASET = '/api/:game/:dataset';

/** The parts of a document about one collection. */
interface Typed {
  /** The names of the schemas of its response and of a record. */
  page: string;
  record: string;
  /** The schemas that it adds to the document, by name. */
  schemas: Record<string, types.JsonSchema>;
  /** Undefined for a single object. */
  list: Collection | undefined;
  attributes: CollectionAttributes;
  refersToCharacters: boolean;
}

/**
 * Makes the OpenAPI 3.1 document of a game's build from the routes below a game: with the slug, the types of the records, the datasets by name, and a
 * parameter per filter. Rows that are not JSON have no types, and are left out.
 */
export async function describeGame(
  game: GameBuild,
  routes: readonly Route[],
  version: string,
): Promise<types.JsonSchema> {
  const { title, build, slug } = game;
  const own = routes.filter(({ path, form }) => path.startsWith(`${GAME}/`) && form === undefined);
  const ofDatasets = own.filter(({ path }) => path.startsWith(DATASET));
  const roster = typeRoster(game);
  const schemas = { ...SCHEMAS, ...roster.schemas };
  const operations = own
    .filter((route) => !ofDatasets.includes(route))
    .flatMap((route) => typeRoute(route, game, roster, { path: route.path.replace(GAME, `/api/${slug}`) }));
  const ids = new Set(operations.map(({ operationId }) => operationId));
  for (const dataset of game.datasets.values()) {
    // Other requests are served between two collections.
    await setImmediate();
    const typed = typeDataset(game, dataset);
    Object.assign(schemas, typed.schemas);
    for (const route of ofDatasets) {
      let operationId = route.operationId.replace(/Dataset|$/, types.typeName(dataset.key));
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
  return makeDocument(info, operations, schemas);
}

/** Makes the operation of one collection from the general route; none if the route does not suit the collection. */
function typeRoute(
  { hasRows: _, ...route }: Route,
  { languages: { codes } }: GameBuild,
  { page, record, list, attributes, refersToCharacters }: Typed,
  own: Partial<Operation>,
): Operation[] {
  const { result } = route;
  if ((result === 'Character' || result === 'Record') && !list?.rowOfId) return [];
  if (result === 'Facets' && !list) return [];
  let parameters = route.parameters.flatMap((parameter): QueryParameter[] => {
    if (parameter.name !== LANG.name) return [parameter];
    const schema = { type: 'string', enum: codes };
    return codes.length > 0 ? [{ ...parameter, schema, example: codes[0] }] : [];
  });
  const results: Record<string, string> = { Roster: page, Dataset: page, Character: record, Record: record };
  if (results[result] === page) {
    const filters = list
      ? types.facetsOf(attributes).flatMap((facet) => types.filtersOf(facet, OPERATORS))
      : [];
    parameters = [
      ...parameters.filter(({ name }) => hasParameter(name, list, refersToCharacters)),
      ...filters,
    ];
  }
  return [{ ...route, parameters, isOfGame: true, result: results[result] ?? result, ...own }];
}

/** Returns whether a list has a parameter: `q` needs names, `ids` needs ids, and the filters have parameters of their own. */
function hasParameter(name: string, list: Collection | undefined, refersToCharacters: boolean): boolean {
  if (list === undefined) return name === LANG.name;
  if (name === 'q') return list.count === 0 || list.columns.get('name')?.type === 'string';
  if (name === 'ids') return list.rowOfId !== undefined;
  return name === CHARACTER.name ? refersToCharacters : name !== 'filter';
}

/** Describes the roster of a game, and all other responses with full records. */
function typeRoster({ roster: list, languages, dictionary }: GameBuild): Typed {
  const attributes = dictionary.of(CHARACTERS);
  const entries = types.attributesOfEntries(attributes, list.records.map(parseRecord));
  const [entry, full] = [entries, attributes].map((those) =>
    types.schemaOfRecord(types.inAnyLanguage(those, languages.own)),
  );
  const character = ref('FullCharacter');
  const schemas = {
    RosterPage: schemaFor.roster(ref('RosterCharacter')),
    RosterCharacter: say('The attributes of a character that a list needs.', entry),
    FullCharacter: say('The full record of a character.', full),
    RandomCharacters: schemaFor.randomCharacters(character),
    Comparison: schemaFor.comparison(character),
  };
  return {
    page: 'RosterPage',
    record: 'FullCharacter',
    schemas,
    list,
    attributes,
    refersToCharacters: false,
  };
}

function typeDataset(game: GameBuild, dataset: Dataset): Typed {
  const attributes = game.dictionary.of(dataset.key);
  const record = `${types.typeName(dataset.key)}Record`;
  const list = dataset.kind === 'list' ? dataset.list : undefined;
  const page = `${types.typeName(dataset.key)}${list ? 'Page' : 'Dataset'}`;
  const schemas = {
    [page]: schemaFor[list ? 'listDataset' : 'objectDataset'](ref(record)),
    [record]: types.schemaOfRecord(types.inAnyLanguage(attributes, game.languages.own)),
  };
  const refersToCharacters = dataset.kind === 'list' && referenceIn(game, dataset) !== undefined;
  return { page, record, schemas, list, attributes, refersToCharacters };
}
