import { randomInt } from 'node:crypto';
import type { Json } from '../../scripts/format/dist-format.ts';
import { list, object, open, text } from '../../scripts/format/json-schema.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { readNames, readWhole, valuesOf } from '../http/incoming.ts';
import { HttpProblem, quote, suggest } from '../http/problem.ts';
import type { Result } from '../http/respond.ts';
import { type Collection, type Column, isNameKey } from '../query/collection.ts';
import { suggestNamed } from '../query/did-you-mean.ts';
import { project } from '../query/fields.ts';
import { parseFields } from '../query/list-query.ts';
import type { Translation } from '../query/translation.ts';
import { FIELDS, findDataset, inLanguage, joinRecords } from './lists.ts';
import { type ApiRequest, LANG, listParameter, type MemberRows, OF_GAME, parameter, route } from './route.ts';

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
  const record = list.fullRecords[row] as Buffer;
  return translation ? translation.write(record) : record;
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

/**
 * Finds a record by its id, or by an earlier one that no current record has; then `location` is the address with the current id.
 *
 * @throws HttpProblem `unknown-character` or `unknown-record`
 */
export function findRow(
  { slug, currentIds }: GameBuild,
  collection: string,
  list: Collection,
  given: string,
) {
  const current = list.rowOfId?.has(given) ? undefined : currentIds.get(collection)?.get(given);
  const id = current ?? given;
  const row = list.rowOfId?.get(id);
  const location = current && `/api/${slug}/${collection}/${encodeURIComponent(current)}`;
  if (row !== undefined) return { id, row, location };
  const isCharacter = collection === CHARACTERS;
  const what = `${isCharacter ? 'character' : 'record'} with the id ${quote(given)}`;
  const where = isCharacter ? '' : ` in ${collection}`;
  const detail = `${slug} has no ${what}${where}${suggestId(given, list)}`;
  throw new HttpProblem(isCharacter ? 'unknown-character' : 'unknown-record', detail);
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
    const none = `${key} of ${game.slug} has no records with ids, so none is ${quote(request.params.id ?? '')}`;
    throw new HttpProblem('unknown-record', `${none}; /api/${game.slug}/${key} is the whole dataset`);
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
    const rows = new Set<number>();
    while (rows.size < Math.min(roster.count, count)) rows.add(randomInt(roster.count));
    return {
      build,
      language: common.language,
      body() {
        const records = Array.from(rows, (row) => fullRecord(roster, translation, row));
        return { json: joinRecords(`${opening},"count":${rows.size},"characters":[`, records, ']}') };
      },
    };
  },
});

// biome-ignore format: a schema is a line
const NAME = open({ id: text() }, { name: text(), aliases: list(text()) }, { patternProperties: { '^name_': text() } });
const NAMES = list(NAME, {
  description: 'One element per character, in order of their ids, with its names in every language.',
});

export const namesRoute = route({
  path: '/api/:game/names',
  operationId: 'listNames',
  summary: 'The names of all characters',
  parameters: [LANG],
  result: 'Names',
  schema: object({ ...OF_GAME, names: NAMES }),
  handle(request) {
    const game = findGame(request);
    const { opening, roster } = game;
    const { translation, common } = inLanguage(request, game);
    return {
      ...common,
      body() {
        const all = new Set([...roster.attributes, translation?.keptName ?? 'name']);
        const keys = [...all].filter((key) => isNameKey(key) && key !== 'aliases').sort();
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
function aliasesAt(roster: Collection, row: number): string[] {
  const [own, id] = ['aliases', 'id'].map((key) => JSON.parse(roster.columns.get(key)?.jsonOf(row) || '[]'));
  return [...new Set([own, roster.aliasesOf(id)].flat())];
}

const MAX_IDS = 6;

/** A facet of compared characters: a value for each, null if it has none, and the positions with the largest one. */
export type ComparedFacet = { key: string; values: Json[]; differs: boolean; best: number[] };

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
    const { opening, roster } = game;
    const found = findRows(game, ids);
    const { translation, common } = inLanguage(request, game, `${game.tag} ${game.dictionary.tag}`);
    // One row per facet, one column per character, named by its id.
    const rows: MemberRows<ComparedFacet> = {
      member: 'fields',
      names: ['key', ...ids, 'differs', 'best'],
      cellsOf: ({ key, values, differs, best }) => [key, ...values, differs, best.map((at) => ids[at] ?? '')],
    };
    return {
      ...common,
      rows,
      body() {
        const head = `${opening},"count":${ids.length},"ids":${JSON.stringify(ids)},"characters":[`;
        const records = found.map((row) => fullRecord(roster, translation, row));
        let fields = '';
        for (const column of roster.columns.values()) {
          const { key, type, list } = column;
          const field = translation?.translates(key) ? translation.field(key) : undefined;
          const values = found.map((row) => (field ? field(row) : column.jsonOf(row)) || 'null');
          const differs = values.some((value) => value !== values[0]);
          const isRanked = differs && type === 'number' && !list && key.startsWith('stats.');
          const best = isRanked && haveOneUnit(game, key, found) ? findBest(column, found) : '';
          const start = `${fields === '' ? '' : ','}{"key":${JSON.stringify(key)},"values":[`;
          fields += `${start}${values.join()}],"differs":${differs},"best":[${best}]}`;
        }
        return { json: joinRecords(head, records, `],"fields":[${fields}]}`) };
      },
    };
  },
});

function findRows({ slug, roster }: GameBuild, ids: readonly string[]): number[] {
  const unknown = ids.filter((id) => !roster.rowOfId?.has(id));
  if (unknown.length === 0) return ids.map((id) => roster.rowOfId?.get(id) ?? 0);
  const named = unknown.map((id) => quote(id) + suggestId(id, roster));
  const detail = `${slug} has no character with the id ${named.join(', ')}`;
  throw new HttpProblem('unknown-character', detail, { ids: unknown });
}

/** Whether the values of a stat have the same unit, which may depend on the attribute that it names in backticks. */
function haveOneUnit({ dictionary, roster }: GameBuild, stat: string, rows: readonly number[]): boolean {
  const { unit = '' } = dictionary.of(CHARACTERS).attributes.find(({ key }) => key === stat) ?? {};
  const { codes } = roster.columns.get(/`(.+?)`/.exec(unit)?.[1] ?? '') ?? {};
  return rows.every((row) => codes?.[row] === codes?.[rows[0] ?? 0]);
}

/** Returns the positions with the largest value; codes are in the order of the values. */
function findBest({ codes }: Column, rows: readonly number[]): string {
  const largest = Math.max(...rows.map((row) => codes[row] ?? -1));
  return rows.flatMap((row, at) => (codes[row] === largest ? at : [])).join();
}
