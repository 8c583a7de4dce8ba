// The rows of lists, and of members of other responses, as CSV and NDJSON.
import { csvCell, csvText, isFormula, LINE_END } from '../../scripts/bulk/tables.ts';
import {
  compareNatural,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { type RawQuery, readWord, splitList, valuesOf } from '../http/incoming.ts';
import { invalidParameter, quote, suggest } from '../http/problem.ts';
import { andThen, bytesOf, type Result } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import type { ReadField } from '../query/fields.ts';
import { selectRows } from '../query/list-query.ts';
import type { Translation } from '../query/translation.ts';
import { pageLinks, recordsOf } from './lists.ts';
import {
  type ApiRequest,
  type JsonResult,
  type ListRows,
  listParameter,
  type MemberRows,
  type QueryParameter,
  ROW_FORMS,
  type Route,
  type Services,
} from './route.ts';

/** Chooses the columns of CSV. */
export const COLUMNS = listParameter(
  'columns',
  'These columns in this order, by dotted key and separated by commas, of all that full records have. An object stands for all columns in it. Without it, the ' +
    'columns are those of the records in the list, or what `fields` names, in the order of the attribute dictionary.',
  {
    schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } },
    example: ['id', 'name', 'stats'],
  },
);

/** Makes CSV safe for spreadsheets. */
export const CSV_PARAMETER: QueryParameter = {
  name: 'csv',
  description:
    '`spreadsheet` begins the file with a byte order mark, by which Excel recognises UTF-8 when the file is opened. Cells are the same.',
  schema: { type: 'string', enum: ['spreadsheet'] },
};

const BYTE_ORDER_MARK = '\ufeff';
const NEW_LINE = Buffer.from('\n');
/** The sentence about the form in the summaries of such addresses. */
const SUMMARIES: Readonly<Record<string, string>> = {
  csv:
    'The same rows as CSV (RFC 4180, UTF-8, with a line of names), whatever Accept says: a column per attribute that is reached through objects, by its dotted key, in the order of ' +
    'the attribute dictionary; all that no record of the page has are there too. Elements of a list are separated by `; `; of a list of objects, the names are there, or JSON where one has none. ' +
    " A text that a spreadsheet would run as a formula begins with `'`. What the JSON has beside the rows is in `X-Total-Count` and `Link`.",
  ndjson:
    'The same rows as NDJSON, whatever Accept says: one JSON object per line, as in the JSON. What the JSON has beside the rows is in `X-Total-Count` and `Link`.',
};

/** Returns a route with the addresses of its rows in each form. These come first, so that no parameter matches the suffix. */
export function addForms(route: Route): Route[] {
  if (!route.hasRows || route.isAddress) return [route];
  const ofForms = ROW_FORMS.map(
    (form): Route => ({
      ...route,
      path: `${route.path}.${form.name}`,
      operationId: `${route.operationId}As${form.schema}`,
      summary: `${route.summary}, as ${form.name.toUpperCase()}`,
      description: SUMMARIES[form.name] ?? '',
      parameters: form.name === 'csv' ? [...route.parameters, ...parametersOfCsv(route)] : route.parameters,
      result: form.schema,
      form,
    }),
  );
  return [...ofForms, route];
}

function parametersOfCsv({ parameters }: Route): QueryParameter[] {
  return parameters.some(({ name }) => name === 'filter') ? [COLUMNS, CSV_PARAMETER] : [CSV_PARAMETER];
}

/** Responds with the rows of a route's JSON in the requested form. @throws HttpProblem */
export function respondWithRows(
  route: Route,
  request: ApiRequest,
  services: Services,
): Result | Promise<Result> {
  if (request.form !== 'csv')
    return andThen(route.handle(request, services), (result) => ndjsonResult(request, result as JsonResult));
  const isOfCsv = (name: string) => parametersOfCsv(route).some((each) => each.name === name);
  // The route does not know the parameters that only choose columns.
  const query = request.query.filter(([name]) => !isOfCsv(name));
  return andThen(route.handle({ ...request, query }, services), (result) =>
    csvResult(request, result as JsonResult),
  );
}

