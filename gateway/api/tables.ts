// The rows of lists, and of members of other responses, as CSV and NDJSON.
import { csvCell, csvText, isFormula, LINE_END } from '../../scripts/bulk/csv.ts';
import * as dist from '../../scripts/format/dist-format.ts';
import { type RawQuery, readWord, splitList, valuesOf } from '../http/incoming.ts';
import { invalidParameter, quote, suggest } from '../http/problem.ts';
import { andThen, bytesOf, type Result } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import type { ReadField } from '../query/fields.ts';
import { selectRows } from '../query/list-query.ts';
import { pageLinks, recordsOf } from './lists.ts';
import * as routes from './route.ts';

/** Chooses the columns of CSV. */
export const COLUMNS = routes.listParameter(
  'columns',
  'These columns in this order, by dotted key, of all that full records have. An object stands for all columns in it. Without it, the columns are those ' +
    'of the records in the list, or what `fields` names, in the order of the attribute dictionary.',
  { example: ['id', 'name', 'stats'] },
);

export const CSV_PARAMETER = routes.parameter(
  'csv',
  '`spreadsheet` begins the file with a byte order mark, by which Excel recognises UTF-8. Cells are the same.',
  { enum: ['spreadsheet'] },
);

/** Returns a route with the addresses of its rows in each form. These come first, so that no parameter matches the suffix. */
export function addForms(route: routes.Route): routes.Route[] {
  if (!route.hasRows || route.isAddress) return [route];
  const ofForms = routes.ROW_FORMS.map(
    (form): routes.Route => ({
      ...route,
      path: `${route.path}.${form.name}`,
      operationId: `${route.operationId}As${form.schema}`,
      summary: `${route.summary}, as ${form.name.toUpperCase()}`,
      parameters: [...route.parameters, ...(form.name === 'csv' ? parametersOfCsv(route) : [])],
      result: form.schema,
      form,
    }),
  );
  return [...ofForms, route];
}

function parametersOfCsv({ parameters }: routes.Route): routes.QueryParameter[] {
  return parameters.some(({ name }) => name === 'filter') ? [COLUMNS, CSV_PARAMETER] : [CSV_PARAMETER];
}

/** Responds with the rows of a route's JSON in the requested form. @throws HttpProblem */
export function respondWithRows(route: routes.Route, request: routes.ApiRequest, services: routes.Services) {
  const isCsv = request.form === 'csv';
  // The route does not know the parameters that only choose columns.
  const unknown = isCsv ? parametersOfCsv(route).map(({ name }) => name) : [];
  const query = request.query.filter(([name]) => !unknown.includes(name));
  return andThen(route.handle({ ...request, query }, services), (made): Result => {
    const { rows, ...result } = made as routes.JsonResult;
    if (rows === undefined) throw new Error('this response has no rows');
    const hasMark = isCsv && readWord(request.query, CSV_PARAMETER.name, ['spreadsheet']) !== undefined;
    const opening = hasMark ? '\ufeff' : '';
    const typed = {
      ...result,
      type: isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson',
    };
    if (!('list' in rows))
      return { ...typed, body: () => andThen(result.body(), memberWriter(rows, isCsv, opening)) };
    const { list, query: asked } = rows;
    const write = isCsv
      ? tableWriter(request.query, rows, opening)
      : (page: readonly number[]) => recordsOf(list, asked, page).map((each) => `${each}\n`);
    return {
      ...typed,
      // Increase the number when the format of cells changes.
      ...(isCsv && { tag: `${result.tag} ${rows.game.dictionary.tag} 2` }),
      body() {
        const { total, rows: page } = selectRows(list, asked);
        const { limit = null, offset } = asked;
        const links = pageLinks(request, total, page.length, offset, limit);
        return { json: Buffer.from(write(page).join('')), links, total };
      },
    };
  });
}

/** Writes the rows that are the elements of a member of a JSON response. */
function memberWriter({ member, names, cellsOf }: routes.MemberRows, isCsv: boolean, opening: string) {
  return ({ json }: { json: Parameters<typeof bytesOf>[0] }) => {
    const { [member]: elements = [] }: Record<string, dist.JsonObject[]> = JSON.parse(String(bytesOf(json)));
    const table = [names, ...elements.map((element) => cellsOf(element))];
    const lines = isCsv
      ? table.map((cells) => cells.map(safeCell).join() + LINE_END)
      : elements.map((element) => `${JSON.stringify(element)}\n`);
    return { json: Buffer.from(opening + lines.join('')), total: elements.length };
  };
}

/** @throws HttpProblem if a column is not known */
function tableWriter(query: RawQuery, rows: routes.ListRows, opening: string) {
  const keys = readColumns(query, rows, columnsOf(rows));
  return (page: readonly number[]) => {
    const cells = keys.map((key) => cellOf(key, rows));
    const head = opening + keys.map(safeText).join() + LINE_END;
    // Most CSV readers skip an empty line.
    const lines = page.map((row) => (cells.map((cell) => cell(row)).join() || '""') + LINE_END);
    return [head, ...lines];
  };
}

