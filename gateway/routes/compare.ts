import type { GameBuild } from '../catalog/game-build.ts';
import { Draft } from '../draft.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Body } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import type { Field } from '../query/fields.ts';
import { splitList } from '../query/list-query.ts';
import { ParameterError } from '../query/parameter-error.ts';
import type { RawQuery } from '../query/raw-query.ts';
import { quote, suggest } from '../suggest.ts';
import { findGame, type Route } from './route.ts';
import { writeJoined, writeRecords } from './write-joined.ts';

const MOST_IDS = 6;

const FIELDS = Buffer.from('],"fields":[');
const NULL = Buffer.from('null');
const DIFFERENT = Buffer.from('],"differs":true,"best":[');
const SAME = Buffer.from('],"differs":false,"best":[');
const END = Buffer.from(']}');

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
  const draft = new Draft();
  draft.writeText(`${head.slice(0, -1)},"characters":[`);
  writeRecords(draft, roster.fullRecords, rows);
  draft.write(FIELDS);
  writeJoined(draft, facetsOf(roster), (facet) => writeFacet(draft, facet, rows));
  draft.write(END);
  return { json: draft.bytes() };
}

/** A facet, as far as it is the same whoever is compared. */
interface Facet {
  column: Column;
  field: Field;
  /** The JSON of its row up to the values. */
  opening: Buffer;
  /** Whether its largest value is the best. */
  isRanked: boolean;
}

const facets = new WeakMap<Collection, Facet[]>();

function facetsOf(roster: Collection): Facet[] {
  let known = facets.get(roster);
  if (known === undefined) {
    known = Array.from(roster.columns.values(), (column) => ({
      column,
      field: roster.field(column.key),
      opening: Buffer.from(`{"key":${JSON.stringify(column.key)},"values":[`),
      isRanked: column.type === 'number' && !column.list && column.key.startsWith('stats.'),
    }));
    facets.set(roster, known);
  }
  return known;
}

function writeFacet(
  draft: Draft,
  { column, field, opening, isRanked }: Facet,
  rows: readonly number[],
): void {
  draft.write(opening);
  const first = draft.length;
  let firstEnd = first;
  let differs = false;
  writeJoined(draft, rows, (row) => {
    const start = draft.length;
    if (!field(draft, row)) draft.write(NULL);
    if (start === first) firstEnd = draft.length;
    else differs ||= !draft.repeats(first, firstEnd, start);
  });
  draft.write(differs ? DIFFERENT : SAME);
  if (differs && isRanked) draft.writeText(findBest(column, rows).join());
  draft.write(END);
}

/** The positions with the largest value; codes are ranks. */
function findBest({ codes }: Column, rows: readonly number[]): number[] {
  let best: number[] = [];
  let largest = -1;
  for (const [at, row] of rows.entries()) {
    const rank = codes[row] as number;
    if (rank > largest) {
      largest = rank;
      best = [at];
    } else if (rank === largest) best.push(at);
  }
  return best;
}
