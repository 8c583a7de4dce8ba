import type { Json } from '../../scripts/format/dist-format.ts';
import { compareRoute } from '../api/compare.ts';
import { datasetRoute } from '../api/dataset.ts';
import { rosterRoute } from '../api/list-body.ts';
import { characterRoute } from '../api/record-body.ts';
import type { Route } from '../api/route.ts';
import { type AttributeRoutes, findAttributeRoutes, findGamesRoute } from './find-routes.ts';
import { PRO_TOOLS } from './pro-tools.ts';
import { pageOf, type Tool, textOf } from './tool.ts';
import { ARGUMENTS, inputSchema, pageArguments, text, texts } from './tool-schemas.ts';

const PAGE = 20;
const MAX_PAGE = 100;
const GAMES = 100;
const ATTRIBUTES = 60;
const ROWS = 150;
const { game: GAME, id: ID, ids: IDS, collection: COLLECTION, fields: FIELDS, lang: LANG, q: Q } = ARGUMENTS;

const listGames = (route: Route): Tool => ({
  name: 'list_games',
  title: 'List the games',
  description:
    'Which games there are, with their slugs, current builds and the keys of their datasets, such as banners, weapons or events. The other tools need the slug of a game.',
  input: inputSchema(pageArguments(GAMES, 1000, 'games'), []),
  ask: () => ({ route }),
  page: (given) => pageOf(given, ['games'], GAMES),
});

const describeGameTool = ({ ofCharacters, ofDataset }: AttributeRoutes): Tool => ({
  name: 'describe_game',
  title: 'Describe the attributes of a game',
  description:
    'What the attributes of the characters of a game, or of one of its datasets, mean: label, unit, type, range and possible values, such as the elements or roles that exist. Call it before you filter, sort or choose attributes.',
  input: inputSchema(
    { game: GAME, collection: COLLECTION, ...pageArguments(ATTRIBUTES, 200, 'attributes') },
    ['game'],
  ),
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
  description:
    'Find the id of a character, weapon or anything else by its name, in any language and over all games, best match first. Use it whenever you know a name and need an id.',
  input: inputSchema(
    {
      q: Q,
      games: texts('Only in these games, by slug.'),
      lang: LANG,
      ...pageArguments(PAGE, MAX_PAGE, 'results'),
    },
    ['q'],
  ),
  ask: (query) => ({ route: searchRoute, query: { limit: PAGE, ...query } }),
});

const getCharacter: Tool = {
  name: 'get_character',
  title: 'Get a character',
  description:
    'Everything about one character: stats, skills, ascension materials, levels, release. Long: choose attributes with `fields`.',
  input: inputSchema({ game: GAME, id: ID, fields: FIELDS, lang: LANG }, ['game', 'id']),
  ask: ({ game, id, ...query }) => ({
    route: characterRoute,
    params: { game: textOf(game), id: textOf(id) },
    query,
  }),
};

const compare: Tool = {
  name: 'compare',
  title: 'Compare characters',
  description:
    'Compare two to six characters side by side: which one has the higher stats, and what differs. One row per attribute with one value per character; `best` has the positions of the largest value.',
  input: inputSchema({ game: GAME, ids: IDS, lang: LANG, ...pageArguments(ROWS, 500, 'rows') }, [
    'game',
    'ids',
  ]),
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
  title: 'List characters, or records of a dataset',
  description:
    'List and count characters (all, strongest, of an element, rarity or role), or the records of a dataset (banners, weapons, events, pull rates, pity), with filters and in any order. `total` is how many match. describe_game has the attributes and their values.',
  input: inputSchema(
    {
      game: GAME,
      dataset: COLLECTION,
      filter: texts(
        'Each an attribute, an operator or none, `=` and a value: `element=Pyro`, `rarity[gte]=4`, `name[ne]=Amber`, `birthday[exists]=true`. Operators: gte, gt, lte, lt, ne, exists. Different attributes must all hold; of the same one, any. Attributes inside lists work too: `skills.name=Swift Bow`.',
      ),
      q: Q,
      sort: text('Attributes separated by commas, `-` before one for the largest first: `-stats.atk,name`.'),
      ids: IDS,
      fields: FIELDS,
      lang: LANG,
      ...pageArguments(PAGE, MAX_PAGE, 'records'),
    },
    ['game'],
  ),
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
  return [
    listGames(findGamesRoute(routes)),
    ...describeGame,
    ...search,
    getCharacter,
    compare,
    queryDataset,
    ...PRO_TOOLS,
  ];
}
