import { joinRecords } from '../api/list-body.ts';
import { findGame, LANG, type Route, valuesOf } from '../api/route.ts';
import { ParameterError, type RawQuery, readOnce } from '../http/raw-query.ts';
import { quote } from '../http/suggest.ts';
import { readTranslation } from '../query/list-query.ts';

const MAX_COUNT = 100;

export const randomRoute: Route = {
  path: '/api/:game/characters/random',
  operationId: 'getRandomCharacters',
  summary: 'Random characters',
  description: 'Full records of characters chosen at random, none twice. Each request chooses anew.',
  needsKey: true,
  parameters: [
    {
      name: 'count',
      description: `How many, 1 to ${MAX_COUNT}; fewer when the game has fewer.`,
      schema: { type: 'integer', minimum: 1, maximum: MAX_COUNT, default: 1 },
    },
    LANG,
  ],
  result: 'RandomCharacters',
  problems: ['unknown-game'],
  handle(request, { random }) {
    const { build, opening, roster, languages } = findGame(request);
    const count = readCount(request.query);
    const { translation, language } = readTranslation(valuesOf(request.query, 'lang'), roster, languages);
    const rows = chooseRows(roster.count, count, random);
    return {
      build,
      language,
      body() {
        const records = rows.map((row) =>
          translation ? translation.fullRecord(row) : (roster.fullRecords[row] as Buffer),
        );
        return { json: joinRecords(`${opening},"count":${rows.length},"characters":[`, records, ']}') };
      },
    };
  },
};

function readCount(query: RawQuery): number {
  const text = readOnce('count', valuesOf(query, 'count')) ?? '1';
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_COUNT) return count;
  throw new ParameterError(
    'count',
    `count is ${quote(text)}, expected a whole number from 1 to ${MAX_COUNT}`,
  );
}

/**
 * Chooses rows at random, none twice (Floyd's algorithm).
 *
 * @param random returns a whole number from 0 to below its argument
 */
function chooseRows(rowCount: number, count: number, random: (below: number) => number): number[] {
  const chosen = new Set<number>();
  for (let top = Math.max(0, rowCount - count); top < rowCount; top++) {
    const row = random(top + 1);
    chosen.add(chosen.has(row) ? top : row);
  }
  return [...chosen];
}
