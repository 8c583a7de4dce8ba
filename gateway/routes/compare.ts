import type { GameBuild } from '../catalog/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Body } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import { splitList } from '../query/list-query.ts';
import { ParameterError } from '../query/parameter-error.ts';
import type { RawQuery } from '../query/raw-query.ts';
import { quote, suggest } from '../suggest.ts';
import { findGame, type Route } from './route.ts';

const MOST_IDS = 6;
const COMMA = Buffer.from(',');

export const compareRoute: Route = {
  path: '/api/:game/compare',
  operationId: 'compareCharacters',
  summary: 'Characters side by side',
  description:
    'One to six characters in the order given, and one row a facet with one value a character (null where it has none). `best` lists the ' +
    'positions with the largest value, for numeric `stats.*` rows that differ; it is empty elsewhere.',
  needsKey: true,
  parameters: [
    {
      name: 'ids',
      description: 'One to six different ids, separated by commas or given by repeating the parameter.',
      required: true,
      schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_IDS },
      style: 'form',
      explode: false,
    },
  ],
  answer: 'Comparison',
  problems: ['unknown-game', 'unknown-character'],
  handle(request) {
    const game = findGame(request);
    const ids = readIds(request.query);
    const rows = findRows(game, ids);
    return { tag: game.tag, build: game.build, body: () => compareRows(game, ids, rows) };
  },
};

function readIds(query: RawQuery): string[] {
  const given = query.map(([, value]) => value);
  if (given.length === 0)
    throw new ParameterError('ids', `ids is missing, expected 1 to ${MOST_IDS} ids separated by commas`);
  const ids = splitList('ids', given);
  if (ids.length > MOST_IDS)
    throw new ParameterError('ids', `ids names ${ids.length} characters, expected 1 to ${MOST_IDS}`);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    throw new ParameterError('ids', `ids names ${quote(twice)} twice, expected different ids`);
  return ids;
}

function findRows({ slug, roster }: GameBuild, ids: readonly string[]): number[] {
  const unknown = ids.filter((id) => !roster.rowOfId?.has(id));
  if (unknown.length === 0) return ids.map((id) => roster.rowOfId?.get(id) as number);
  const told = unknown.map((id) => quote(id) + suggest(id, roster.rowOfId?.keys() ?? []));
  throw new HttpProblem('unknown-character', `${slug} has no character with the id ${told.join(', ')}`, {
    ids: unknown,
  });
}

function compareRows({ slug, build, roster }: GameBuild, ids: string[], rows: number[]): Body {
  const head = JSON.stringify({ game: slug, build, count: ids.length, ids });
  const characters = rows.flatMap((row, at) => [
    ...(at > 0 ? [COMMA] : []),
    roster.fullRecords[row] as Buffer,
  ]);
  const fields = Array.from(roster.columns.values(), (column) => compareField(roster, column, rows));
  return {
    json: Buffer.concat([
      Buffer.from(`${head.slice(0, -1)},"characters":[`),
      ...characters,
      Buffer.from(`],"fields":[${fields.join()}]}`),
    ]),
  };
}

function compareField(roster: Collection, column: Column, rows: readonly number[]): string {
  const field = roster.field(column.key);
  const values = rows.map((row) => field(row) ?? 'null');
  const differs = values.some((value) => value !== values[0]);
  const best = differs ? findBest(column, rows) : [];
  return `{"key":${JSON.stringify(column.key)},"values":[${values.join()}],"differs":${differs},"best":[${best.join()}]}`;
}

/** The positions with the largest value; codes are ranks. */
function findBest({ key, type, list, codes }: Column, rows: readonly number[]): number[] {
  if (type !== 'number' || list || !key.startsWith('stats.')) return [];
  const ranks = rows.map((row) => codes[row] as number);
  const largest = Math.max(...ranks);
  return ranks.flatMap((rank, at) => (rank === largest ? [at] : []));
}
