import { Draft } from '../../bytes/draft.ts';
import type { Collection } from '../../query/collection.ts';
import type { Projection } from '../../query/fields.ts';
import { isNameKey } from '../../query/name-index.ts';
import { writeRecord } from './record-body.ts';
import { findGame, type Route } from './route.ts';
import { writeJoined } from './write-joined.ts';

const END = Buffer.from(']}');

export const namesRoute: Route = {
  path: '/api/:game/names',
  operationId: 'listNames',
  summary: 'The names of all characters',
  description:
    'The ids of all characters with their names in every language: small, for autocompletion. It changes only when the build does, so a client ' +
    'that sends If-None-Match gets a 304, which does not count.',
  needsKey: true,
  parameters: [],
  result: 'Names',
  problems: ['unknown-game'],
  handle(request) {
    const { tag, build, opening, roster } = findGame(request);
    return {
      tag,
      build,
      body() {
        const projection = namesOf(roster);
        const draft = new Draft();
        draft.writeText(`${opening},"names":[`);
        writeJoined(draft, [...Array(roster.count).keys()], (row) => writeRecord(draft, projection, row));
        draft.write(END);
        return { json: draft.bytes() };
      },
    };
  },
};

function namesOf(roster: Collection): Projection {
  const keys = [...roster.attributes].filter(isNameKey).sort();
  return roster.project(['id', ...keys]);
}