function ndjsonResult(request: ApiRequest, { rows, ...result }: JsonResult): Result {
  const typed = { ...result, type: 'application/x-ndjson' };
  if (rows && 'list' in rows) {
    const write = (page: readonly number[]) =>
      Buffer.concat(
        recordsOf(rows.list, rows.query, page).flatMap((record) => [Buffer.from(record), NEW_LINE]),
      );
    return { ...typed, body: () => bodyOfPage(request, rows, write) };
  }
  return withMember(rows, result, typed, (elements) =>
    elements.map((element) => `${JSON.stringify(element)}\n`).join(''),
  );
}

/** @throws HttpProblem */
function csvResult(request: ApiRequest, { rows, ...result }: JsonResult): Result {
  const typed = { ...result, type: 'text/csv; charset=utf-8; header=present' };
  const opening = readWord(request.query, CSV_PARAMETER.name, ['spreadsheet']) ? BYTE_ORDER_MARK : '';
  if (!rows || !('list' in rows))
    return withMember(rows, result, typed, (elements) => {
      const lines = [rows?.names ?? [], ...elements.map((element) => rows?.cellsOf(element) ?? [])];
      return opening + lines.map((cells) => cells.map((cell) => safeCell(cell)).join() + LINE_END).join('');
    });
  const { game, query } = rows;
  const table = tableOf(rows);
  const keys = readColumns(request.query, table, query.translation);
  const write = (page: readonly number[]) =>
    Buffer.from(opening + table.head(keys) + table.lines(page, keys, query.translation));
  return {
    ...typed,
    // Increase the number when the format of cells changes.
    tag: `${result.tag} ${game.dictionary.tag} 2`,
    body: () => bodyOfPage(request, rows, write),
  };
}

/** Writes the rows that are the elements of a member of a JSON response. */
function withMember(
  rows: MemberRows | undefined,
  json: Result,
  typed: Result,
  write: (elements: readonly JsonObject[]) => string,
): Result {
  if (rows === undefined) throw new Error('this response has no rows');
  const body: Result['body'] = () =>
    andThen(json.body(), (made) => {
      const members: Record<string, JsonObject[]> = JSON.parse(String(bytesOf(made.json)));
      const elements = members[rows.member] ?? [];
      return { json: Buffer.from(write(elements)), total: elements.length };
    });
  return { ...typed, body };
}

/** Selects the rows of a page, and writes them. */
function bodyOfPage(
  request: ApiRequest,
  { list, query }: ListRows,
  write: (rows: readonly number[]) => Buffer,
) {
  const { total, rows } = selectRows(list, query);
  const { limit = null, offset } = query;
  return { json: write(rows), links: pageLinks(request, total, rows.length, offset, limit), total };
}

/**
 * Writes a value as a cell of CSV for people: the elements of a list are separated by `; `, and objects in a list are shown by their names if all
 * have one. A text that a spreadsheet could run as a formula begins with `'`; numbers never do.
 */
function safeCell(value: Json | undefined): string {
  if (!Array.isArray(value) || value.length === 0) return csvCell(value, safeText);
  const shown = value.every(isObject) ? value.map(({ name }) => name) : value;
  const isPlain = shown.every((each) => each !== undefined && (typeof each !== 'object' || each === null));
  return isPlain ? safeText(shown.map((each) => each ?? '').join('; ')) : csvCell(value, safeText);
}

function safeText(text: string): string {
  return csvText(isFormula(text) ? `'${text}` : text);
}

const tables = new WeakMap<Collection, CsvTable>();

/** Returns the table of a list; it is made for the first request of CSV. */
function tableOf({ game, collection, list }: ListRows): CsvTable {
  let table = tables.get(list);
  if (table === undefined) {
    const { attributes } = game.dictionary.of(collection);
    table = new CsvTable(
      list,
      attributes.map(({ key }) => key),
    );
    tables.set(list, table);
  }
  return table;
}

/** A list of records as lines of CSV. */
class CsvTable {
  readonly list: Collection;
  /** The keys of all possible columns, those of full records, in order. */
  readonly keys: readonly string[];
  /** The default columns: the attributes of the records in a list. */
  readonly defaultKeys: readonly string[];
  readonly #cells = new Map<string, ReadField>();

  /** @param inOrder the keys of attributes in the order of the dictionary; attributes that it lacks follow */
  constructor(list: Collection, inOrder: readonly string[]) {
    const { attributes } = list;
    const others = [...attributes].sort(compareNatural);
    const keys = new Set([...inOrder.filter((key) => attributes.has(key)), ...others]);
    const isObjectKey = (key: string) => others.some((each) => each.startsWith(`${key}.`));
    this.list = list;
    this.keys = [...keys].filter((key) => !isObjectKey(key));
    this.defaultKeys = list.isShort ? this.keys.filter(isIn(list.records)) : this.keys;
  }

