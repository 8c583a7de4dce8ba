import { CHARACTERS } from '../../catalog/renames.ts';
import { HttpProblem } from '../../http/problem.ts';
import { quote } from '../../lib/suggest.ts';
import { FIELDS_OF_RECORD, findCurrentId, recordResult, suggestId } from './record-body.ts';
import { findGame, LANG, type Route } from './route.ts';

export const characterRoute: Route = {
  path: '/api/:game/characters/:id',
  operationId: 'getCharacter',
  summary: 'One character',
  description:
    'The full record: the roster entry and everything that only the full record has. An earlier id of a character ' +
    'that was renumbered finds it too; `Content-Location` is its address then.',
  needsKey: true,
  parameters: [FIELDS_OF_RECORD, LANG],
  result: 'Character',
  problems: ['unknown-game', 'unknown-character'],
  handle(request) {
    const game = findGame(request);
    const { slug, tag, roster } = game;
    const id = request.params.id ?? '';
    let row = roster.rowOfId?.get(id);
    const current = row === undefined ? findCurrentId(game, CHARACTERS, id) : undefined;
    if (current) row = roster.rowOfId?.get(current.id);
    if (row === undefined) {
      const detail = `${slug} has no character with the id ${quote(id)}${suggestId(id, roster)}`;
      throw new HttpProblem('unknown-character', detail);
    }
    return recordResult(request, { game, tag, list: roster, row, location: current?.location });
  },
};
