import { randomInt } from 'node:crypto';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { readWhole, valuesOf } from '../http/incoming.ts';
import { HttpProblem, quote, suggest } from '../http/problem.ts';
import type { Result } from '../http/respond.ts';
import { type Collection, isNameKey } from '../query/collection.ts';
import { suggestNamed } from '../query/did-you-mean.ts';
import { type Projection, project } from '../query/fields.ts';
import { type ListQuery, parseFields, readTranslation } from '../query/list-query.ts';
import { findDataset, joinRecords, tagOf } from './lists.ts';
import { type ApiRequest, LANG, listParameter, type Route } from './route.ts';

/** The parameter of responses that are one record. */
const FIELDS_OF_RECORD = listParameter(
  'fields',
  'Only these attributes, by dotted key and separated by commas; `id` is always included.',
  { schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } } },
);

/** A record that a request names. */
interface Found {
  game: GameBuild;
  /** Identifies the content of the list. */
  tag: string;
  list: Collection;
  row: number;
  /** The address with the current id, if the request has an earlier one. */
  location: string | undefined;
}

/**
 * Makes the response with one full record, or with the attributes in `fields`, in the language of `lang`.
 *
 * @throws ParameterError
 */
function recordResult({ query }: ApiRequest, { game, tag, list, row, location }: Found): Result {
  const inLanguage = readTranslation(valuesOf(query, 'lang'), list, game.languages);
  const { translation, language } = inLanguage;
  const fields = valuesOf(query, 'fields');
  const projection = fields && parseFields(fields, list, translation);
  return {
    tag: tagOf(tag, inLanguage, game),
    build: game.build,
    location,
    language,
    body() {
      if (!projection && !translation) return { json: list.fullRecords[row] as Buffer };
      const text = projection ? project(projection, row) || '{}' : translation?.fullRecord(row);
      return { json: Buffer.from(text ?? '') };
    },
  };
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
    const { row, location } = findCharacter(game, request.params.id ?? '');
    return recordResult(request, { game, tag: game.tag, list: game.roster, row, location });
  },
};

/** A record that was found by its id, or by an earlier one; then `location` is its address. */
interface FoundRow {
  id: string;
  row: number;
  location: string | undefined;
}

function findRow(game: GameBuild, collection: string, list: Collection, id: string): FoundRow | undefined {
  const own = list.rowOfId?.get(id);
  if (own !== undefined) return { id, row: own, location: undefined };
  const current = findCurrentId(game, collection, id);
  const row = list.rowOfId?.get(current?.id ?? '');
  return current && row !== undefined ? { ...current, row } : undefined;
}

/** @throws HttpProblem `unknown-character` */
export function findCharacter(game: GameBuild, id: string): FoundRow {
  const { slug, roster } = game;
  const found = findRow(game, CHARACTERS, roster, id);
  if (found) return found;
  const detail = `${slug} has no character with the id ${quote(id)}${suggestId(id, roster)}`;
  throw new HttpProblem('unknown-character', detail);
}

export const recordRoute: Route = {
  path: '/api/:game/:dataset/:id',
  operationId: 'getRecord',
  summary: 'One record of a dataset',
  description:
    'The record itself, of a dataset that is a list of records with ids. An earlier id of a record that was renumbered finds it too.',
  needsKey: true,
  parameters: [FIELDS_OF_RECORD, LANG],
  result: 'Record',
  problems: ['unknown-game', 'unknown-dataset', 'unknown-record'],
  handle(request) {
    const game = findGame(request);
    const dataset = findDataset(request, game);
    const id = request.params.id ?? '';
    const { slug, build } = game;
    const { key } = dataset;
    if (dataset.kind !== 'list' || dataset.list.rowOfId === undefined)
      throw new HttpProblem(
        'unknown-record',
        `${key} of ${slug} has no records with ids, so none is ${quote(id)}; /api/${slug}/${key} is the whole dataset`,
      );
    const { list } = dataset;
    const found = findRow(game, key, list, id);
    if (found) return recordResult(request, { game, tag: `${build} ${dataset.tag}`, list, ...found });
    const near = suggestId(id, list);
    throw new HttpProblem(
      'unknown-record',
      `${slug} has no record with the id ${quote(id)} in ${key}${near}`,
    );
  },
};

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
  handle(request) {
    const { build, opening, roster, languages } = findGame(request);
    const count = readWhole(request.query, 'count', 1, MAX_COUNT) ?? 1;
    const { translation, language } = readTranslation(valuesOf(request.query, 'lang'), roster, languages);
    const rows = chooseRows(roster.count, count);
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

/** Chooses rows at random, none twice (Floyd's algorithm). */
function chooseRows(rowCount: number, count: number): number[] {
  const chosen = new Set<number>();
  for (let top = Math.max(0, rowCount - count); top < rowCount; top++) {
    const row = randomInt(top + 1);
    chosen.add(chosen.has(row) ? top : row);
  }
  return [...chosen];
}

export const namesRoute: Route = {
  path: '/api/:game/names',
  operationId: 'listNames',
  summary: 'The names of all characters',
  description:
    'The ids of all characters with their names in every language: small, for autocompletion. It changes only when the build does, so a client ' +
    'that sends If-None-Match gets a 304, which does not count.',
  needsKey: true,
  parameters: [LANG],
  result: 'Names',
  problems: ['unknown-game'],
  handle(request) {
    const game = findGame(request);
    const { tag, build, opening, roster } = game;
    const inLanguage = readTranslation(valuesOf(request.query, 'lang'), roster, game.languages);
    return {
      tag: tagOf(tag, inLanguage, game),
      build,
      language: inLanguage.language,
      body() {
        const projection = namesOf(roster, inLanguage);
        const names = Array.from({ length: roster.count }, (_, row) => namesAt(roster, projection, row));
        return { json: joinRecords(`${opening},"names":[`, names, ']}') };
      },
    };
  },
};

function namesOf(roster: Collection, { translation }: Pick<ListQuery, 'translation'>): Projection {
  const keys = ['id', ...[...roster.attributes].filter(isNameKey).sort()].filter((key) => key !== 'aliases');
  return translation ? translation.project(keys) : roster.project(keys);
}

/** Returns the names of a row and its aliases: first those in the record, then those only for search. */
function namesAt(roster: Collection, projection: Projection, row: number): string {
  const names = project(projection, row) || '{}';
  const aliases = aliasesAt(roster, row);
  return aliases.length === 0 ? names : `${names.slice(0, -1)},"aliases":${JSON.stringify(aliases)}}`;
}

/** Returns the aliases of a row without repeats: first those in the record, then those only for search. */
function aliasesAt(roster: Collection, row: number): readonly string[] {
  const { values = [], codes } = roster.columns.get('id') ?? {};
  const added = roster.aliasesOf(String(values[codes?.[row] ?? -1]));
  if (!roster.columns.has('aliases')) return added;
  const { aliases = [] }: JsonObject = JSON.parse(String(roster.fullRecords[row]));
  const inRecord = [aliases].flat().filter((alias) => typeof alias === 'string');
  return [...new Set([...inRecord, ...added])];
}
