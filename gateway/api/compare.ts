import type { Json } from '../../scripts/format/dist-format.ts';
import { findGame } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { readNames, valuesOf } from '../http/incoming.ts';
import { HttpProblem, quote } from '../http/problem.ts';
import type { Body } from '../http/respond.ts';
import type { Column } from '../query/column.ts';
import { readTranslation } from '../query/list-query.ts';
import type { Translation } from '../query/translation.ts';
import { joinRecords, tagOf } from './lists.ts';
import { suggestId } from './records.ts';
import { LANG, listParameter, type MemberRows, type Route } from './route.ts';

const MAX_IDS = 6;

export const compareRoute: Route = {
  path: '/api/:game/compare',
  operationId: 'compareCharacters',
  summary: 'Characters side by side',
  description:
    'One to six characters in the given order, and one row per facet with one value per character (null where it has none). `best` lists the ' +
    'positions with the largest value in numeric `stats.*` rows that differ; otherwise it is empty.',
  needsKey: true,
  parameters: [
    listParameter('ids', 'One to six different ids, separated by commas or in repeated parameters.', {
      required: true,
      schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_IDS },
    }),
    LANG,
  ],
  result: 'Comparison',
  problems: ['unknown-game', 'unknown-character'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const ids = readNames(request.query, 'ids', MAX_IDS, 'ids');
    const found = findRows(game, ids);
    const inLanguage = readTranslation(valuesOf(request.query, 'lang'), game.roster, game.languages);
    // One row per facet, one column per character, named by its id.
    const rows: MemberRows<ComparedFacet> = {
      member: 'fields',
      names: ['key', ...ids, 'differs', 'best'],
      cellsOf: ({ key, values, differs, best }) => [key, ...values, differs, best.map((at) => ids[at] ?? '')],
    };
    return {
      tag: tagOf(game.tag, inLanguage, game),
      build: game.build,
      language: inLanguage.language,
      vary: 'Accept',
      isNamed: true,
      body: () => compareRows(game, ids, found, inLanguage.translation),
      rows,
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
  const head = `${opening},"count":${ids.length},"ids":${JSON.stringify(ids)},"characters":[`;
  const records = translation
    ? rows.map((row) => translation.fullRecord(row))
    : rows.map((row) => roster.fullRecords[row] as Buffer);
  let fields = '';
  for (const column of roster.columns.values()) {
    const values = valuesIn(column, rows, translation);
    const differs = values.some((value) => value !== values[0]);
    const isRanked = differs && column.type === 'number' && !column.list && column.key.startsWith('stats.');
    const best = isRanked ? findBest(column, rows) : '';
    const start = `${fields === '' ? '' : ','}{"key":${JSON.stringify(column.key)},"values":[`;
    fields += `${start}${values.join()}],"differs":${differs},"best":[${best}]}`;
  }
  return { json: joinRecords(head, records, `],"fields":[${fields}]}`) };
}

/** Returns the values of rows as JSON, null where a row has none. */
function valuesIn(column: Column, rows: readonly number[], translation: Translation | undefined): string[] {
  if (translation?.translates(column.key) !== true) return rows.map((row) => column.jsonOf(row) || 'null');
  const field = translation.field(column.key);
  return rows.map((row) => field(row) || 'null');
}

/** Returns the positions with the largest value; codes are in the order of the values. */
function findBest({ codes }: Column, rows: readonly number[]): string {
  const largest = Math.max(...rows.map((row) => codes[row] ?? -1));
  return rows.flatMap((row, at) => (codes[row] === largest ? at : [])).join();
}