  /** Returns the line with the names of the columns. @param keys undefined for the default ones */
  head(keys: readonly string[] = this.defaultKeys): string {
    return keys.map(safeText).join() + LINE_END;
  }

  /** Returns the lines of rows. @param keys undefined for the default columns */
  lines(
    rows: readonly number[],
    keys: readonly string[] | undefined,
    translation: Translation | undefined,
  ): string {
    const cells = (keys ?? this.defaultKeys).map((key) => this.#cellOf(key, translation));
    // Most CSV readers skip an empty line.
    return rows.map((row) => (cells.map((cell) => cell(row)).join() || '""') + LINE_END).join('');
  }

  /** Returns a column's cells. */
  #cellOf(key: string, translation: Translation | undefined): ReadField {
    const { list } = this;
    const column = list.columns.get(key);
    const isScalar = column?.list === false;
    const toCell = (field: ReadField) => (row: number) => {
      const json = field(row);
      return json === '' ? '' : safeCell(JSON.parse(json));
    };
    if (translation && !(isScalar && !translation.translates(key))) return toCell(translation.field(key));
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      const texts = isScalar ? column.values.map((value) => safeCell(value)) : [];
      const field = list.attributes.has(key) ? list.field(key) : membersOf(list, key);
      cell = isScalar ? (row) => texts[column.codes[row] ?? -1] ?? '' : toCell(field);
      this.#cells.set(key, cell);
    }
    return cell;
  }
}

/** Returns whether any of some records has an attribute. */
function isIn(records: readonly Buffer[]): (key: string) => boolean {
  const keys = new Set<string>();
  for (const json of records)
    eachAttribute(parseRecord(json), (key, value) => {
      // Of lists of objects, only empty ones are in the roster, so an empty one does not make a default column.
      if (!Array.isArray(value) || value.length > 0) keys.add(key);
    });
  return (key) => keys.has(key);
}

/** Returns the values of an attribute inside a list: `skills.name`. */
function membersOf(list: Collection, key: string): ReadField {
  const [outer] = list.project([key]);
  const leavesOf = (value: Json): Json[] => {
    if (Array.isArray(value)) return value.flatMap(leavesOf);
    return isObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
  };
  return (row) => {
    const json = typeof outer?.value === 'function' ? outer.value(row) : '';
    const values = json === '' ? [] : leavesOf(JSON.parse(json));
    return values.length === 0 ? '' : JSON.stringify(values);
  };
}

/** Returns the keys of the columns that a request names; undefined for the default ones. @throws HttpProblem */
function readColumns(
  query: RawQuery,
  { list, keys, defaultKeys }: CsvTable,
  translation: Translation | undefined,
): readonly string[] | undefined {
  const [columns, fields] = [valuesOf(query, COLUMNS.name), valuesOf(query, 'fields')];
  /** Returns one column, or all columns of an object. */
  const find = (key: string): string[] => {
    const found = keys.filter((column) => column === key || column.startsWith(`${key}.`));
    const isOwn = translation?.keeps(key) || (found.length === 0 && list.hasField(key));
    return isOwn ? [key] : found;
  };
  if (columns && fields)
    throw invalidParameter('columns', 'columns and fields were given, expected one of them');
  if (columns) {
    const wanted = splitList('columns', columns).map((key) => [key, find(key)] as const);
    const [unknown] = wanted.find(([, found]) => found.length === 0) ?? [];
    if (unknown === undefined) return [...new Set(wanted.flatMap(([, found]) => found))];
    throw invalidParameter(
      'columns',
      `${quote(unknown)} is not a column of these records${suggest(unknown, keys)}`,
    );
  }
  if (fields) {
    const wanted = new Set(splitList('fields', fields).flatMap(find));
    const added = [...wanted].filter((key) => !keys.includes(key));
    return [...keys.filter((key) => key === 'id' || wanted.has(key)), ...added];
  }
  // If the records lack the replaced name, it comes last.
  const kept = translation?.keptName;
  const isAdded = kept !== undefined && !keys.includes(kept);
  return translation && (isAdded ? [...defaultKeys, kept] : defaultKeys);
}
