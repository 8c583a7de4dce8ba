import { HttpProblem } from '../../http/problem.ts';
import { quote, suggest } from '../../lib/suggest.ts';
import { FIELDS_OF_RECORD, recordBody } from './record-body.ts';
import { findGame, type Route } from './route.ts';

export const characterRoute: Route = {
  path: '/api/:game/characters/:id',
  operationId: 'getCharacter',
  summary: 'One character',
  description: 'The full record: the roster entry and everything that only the full record has.',
  needsKey: true,
  parameters: [FIELDS_OF_RECORD],
  result: 'Character',
  problems: ['unknown-game', 'unknown-character'],
  handle(request) {
    const { slug, build, tag, roster } = findGame(request);
    const id = request.params.id ?? '';
    const row = roster.rowOfId?.get(id);
    if (row === undefined) {
      const near = suggest(id, roster.rowOfId?.keys() ?? []);
      throw new HttpProblem('unknown-character', `${slug} has no character with the id ${quote(id)}${near}`);
    }
    return { tag, build, body: recordBody(request, roster, row) };
  },
};
