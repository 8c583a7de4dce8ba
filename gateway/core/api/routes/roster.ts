import { listBody, readListQuery } from './list-body.ts';
import { listParameters } from './list-parameters.ts';
import { findGame, type Route, tagOf } from './route.ts';

const DEFAULT_LIMIT = 100;

export const rosterRoute: Route = {
  path: '/api/:game/characters',
  operationId: 'listCharacters',
  summary: 'The roster',
  description:
    'The characters of a game: filter by any attribute, search by name in any language, sort, and page.',
  needsKey: true,
  parameters: listParameters(DEFAULT_LIMIT),
  result: 'Roster',
  problems: ['unknown-game'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const query = readListQuery(request, game, ['characters', game.roster], DEFAULT_LIMIT);
    return {
      vary: 'Accept',
      isNamed: true,
      tag: tagOf(game.tag, query, game),
      build: game.build,
      language: query.language,
      body: () => listBody(request, game.roster, query, game.opening, 'characters'),
      rows: { game, collection: 'characters', list: game.roster, query },
    };
  },
};
