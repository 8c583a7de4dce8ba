import { suggestNamed } from '../search/did-you-mean.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Collection } from '../query/collection.ts';
import { project } from '../query/fields.ts';
import { parseFields, readTranslation } from '../query/list-query.ts';
import type { Result } from '../http/respond.ts';
import {
  type ApiRequest,
  findGame,
  LANG,
  type QueryParameter,
  type Route,
  tagOf,
  valuesOf,
} from './route.ts';

/** The parameter of responses that are one record. */
export const FIELDS_OF_RECORD: QueryParameter = {
  name: 'fields',
  description: 'Only these attributes, by dotted key and separated by commas; `id` is always included.',
  schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } },
  style: 'form',
  explode: false,
};

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
 * Makes the response that is one full record, or its attributes that `fields` names, in the language of `lang`.
 *
 * @throws ParameterError
 */
export function recordResult({ query }: ApiRequest, { game, tag, list, row, location }: Found): Result {
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
 * Returns the current id of a record that was renumbered.
 *
 * @param collection `characters` or the key of a dataset
 * @param id an id that no current record has: an id that was reused means the newer record
 * @returns the id and the address of the record, for Content-Location; undefined if no record had the id
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

/** Suggests an id for one that no record has, at the end of an error message: that of the record with this name, or the nearest one. */
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
