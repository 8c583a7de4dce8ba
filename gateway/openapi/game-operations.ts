import { setImmediate } from 'node:timers/promises';
import { typeName } from '../../scripts/records/type-name.ts';
import { type JsonSchema, LANG, type QueryParameter, type Route } from '../api/route.ts';
import type { Dataset, GameBuild } from '../data/game-build.ts';
import type { Operation } from './describe-operation.ts';
import { type TypedCollection, typeDataset, typeRoster } from './game-schemas.ts';
import { describeParameters } from './list-parameters.ts';

/** The operations of one game, and the schemas that they refer to besides those of all games. */
export interface GameOperations {
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
export async function operationsOf(game: GameBuild, routes: readonly Route[]): Promise<GameOperations> {
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
