import type { Json } from '../../scripts/format/dist-format.ts';
import { Draft, Pieces } from '../http/draft.ts';
import type { GameBuild } from '../data/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import { ParameterError, type RawQuery } from '../http/raw-query.ts';
import { quote } from '../http/suggest.ts';
import type { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import type { Field } from '../query/fields.ts';
import { readTranslation, splitList } from '../query/list-query.ts';
import type { Translation } from '../query/translation.ts';
import type { Body } from '../http/respond.ts';
import { writeJoined, writeRecords } from './list-body.ts';
import { suggestId } from './record-body.ts';
import { findGame, LANG, type MemberRows, type Route, tagOf, valuesOf } from './route.ts';

const MAX_IDS = 6;
/** How long the rows of facets are, at most in most games. */
const FIELDS_BYTES = 64 * 1024;

const FIELDS = Buffer.from('],"fields":[');
const NULL = Buffer.from('null');
const END = Buffer.from(']}');
/** What follows the values of a row that has best ones. */
const BEST = Buffer.from('],"differs":true,"best":[');
/** The ends of a row, in this order: equal values, different values, different values with best ones. */
const CLOSINGS = 3;
const AFTER_BEST = 2;
const POSITIONS = Pieces.of(Array.from({ length: MAX_IDS }, (_, at) => String(at)));

export const compareRoute: Route = {
  path: '/api/:game/compare',
  operationId: 'compareCharacters',
  summary: 'Characters side by side',
  description:
    'One to six characters in the given order, and one row per facet with one value per character (null where it has none). `best` lists the ' +
    'positions with the largest value in numeric `stats.*` rows that differ; otherwise it is empty.',
  needsKey: true,
  parameters: [
    {
      name: 'ids',
      description: 'One to six different ids, separated by commas or in repeated parameters.',
      required: true,
      schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_IDS },
      style: 'form',
      explode: false,
    },
    LANG,
  ],
  result: 'Comparison',
  problems: ['unknown-game', 'unknown-character'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const ids = readIds(request.query);
    const rows = findRows(game, ids);
    const inLanguage = readTranslation(valuesOf(request.query, 'lang'), game.roster, game.languages);
    return {
      tag: tagOf(game.tag, inLanguage, game),
      build: game.build,
      language: inLanguage.language,
      vary: 'Accept',
      isNamed: true,
      body: () => compareRows(game, ids, rows, inLanguage.translation),
      rows: describeRows(ids),
    };
  },
};

/** An element of `fields` in the JSON. */
interface ComparedFacet {
  key: string;
  values: Json[];
  differs: boolean;
  best: number[];
}

/** A row per facet, and a column per character with its id as name. */
function describeRows(ids: readonly string[]): MemberRows<ComparedFacet> {
  return {
    member: 'fields',
    names: ['key', ...ids, 'differs', 'best'],
    cellsOf: ({ key, values, differs, best }) => [
      key,
      ...values,
      differs,
      best.map((position) => ids[position] ?? ''),
    ],
  };
}

function readIds(query: RawQuery): string[] {
  const texts = valuesOf(query, 'ids');
  if (texts === undefined)
    throw new ParameterError('ids', `ids is missing, expected 1 to ${MAX_IDS} ids separated by commas`);
  const ids = splitList('ids', texts);
  if (ids.length > MAX_IDS)
    throw new ParameterError('ids', `ids names ${ids.length} characters, expected 1 to ${MAX_IDS}`);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    throw new ParameterError('ids', `ids names ${quote(twice)} twice, expected different ids`);
  return ids;
}

function findRows({ slug, roster }: GameBuild, ids: readonly string[]): number[] {
  const unknown = ids.filter((id) => !roster.rowOfId?.has(id));
  if (unknown.length === 0) return ids.map((id) => roster.rowOfId?.get(id) ?? 0);
  const named = unknown.map((id) => quote(id) + suggestId(id, roster));
  const detail = `${slug} has no character with the id ${named.join(', ')}`;
  throw new HttpProblem('unknown-character', detail, { ids: unknown });
}

