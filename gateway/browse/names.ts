import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { isLong, writeInSlices, writeJoined } from '../api/list-body.ts';
import { writeRecord } from '../api/record-body.ts';
import { findGame, type InLanguage, LANG, type Route, tagOf, valuesOf } from '../api/route.ts';
import { Draft } from '../http/draft.ts';
import type { Collection } from '../query/collection.ts';
import type { Projection } from '../query/fields.ts';
import { readTranslation } from '../query/list-query.ts';
import { isNameKey } from '../query/names.ts';

const END = Buffer.from(']}');

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
        const rows = [...Array(roster.count).keys()];
        const head = `${opening},"names":[`;
        const write = (draft: Draft, row: number) => writeNames(draft, roster, projection, row);
        if (isLong(rows.length))
          return writeInSlices({ opening: head, rows, end: END }, write).then((json) => ({ json }));
        const draft = new Draft();
        draft.writeText(head);
        writeJoined(draft, rows, (row) => write(draft, row));
        draft.write(END);
        return { json: draft.bytes() };
      },
    };
  },
};

function namesOf(roster: Collection, { translation }: InLanguage): Projection {
  const keys = ['id', ...[...roster.attributes].filter(isNameKey).sort()].filter((key) => key !== 'aliases');
  return translation ? translation.project(keys) : roster.project(keys);
}

/** Writes the names of a row, and its aliases: those in the record, then those that are only for search. */
function writeNames(draft: Draft, roster: Collection, projection: Projection, row: number): void {
  writeRecord(draft, projection, row);
  const aliases = aliasesAt(roster, row);
  if (aliases.length === 0) return;
  draft.truncate(draft.length - 1);
  draft.writeText(`,"aliases":${JSON.stringify(aliases)}}`);
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
