import { Draft } from '../../bytes/draft.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { ParameterError } from '../../lib/parameter-error.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import { quote, suggest } from '../../lib/suggest.ts';
import type { Collection } from '../../query/collection.ts';
import { type ListQuery, splitList } from '../../query/list-query.ts';
import { selectRows } from '../../query/select-rows.ts';
import type { Translation } from '../../query/translation.ts';
import { type Table, tableOf } from '../../tables/table.ts';
import type { Body, Result } from '../../wire/respond.ts';
import { TABLE_TYPES } from '../forms.ts';
import { valuesOf } from './in-language.ts';
import { COLUMNS } from './list-parameters.ts';
import { pageLinks } from './page-links.ts';
import { writeRecord } from './record-body.ts';
import type { ApiRequest } from './route.ts';

/** A list of a game. */
export interface NamedList {
  game: GameBuild;
  /** `characters` or the key of a dataset. */
  collection: string;
  list: Collection;
}

const LINE_END = 0x0a;

/** Returns the parameters that select records, without `columns`. */
export function withoutColumns({ query, form }: ApiRequest): RawQuery {
  return form === 'csv' ? query.filter(([name]) => name !== COLUMNS.name) : query;
}

/**
 * Returns what makes the rows of a list as CSV or NDJSON of a JSON response.
 *
 * @param result the JSON response
 * @throws ParameterError
 */
export function rowsResult(request: ApiRequest, named: NamedList, query: ListQuery, result: Result): Result {
  const { list, game, collection } = named;
  if (request.form !== 'csv') {
    return { ...result, type: TABLE_TYPES.ndjson, body: () => ndjsonBody(request, list, query) };
  }
  const { dictionary } = game;
  const table = tableOf(list, () =>
    dictionary.describe(collection, () => list).attributes.map(({ key }) => key),
  );
  const keys = readColumns(request.query, table, query.translation);
  return {
    ...result,
    tag: `${result.tag} ${dictionary.tag}`,
    type: TABLE_TYPES.csv,
    body: () => csvBody(request, list, query, table, keys),
  };
}

function csvBody(
  request: ApiRequest,
  list: Collection,
  query: ListQuery,
  table: Table,
  keys: readonly string[] | undefined,
): Body {
  const { total, rows } = selectRows(list, query);
  const draft = new Draft();
  table.write(draft, rows, keys, query.translation);
  return describePage(request, query, total, rows.length, draft.bytes());
}

function ndjsonBody(request: ApiRequest, list: Collection, query: ListQuery): Body {
  const { total, rows } = selectRows(list, query);
  const { projection, translation } = query;
  const { records } = list;
  const draft = new Draft();
  for (const row of rows) {
    if (projection) writeRecord(draft, projection, row);
    else if (translation) translation.writeRecord(draft, row);
    else draft.write(records[row] as Buffer);
    draft.writeByte(LINE_END);
  }
  return describePage(request, query, total, rows.length, draft.bytes());
}

function describePage(
  request: ApiRequest,
  { limit, offset }: ListQuery,
  total: number,
  count: number,
  json: Buffer,
): Body {
  return { json, links: pageLinks(request, total, count, offset, limit ?? null), total };
}

/** Returns the keys of the columns that a request names; undefined for the default ones. @throws ParameterError */
function readColumns(
  query: RawQuery,
  table: Table,
  translation: Translation | undefined,
): readonly string[] | undefined {
  const [columns, fields] = [valuesOf(query, COLUMNS.name), valuesOf(query, 'fields')];
  if (columns && fields)
    throw new ParameterError('columns', 'columns and fields were given, expected one of them');
  if (columns) {
    return [...new Set(splitList('columns', columns).flatMap((key) => columnsOf(key, table, translation)))];
  }
  if (!fields) return translation && withKeptName(table, translation);
  const wanted = new Set(splitList('fields', fields).flatMap((key) => findColumns(key, table, translation)));
  const added = [...wanted].filter((key) => !table.keys.includes(key));
  return [...table.keys.filter((key) => key === 'id' || wanted.has(key)), ...added];
}

/** The default columns, and the replaced name after them if the records do not have it themselves. */
function withKeptName({ defaultKeys, keys }: Table, translation: Translation): readonly string[] {
  const { keptName } = translation;
  return keptName === undefined || keys.includes(keptName) ? defaultKeys : [...defaultKeys, keptName];
}

/** @throws ParameterError */
function columnsOf(key: string, table: Table, translation: Translation | undefined): readonly string[] {
  const found = findColumns(key, table, translation);
  if (found.length > 0) return found;
  throw new ParameterError(
    'columns',
    `${quote(key)} is not a column of these records${suggest(key, table.keys)}`,
  );
}

/** Returns a column, or all columns of an object. */
function findColumns(key: string, { keys }: Table, translation: Translation | undefined): readonly string[] {
  if (translation?.keeps(key)) return [key];
  return keys.filter((column) => column === key || column.startsWith(`${key}.`));
}