function compareRows(
  { opening, roster }: GameBuild,
  ids: string[],
  rows: number[],
  translation: Translation | undefined,
): Body {
  const draft = new Draft();
  draft.writeText(`${opening},"count":${ids.length},"ids":${JSON.stringify(ids)},"characters":[`);
  if (translation) writeJoined(draft, rows, (row) => translation.writeFullRecord(draft, row));
  else writeRecords(draft, roster.fullRecords, rows, FIELDS_BYTES);
  draft.write(FIELDS);
  const { facets, firstOpening, closings } = tableOf(roster);
  draft.write(firstOpening);
  for (let at = 0; at < facets.length; at++) {
    const facet = facets[at] as Facet;
    const differs = writeFacetValues(draft, facet, rows, translation);
    if (differs && facet.isRanked) {
      draft.write(BEST);
      draft.writePieces(POSITIONS, findBest(facet.column, rows));
      draft.writePiece(closings, CLOSINGS * at + AFTER_BEST);
    } else draft.writePiece(closings, CLOSINGS * at + Number(differs));
  }
  draft.write(END);
  return { json: draft.bytes() };
}

/** What does not depend on the compared characters in a facet's row. */
interface Facet {
  column: Column;
  field: Field;
  /** Whether the largest value is the best. */
  isRanked: boolean;
}

/** What does not depend on the compared characters in all rows. */
interface Table {
  facets: Facet[];
  /** The JSON of the first row up to its values. */
  firstOpening: Buffer;
  /** The JSON between the values of a row and those of the next, in the order of the ends, for each row. */
  closings: Pieces;
}

const tables = new WeakMap<Collection, Table>();

function tableOf(roster: Collection): Table {
  let table = tables.get(roster);
  if (table === undefined) {
    const columns = [...roster.orderedColumns.values()];
    const openings = columns.map(({ key }) => `{"key":${JSON.stringify(key)},"values":[`);
    table = {
      facets: columns.map((column) => ({
        column,
        field: roster.field(column.key),
        isRanked: column.type === 'number' && !column.list && column.key.startsWith('stats.'),
      })),
      firstOpening: Buffer.from(openings[0] ?? ''),
      closings: Pieces.of(
        columns.flatMap((_, at) => {
          const next = at + 1 < columns.length ? `]},${openings[at + 1]}` : ']}';
          return [`],"differs":false,"best":[${next}`, `],"differs":true,"best":[${next}`, next];
        }),
      ),
    };
    tables.set(roster, table);
  }
  return table;
}

/** Writes the values of rows. @returns whether they differ */
function writeFacetValues(
  draft: Draft,
  { column, field }: Facet,
  rows: readonly number[],
  translation: Translation | undefined,
): boolean {
  if (translation?.translates(column.key)) return writeValues(draft, translation.field(column.key), rows);
  const codes = codesOf(column, rows);
  if (codes === undefined) return writeValues(draft, field, rows);
  draft.writePieces(column.json, codes);
  return codes.some((code) => code !== codes[0]);
}

/** Returns the codes of the rows' values; undefined unless each row has exactly one. */
function codesOf({ list, codes }: Column, rows: readonly number[]): number[] | undefined {
  const rowCodes = rows.map((row) => codes[row] ?? 0);
  return list || rowCodes.includes(-1) ? undefined : rowCodes;
}

/** Writes the values of rows, null where a row has none. @returns whether they differ */
function writeValues(draft: Draft, field: Field, rows: readonly number[]): boolean {
  const first = draft.length;
  let firstEnd = first;
  let differs = false;
  writeJoined(draft, rows, (row) => {
    const start = draft.length;
    if (!field(draft, row)) draft.write(NULL);
    if (start === first) firstEnd = draft.length;
    else differs ||= !draft.repeats(first, firstEnd, start);
  });
  return differs;
}

/** Returns the positions with the largest value; codes are in the order of the values. */
function findBest({ codes }: Column, rows: readonly number[]): number[] {
  let best: number[] = [];
  let largest = -1;
  for (const [at, row] of rows.entries()) {
    const rank = codes[row] ?? 0;
    if (rank > largest) {
      largest = rank;
      best = [at];
    } else if (rank === largest) best.push(at);
  }
  return best;
}
