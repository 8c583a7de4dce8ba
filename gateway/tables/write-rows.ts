import { pageLinks, recordsOf } from '../api/list-body.ts';
import { type ApiRequest, type JsonResult, type ListRows, valuesOf } from '../api/route.ts';
import { ParameterError, type RawQuery } from '../http/raw-query.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Collection } from '../query/collection.ts';
import { type ListQuery, splitList } from '../query/list-query.ts';
import { selectRows } from '../query/select-rows.ts';
import type { Translation } from '../query/translation.ts';
import type { Body, Result } from '../http/respond.ts';
import { describeAttributes } from '../attributes/attributes-of.ts';
import { COLUMNS, readOpening } from './columns.ts';
import { writeMember } from './small-table.ts';
import { type Table, tableOf } from './table.ts';

const LINE_END = Buffer.from('\n');
/** The media types of rows. They go into the head unchecked. */
const TYPES = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' } as const;

/**
 * Returns the rows of a JSON response as CSV or NDJSON.
 *
 * @throws ParameterError
 */
export function writeRows(request: ApiRequest, { rows, ...result }: JsonResult): Result {
  const form = request.form === 'csv' ? 'csv' : 'ndjson';
  const typed = { ...result, type: TYPES[form] };
  const opening = form === 'csv' ? readOpening(request.query) : '';
  if (rows === undefined) throw new Error(`${request.path} has no rows`);
  if (!('list' in rows)) return { ...typed, body: () => writeMember(form, rows, result, opening) };
  return form === 'csv'
    ? csvResult(request, rows, typed, opening)
    : { ...typed, body: () => ndjsonBody(request, rows) };
}

/** @throws ParameterError */
function csvResult(
  request: ApiRequest,
  { game, collection, list, query }: ListRows,
  result: Result,
  opening: string,
): Result {
  const { dictionary } = game;
  const table = tableOf(list, () =>
    describeAttributes(game, collection, () => list).attributes.map(({ key }) => key),
  );
  const keys = readColumns(request.query, table, list, query.translation);
  return {
    ...result,
    tag: `${result.tag} ${dictionary.tag}`,
    body: () =>
      pageOf(request, list, query, (rows) =>
        Buffer.from(opening + table.head(keys) + table.lines(rows, keys, query.translation)),
      ),
  };
}

function ndjsonBody(request: ApiRequest, { list, query }: ListRows): Body {
  return pageOf(request, list, query, (rows) =>
    Buffer.concat(recordsOf(list, query, rows).flatMap((record) => [Buffer.from(record), LINE_END])),
  );
}

/** Selects the rows of a page, and writes them. */
function pageOf(
  request: ApiRequest,
  list: Collection,
  query: ListQuery,
  write: (rows: readonly number[]) => Buffer,
): Body {
  const { total, rows } = selectRows(list, query);
  const { limit = null, offset } = query;
  return { json: write(rows), links: pageLinks(request, total, rows.length, offset, limit), total };
}

/** Returns the keys of the columns that a request names; undefined for the default ones. @throws ParameterError */
function readColumns(
  query: RawQuery,
  table: Table,
  list: Collection,
  translation: Translation | undefined,
): readonly string[] | undefined {
  const [columns, fields] = [valuesOf(query, COLUMNS.name), valuesOf(query, 'fields')];
  if (columns && fields)
    throw new ParameterError('columns', 'columns and fields were given, expected one of them');
  if (columns) {
    return [
      ...new Set(splitList('columns', columns).flatMap((key) => columnsOf(key, table, list, translation))),
    ];
  }
  if (!fields) return translation && withKeptName(table, translation);
  const wanted = new Set(
    splitList('fields', fields).flatMap((key) => findColumns(key, table, list, translation)),
  );
  const added = [...wanted].filter((key) => !table.keys.includes(key));
  return [...table.keys.filter((key) => key === 'id' || wanted.has(key)), ...added];
}

/** The default columns, and the replaced name after them if the records do not have it themselves. */
function withKeptName({ defaultKeys, keys }: Table, translation: Translation): readonly string[] {
  const { keptName } = translation;
  return keptName === undefined || keys.includes(keptName) ? defaultKeys : [...defaultKeys, keptName];
}

/** @throws ParameterError */
function columnsOf(
  key: string,
  table: Table,
  list: Collection,
  translation: Translation | undefined,
): readonly string[] {
  const columns = findColumns(key, table, list, translation);
  if (columns.length > 0) return columns;
  throw new ParameterError(
    'columns',
    `${quote(key)} is not a column of these records${suggest(key, table.keys)}`,
  );
}

/** Returns a column, or all columns of an object. */
function findColumns(
  key: string,
  { keys }: Table,
  list: Collection,
  translation: Translation | undefined,
): readonly string[] {
  if (translation?.keeps(key)) return [key];
  const columns = keys.filter((column) => column === key || column.startsWith(`${key}.`));
  return columns.length === 0 && list.hasField(key) ? [key] : columns;
}
