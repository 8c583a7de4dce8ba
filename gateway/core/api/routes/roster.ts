import { parseListQuery } from '../../query/list-query.ts';
import type { Result } from '../../wire/respond.ts';
import { tagOf } from './in-language.ts';
import { listBody } from './list-body.ts';
import { listParameters } from './list-parameters.ts';
import { findGame, type Route } from './route.ts';
import { rowsResult, withoutColumns } from '../../../parts/tables/table-body.ts';

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
    const query = parseListQuery(withoutColumns(request), game.roster, DEFAULT_LIMIT, game.languages);
    const result: Result = {
      vary: 'Accept',
      isNamed: true,
      tag: tagOf(game.tag, query, game),
      build: game.build,
      language: query.language,
      body: () => listBody(request, game.roster, query, game.opening, 'characters'),
    };
    if (request.form === 'json') return result;
    return rowsResult(request, { game, collection: 'characters', list: game.roster }, query, result);
  },
};
