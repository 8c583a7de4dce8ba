import { randomInt } from 'node:crypto';
import type { Json, JsonObject } from '../../scripts/format/dist-format.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { readNames, readWhole, valuesOf } from '../http/incoming.ts';
import { HttpProblem, quote, suggest } from '../http/problem.ts';
import type { Body, Result } from '../http/respond.ts';
import { type Collection, type Column, isNameKey } from '../query/collection.ts';
import { suggestNamed } from '../query/did-you-mean.ts';
import { project } from '../query/fields.ts';
import { parseFields } from '../query/list-query.ts';
import type { Translation } from '../query/translation.ts';
import { FIELDS, findDataset, inLanguage, joinRecords } from './lists.ts';
import { type ApiRequest, LANG, listParameter, type MemberRows, parameter, route } from './route.ts';

/** A record that was found by its id, or by an earlier one; then `location` is the address with the current id. */
interface FoundRow {
  id: string;
  row: number;
  location: string | undefined;
}

/** Makes the response with one full record, or with the attributes in `fields`, in the language of `lang`. @throws HttpProblem */
function recordResult(
  request: ApiRequest,
  game: GameBuild,
  { key, tag, list }: { key: string; tag: string; list: Collection },
): Result {
  const { row, location } = findRow(game, key, list, request.params.id ?? '');
  const { translation, common } = inLanguage(request, game, tag, list);
  const fields = valuesOf(request.query, 'fields');
  const projection = fields && parseFields(fields, list, translation);
  return {
    ...common,
    location,
    body: () => ({
      json: Buffer.from(projection ? project(projection, row) || '{}' : fullRecord(list, translation, row)),
    }),
  };
}

function fullRecord(list: Collection, translation: Translation | undefined, row: number): Buffer | string {
  return translation ? translation.fullRecord(row) : (list.fullRecords[row] as Buffer);
}

/**
 * Returns the current id of a renumbered record.
 *
 * @param collection `characters` or the key of a dataset
 * @param id an id that no current record has; if two records had it, the newer one counts
 * @returns the id and the record's address, for Content-Location; undefined if no record had the id
 */
export function findCurrentId(
  { slug, currentIds }: GameBuild,
  collection: string,
  id: string,
): { id: string; location: string } | undefined {
  const current = currentIds.get(collection)?.get(id);
  if (current === undefined) return undefined;
  return { id: current, location: `/api/${slug}/${collection}/${encodeURIComponent(current)}` };
}

/** Suggests an id, for the end of an error message: that of the record with this name, or the nearest one. */
export function suggestId(id: string, list: Collection): string {
  return suggestNamed(id, list) || suggest(id, list.rowOfId?.keys() ?? []);
}

export const characterRoute = route({
  path: '/api/:game/characters/:id',
  operationId: 'getCharacter',
  summary: 'One character',
  parameters: [FIELDS, LANG],
  result: 'Character',
  handle(request) {
    const game = findGame(request);
    return recordResult(request, game, { key: CHARACTERS, tag: game.tag, list: game.roster });
  },
});

/** @throws HttpProblem `unknown-character` or `unknown-record` */
function findRow(game: GameBuild, collection: string, list: Collection, id: string): FoundRow {
  const own = list.rowOfId?.get(id);
  if (own !== undefined) return { id, row: own, location: undefined };
  const current = findCurrentId(game, collection, id);
  const row = list.rowOfId?.get(current?.id ?? '');
  if (current && row !== undefined) return { ...current, row };
  const near = suggestId(id, list);
  const none = `${game.slug} has no`;
  throw collection === CHARACTERS
    ? new HttpProblem('unknown-character', `${none} character with the id ${quote(id)}${near}`)
    : new HttpProblem('unknown-record', `${none} record with the id ${quote(id)} in ${collection}${near}`);
}

/** @throws HttpProblem `unknown-character` */
export function findCharacter(game: GameBuild, id: string): FoundRow {
  return findRow(game, CHARACTERS, game.roster, id);
}

