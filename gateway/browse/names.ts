import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { joinRecords } from '../api/list-body.ts';
import { findGame, type InLanguage, LANG, type Route, tagOf, valuesOf } from '../api/route.ts';
import { type Collection, isNameKey } from '../query/collection.ts';
import { type Projection, project } from '../query/fields.ts';
import { readTranslation } from '../query/list-query.ts';

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

function namesOf(roster: Collection, { translation }: InLanguage): Projection {
  const keys = ['id', ...[...roster.attributes].filter(isNameKey).sort()].filter((key) => key !== 'aliases');
  return translation ? translation.project(keys) : roster.project(keys);
}

/** Returns the names of a row, and its aliases: those in the record, then those that are only for search. */
function namesAt(roster: Collection, projection: Projection, row: number): string {
  const names = project(projection, row) || '{}';
  const aliases = aliasesAt(roster, row);
  return aliases.length === 0 ? names : `${names.slice(0, -1)},"aliases":${JSON.stringify(aliases)}}`;
}

/** The aliases of a row: those in its record, then those that are only for search; each once. */
function aliasesAt(roster: Collection, row: number): readonly string[] {
  const { values = [], codes } = roster.columns.get('id') ?? {};
  const added = roster.aliasesOf(String(values[codes?.[row] ?? -1]));
  if (!roster.columns.has('aliases')) return added;
  const { aliases = [] }: JsonObject = JSON.parse(String(roster.fullRecords[row]));
  const inRecord = [aliases].flat().filter((alias) => typeof alias === 'string');
  return [...new Set([...inRecord, ...added])];
}
