import type { Json } from '../../../scripts/core/format/dist-format.ts';
import { characterRoute } from '../../core/api/routes/character.ts';
import { compareRoute } from '../../core/api/routes/compare.ts';
import { datasetRoute } from '../../core/api/routes/dataset.ts';
import { gamesRoute } from '../../core/api/routes/games.ts';
import { rosterRoute } from '../../core/api/routes/roster.ts';
import type { Route } from '../../core/api/routes/route.ts';
import { PRO_TOOLS } from './pro-tools.ts';
import { pageOf, type Tool, textOf } from './tool.ts';
import { type AttributeRoutes, findAttributeRoutes } from './attribute-routes.ts';
import { argumentOf, GAME, inputSchema, pageArguments } from './tool-schemas.ts';

const PAGE = 20;
const MAX_PAGE = 100;
const GAMES = 100;
const ATTRIBUTES = 60;
const ROWS = 150;

const COLLECTION = {
  type: 'string',
  description: '`characters`, or the key of a dataset as list_games shows it.',
  default: 'characters',
};

const listGames: Tool = {
  name: 'list_games',
  title: 'List the games',
  description: `${gamesRoute.description} Call this first: the other tools need the slug of a game.`,
  input: inputSchema(pageArguments(GAMES, 1000, 'games'), []),
  output: ['Games'],
  ask: () => ({ route: gamesRoute }),
  page: (given) => pageOf(given, ['games'], GAMES),
};

const describeGameTool = ({ ofCharacters, ofDataset }: AttributeRoutes): Tool => ({
  name: 'describe_game',
  title: 'Describe the attributes of a game',
  description:
    'What the attributes of the characters of a game, or of one of its datasets, mean: label, unit, type, range and values. Call it before you filter, sort or choose attributes.',
  input: inputSchema({ ...GAME, collection: COLLECTION, ...pageArguments(ATTRIBUTES, 200, 'attributes') }, [
    'game',
  ]),
  output: ['Attributes'],
  ask({ game, collection = 'characters' }) {
    const dataset = textOf(collection);
    return dataset === 'characters'
      ? { route: ofCharacters, params: { game: textOf(game) } }
      : { route: ofDataset, params: { game: textOf(game), dataset } };
  },
  page: (given) => pageOf(given, ['attributes'], ATTRIBUTES),
});

const searchTool = (searchRoute: Route): Tool => ({
  name: 'search',
  title: 'Search by name',
  description: searchRoute.description,
  input: inputSchema(
    {
      q: argumentOf(searchRoute, 'q'),
      games: argumentOf(searchRoute, 'games'),
      lang: argumentOf(searchRoute, 'lang'),
      limit: argumentOf(searchRoute, 'limit'),
      offset: argumentOf(searchRoute, 'offset'),
    },
    ['q'],
  ),
  output: ['SearchResults'],
  ask: (query) => ({ route: searchRoute, query: { limit: PAGE, ...query } }),
});

const getCharacter: Tool = {
  name: 'get_character',
  title: 'Get a character',
  description:
    'The full record of a character. A full record can be long: choose attributes with `fields` where you can.',
  input: inputSchema(
    {
      ...GAME,
      id: { type: 'string', description: 'The id of the character; search finds it by name.' },
      fields: argumentOf(characterRoute, 'fields'),
      lang: argumentOf(characterRoute, 'lang'),
    },
    ['game', 'id'],
  ),
  output: ['Character'],
  ask: ({ game, id, ...query }) => ({
    route: characterRoute,
    params: { game: textOf(game), id: textOf(id) },
    query,
  }),
};

const compare: Tool = {
  name: 'compare',
  title: 'Compare characters',
  description: `${compareRoute.description} The characters themselves are listed by id and name only; get_character has their records.`,
  input: inputSchema(
    {
      ...GAME,
      ids: argumentOf(compareRoute, 'ids'),
      lang: argumentOf(compareRoute, 'lang'),
      ...pageArguments(ROWS, 500, 'rows'),
    },
    ['game', 'ids'],
  ),
  output: ['Comparison'],
  ask: ({ game, ids, lang }) => ({
    route: compareRoute,
    params: { game: textOf(game) },
    query: { ids, lang },
  }),
  page: (given) => pageOf(given, ['fields'], ROWS),
  trim(result) {
    const characters = result.characters as { id: string; name?: Json }[];
    result.characters = characters.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
  },
};

const queryDataset: Tool = {
  name: 'query_dataset',
  title: 'Query characters or a dataset',
  description:
    'Records of a collection that pass filters, in any order, in pages. A dataset that is one object is returned as it is. describe_game lists the attributes.',
  input: inputSchema(
    {
      ...GAME,
      dataset: COLLECTION,
      filter: argumentOf(rosterRoute, 'filter'),
      q: argumentOf(rosterRoute, 'q'),
      sort: argumentOf(rosterRoute, 'sort'),
      ids: argumentOf(rosterRoute, 'ids'),
      fields: argumentOf(rosterRoute, 'fields'),
      lang: argumentOf(rosterRoute, 'lang'),
      limit: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_PAGE,
        default: PAGE,
        description: 'The size of a page.',
      },
      offset: argumentOf(rosterRoute, 'offset'),
    },
    ['game'],
  ),
  output: ['Roster', 'Dataset'],
  ask({ game, dataset = 'characters', filter, ...rest }, { kindOf }) {
    const [slug, key] = [textOf(game), textOf(dataset)];
    const isObject = kindOf(slug, key) === 'object';
    const query = { ...(isObject ? {} : { limit: PAGE }), ...rest };
    const filters = filter as readonly string[] | undefined;
    return key === 'characters'
      ? { route: rosterRoute, params: { game: slug }, query: { ...query, filter: filters } }
      : { route: datasetRoute, params: { game: slug, dataset: key }, query: { ...query, filter: filters } };
  },
};

/** Makes the tools of a gateway. Those for Pro keys come last. @param routes its route table */
export function makeTools(routes: readonly Route[]): readonly Tool[] {
  const search = routes.filter(({ operationId }) => operationId === 'search').map(searchTool);
  const attributes = findAttributeRoutes(routes);
  const describeGame = attributes ? [describeGameTool(attributes)] : [];
  return [listGames, ...describeGame, ...search, getCharacter, compare, queryDataset, ...PRO_TOOLS];
}