export const recordRoute = route({
  path: '/api/:game/:dataset/:id',
  operationId: 'getRecord',
  summary: 'One record of a dataset',
  parameters: [FIELDS, LANG],
  result: 'Record',
  problems: ['unknown-record'],
  handle(request) {
    const game = findGame(request);
    const dataset = findDataset(game, request.params.dataset);
    const { key } = dataset;
    if (dataset.kind === 'list' && dataset.list.rowOfId)
      return recordResult(request, game, { ...dataset, tag: `${game.build} ${dataset.tag}` });
    throw new HttpProblem(
      'unknown-record',
      `${key} of ${game.slug} has no records with ids, so none is ${quote(request.params.id ?? '')}; /api/${game.slug}/${key} is the whole dataset`,
    );
  },
});

const MAX_COUNT = 100;
const COUNT = { type: 'integer', minimum: 1, maximum: MAX_COUNT, default: 1 };

export const randomRoute = route({
  path: '/api/:game/characters/random',
  operationId: 'getRandomCharacters',
  summary: 'Random characters',
  parameters: [parameter('count', 'How many; fewer when the game has fewer.', COUNT), LANG],
  result: 'RandomCharacters',
  isUncached: true,
  handle(request) {
    const game = findGame(request);
    const { build, opening, roster } = game;
    const count = readWhole(request.query, 'count', 1, MAX_COUNT) ?? 1;
    const { translation, common } = inLanguage(request, game);
    const rows = chooseRows(roster.count, count);
    return {
      ...{ build, language: common.language },
      body() {
        const records = rows.map((row) => fullRecord(roster, translation, row));
        return { json: joinRecords(`${opening},"count":${rows.length},"characters":[`, records, ']}') };
      },
    };
  },
});

/** Chooses rows at random, none twice. */
function chooseRows(rowCount: number, count: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < Math.min(rowCount, count)) chosen.add(randomInt(rowCount));
  return [...chosen];
}

export const namesRoute = route({
  path: '/api/:game/names',
  operationId: 'listNames',
  summary: 'The names of all characters',
  parameters: [LANG],
  result: 'Names',
  handle(request) {
    const game = findGame(request);
    const { opening, roster } = game;
    const { translation, common } = inLanguage(request, game);
    return {
      ...common,
      body() {
        const keys = [...roster.attributes].filter((key) => isNameKey(key) && key !== 'aliases').sort();
        const projection = (translation ?? roster).project(['id', ...keys]);
        const names = Array.from({ length: roster.count }, (_, row) => {
          const own = project(projection, row) || '{}';
          const aliases = aliasesAt(roster, row);
          return aliases.length === 0 ? own : `${own.slice(0, -1)},"aliases":${JSON.stringify(aliases)}}`;
        });
        return { json: joinRecords(`${opening},"names":[`, names, ']}') };
      },
    };
  },
});

/** Returns the aliases of a row without repeats: first those in the record, then those only for search. */
function aliasesAt(roster: Collection, row: number): readonly string[] {
  const { values = [], codes } = roster.columns.get('id') ?? {};
  const added = roster.aliasesOf(String(values[codes?.[row] ?? -1]));
  if (!roster.columns.has('aliases')) return added;
  const { aliases = [] }: JsonObject = JSON.parse(String(roster.fullRecords[row]));
  const inRecord = [aliases].flat().filter((alias) => typeof alias === 'string');
  return [...new Set([...inRecord, ...added])];
}

const MAX_IDS = 6;

export const compareRoute = route({
  path: '/api/:game/compare',
  operationId: 'compareCharacters',
  summary: 'One to six characters side by side',
  parameters: [
    listParameter(
      'ids',
      'One to six different ids, separated by commas or in repeated parameters.',
      { required: true },
      { minItems: 1, maxItems: MAX_IDS },
    ),
    LANG,
  ],
  result: 'Comparison',
  problems: ['unknown-character'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const ids = readNames(request.query, 'ids', MAX_IDS, 'ids');
    const found = findRows(game, ids);
    const { translation, common } = inLanguage(request, game);
    // One row per facet, one column per character, named by its id.
    const rows: MemberRows<ComparedFacet> = {
      member: 'fields',
      names: ['key', ...ids, 'differs', 'best'],
      cellsOf: ({ key, values, differs, best }) => [key, ...values, differs, best.map((at) => ids[at] ?? '')],
    };
    return {
      ...common,
      vary: 'Accept',
      isNamed: true,
      body: () => compareRows(game, ids, found, translation),
      rows,
    };
  },
});

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
  const records = rows.map((row) => fullRecord(roster, translation, row));
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