/**
 * Writes a value as a cell of CSV for people: the elements of a list are separated by `; `, and objects in a list are shown by their names if all
 * have one. A text that a spreadsheet could run as a formula begins with `'`; numbers never do.
 */
function safeCell(value: dist.Json | undefined): string {
  if (!Array.isArray(value) || value.length === 0) return csvCell(value, safeText);
  const shown = value.every(dist.isObject) ? value.map(({ name }) => name) : value;
  const isPlain = shown.every((each) => each !== undefined && (typeof each !== 'object' || each === null));
  return isPlain ? safeText(shown.map((each) => each ?? '').join('; ')) : csvCell(value, safeText);
}

function safeText(text: string): string {
  return csvText(isFormula(text) ? `'${text}` : text);
}

/** The columns that CSV of a list can have. */
interface Columns {
  /** The keys of all columns, those of full records, in order. */
  keys: readonly string[];
  /** Those of the records in a list. */
  defaultKeys: readonly string[];
}

const known = new WeakMap<Collection, Columns>();

/** Returns the columns of a list; they are found for the first request of CSV. */
function columnsOf({ game, collection, list }: routes.ListRows): Columns {
  let columns = known.get(list);
  if (columns === undefined) {
    const inOrder = game.dictionary.of(collection).attributes.map(({ key }) => key);
    const others = [...list.attributes].sort(dist.compareNatural);
    const isColumn = (key: string) =>
      list.attributes.has(key) && !others.some((each) => each.startsWith(`${key}.`));
    const keys = [...new Set([...inOrder, ...others])].filter(isColumn);
    const defaultKeys = list.isShort ? keys.filter(isIn(list.records)) : keys;
    columns = { keys, defaultKeys };
    known.set(list, columns);
  }
  return columns;
}

function cellOf(key: string, { list, query: { translation } }: routes.ListRows): (row: number) => string {
  const column = list.columns.get(key);
  if (column?.list === false && !translation?.translates(key))
    return (row) => safeCell(column.values[column.codes[row] ?? -1]);
  const source = translation ?? list;
  const isOwn = list.attributes.has(key) || key === translation?.keptName;
  const field = isOwn ? source.field(key) : membersOf(source, key);
  return (row) => {
    const json = field(row);
    return json === '' ? '' : safeCell(JSON.parse(json));
  };
}

/** Returns whether any of some records has an attribute. */
function isIn(records: readonly Buffer[]): (key: string) => boolean {
  const keys = new Set<string>();
  for (const json of records)
    dist.eachAttribute(dist.parseRecord(json), (key, value) => {
      // Of lists of objects, only empty ones are in the roster, so an empty one does not make a default column.
      if (!Array.isArray(value) || value.length > 0) keys.add(key);
    });
  return (key) => keys.has(key);
}

/** Returns the values of an attribute inside a list: `skills.name`. */
function membersOf(source: Pick<Collection, 'project'>, key: string): ReadField {
  const [outer] = source.project([key]);
  const leavesOf = (value: dist.Json): dist.Json[] => {
    if (Array.isArray(value)) return value.flatMap(leavesOf);
    return dist.isObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
  };
  return (row) => {
    const json = typeof outer?.value === 'function' ? outer.value(row) : '';
    const values = json === '' ? [] : leavesOf(JSON.parse(json));
    return values.length === 0 ? '' : JSON.stringify(values);
  };
}

/** Returns the keys of the columns that a request names, or the default ones. @throws HttpProblem */
function readColumns(
  query: RawQuery,
  { list, query: { translation } }: routes.ListRows,
  { keys, defaultKeys }: Columns,
): readonly string[] {
  const [columns, fields] = [valuesOf(query, COLUMNS.name), valuesOf(query, 'fields')];
  /** Returns one column, or all columns of an object. */
  const find = (key: string): string[] => {
    const found = keys.filter((column) => column === key || column.startsWith(`${key}.`));
    const isOwn = key === translation?.keptName || (found.length === 0 && list.hasField(key));
    return isOwn ? [key] : found;
  };
  if (columns && fields)
    throw invalidParameter('columns', 'columns and fields were given, expected one of them');
  if (columns) {
    const wanted = splitList('columns', columns);
    const unknown = wanted.find((key) => find(key).length === 0);
    if (unknown === undefined) return [...new Set(wanted.flatMap(find))];
    const fault = `${quote(unknown)} is not a column of these records${suggest(unknown, keys)}`;
    throw invalidParameter('columns', fault);
  }
  if (fields) {
    const wanted = new Set(splitList('fields', fields).flatMap(find));
    const added = [...wanted].filter((key) => !keys.includes(key));
    return [...keys.filter((key) => key === 'id' || wanted.has(key)), ...added];
  }
  // If the records lack the replaced name, it comes last.
  const kept = translation?.keptName;
  return kept === undefined || keys.includes(kept) ? defaultKeys : [...defaultKeys, kept];
}
