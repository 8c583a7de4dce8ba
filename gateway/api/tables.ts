import { csvCell, csvText, isFormula, LINE_END } from '../../scripts/bulk/tables.ts';
import {
  compareNatural,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { describeAttributes } from '../data/dictionary.ts';
import { ParameterError, type RawQuery } from '../http/incoming.ts';
import { quote, suggest } from '../http/problem.ts';
import { andThen, type Body, bytesOf, type Result } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import type { Field } from '../query/fields.ts';
import { type ListQuery, selectRows, splitList } from '../query/list-query.ts';
import type { Translation } from '../query/translation.ts';
import { pageLinks, recordsOf } from './lists.ts';
import {
  type ApiRequest,
  type JsonResult,
  type ListRows,
  type MemberRows,
  type QueryParameter,
  type Route,
  type RouteResult,
  type RowForm,
  type Services,
  valuesOf,
} from './route.ts';

/** The parameter that chooses the columns of CSV. */
export const COLUMNS: QueryParameter = {
  name: 'columns',
  description:
    'These columns in this order, by dotted key and separated by commas, of all that full records have. An object stands for all columns in it. Without it, the ' +
    'columns are those of the records in the list, or what `fields` names, in the order of the attribute dictionary.',
  schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } },
  style: 'form',
  explode: false,
  example: ['id', 'name', 'stats'],
};

/** The parameter that makes CSV open well in spreadsheets. */
export const CSV_PARAMETER: QueryParameter = {
  name: 'csv',
  description:
    '`spreadsheet` begins the file with a byte order mark, by which Excel recognizes UTF-8 when the file is opened. Cells are the same.',
  schema: { type: 'string', enum: ['spreadsheet'] },
};

const BYTE_ORDER_MARK = '\ufeff';

/** Returns what the CSV that a request asks for begins with. @throws ParameterError */
function readOpening(query: RawQuery): string {
  const values = query.flatMap(([name, value]) => (name === CSV_PARAMETER.name ? [value] : []));
  if (values.length === 0) return '';
  if (values.length === 1 && values[0] === 'spreadsheet') return BYTE_ORDER_MARK;
  throw new ParameterError(
    CSV_PARAMETER.name,
    `csv is ${values.map(quote).join(', ')}, expected spreadsheet, once`,
  );
}

/**
 * Writes a value as a cell of CSV (`csvCell`), for people: a list has `; ` between its elements, and a list of objects their names, if all have
 * one. A text that a spreadsheet could run as a formula begins with `'`. Numbers never do.
 */
function safeCell(value: Json | undefined): string {
  if (!Array.isArray(value) || value.length === 0) return csvCell(value, safeText);
  const shown = value.every(isObject) ? value.map(({ name }) => name) : value;
  const isPlain = shown.every((each) => each !== undefined && (typeof each !== 'object' || each === null));
  return isPlain ? safeText(shown.map((each) => each ?? '').join('; ')) : csvCell(value, safeText);
}

/** Writes a text as a cell of CSV, as `safeCell` does. */
function safeText(text: string): string {
  return csvText(isFormula(text) ? `'${text}` : text);
}

/**
 * Writes the rows that are elements of a member of a JSON response.
 *
 * @param result the JSON response
 * @param opening what comes before the first line
 */
function writeMember(
  form: 'csv' | 'ndjson',
  rows: MemberRows,
  result: Result,
  opening: string,
): Body | Promise<Body> {
  const write = form === 'csv' ? writeCsv : writeNdjson;
  return andThen(result.body(), ({ json }) => {
    const elements =
      (JSON.parse(bytesOf(json).toString()) as Record<string, JsonObject[]>)[rows.member] ?? [];
    return { json: Buffer.from(opening + write(rows, elements)), total: elements.length };
  });
}

function writeCsv({ names, cellsOf }: MemberRows, elements: readonly JsonObject[]): string {
  const lines = [names, ...elements.map((element) => cellsOf(element))];
  return lines.map((cells) => `${cells.map((cell) => safeCell(cell)).join()}${LINE_END}`).join('');
}

function writeNdjson(_: MemberRows, elements: readonly JsonObject[]): string {
  return elements.map((element) => `${JSON.stringify(element)}\n`).join('');
}

const tables = new WeakMap<Collection, Table>();

/**
 * Returns the table of a list, which is made for the first request of CSV.
 *
 * @param inOrder returns the keys of the attributes in the order of the dictionary
 */
function tableOf(list: Collection, inOrder: () => readonly string[]): Table {
  const table = tables.get(list) ?? new Table(list, inOrder());
  tables.set(list, table);
  return table;
}

/** A list of records as lines of CSV. */
class Table {
  /** The keys of all columns that there can be, those of full records, in order. */
  readonly keys: readonly string[];
  readonly #list: Collection;
  #defaultKeys: readonly string[] | undefined;
  readonly #cells = new Map<string, Field>();
  /** The lines of records with the default columns, once they were requested. */
  readonly #lines: string[] = [];

  /** @param inOrder the keys of attributes in the order of the dictionary; attributes that it lacks follow */
  constructor(list: Collection, inOrder: readonly string[]) {
    this.#list = list;
    const { attributes } = list;
    const others = [...attributes].sort(compareNatural);
    const keys = new Set([...inOrder.filter((key) => attributes.has(key)), ...others]);
    const objects = new Set([...attributes].flatMap(objectsAbove));
    this.keys = [...keys].filter((key) => !objects.has(key));
  }

  /** The keys of the columns that are written unless a request chooses others: those of the records in a list. */
  get defaultKeys(): readonly string[] {
    this.#defaultKeys ??= this.#findDefaultKeys();
    return this.#defaultKeys;
  }

  /**
   * Returns the line with the names of the columns.
   *
   * @param keys some of `keys`, or of those that exist only in a translation; undefined for the default ones
   */
  head(keys: readonly string[] = this.defaultKeys): string {
    return keys.map(safeText).join() + LINE_END;
  }

  /** Returns the lines of rows. @param keys as for `head` */
  lines(
    rows: readonly number[],
    keys: readonly string[] | undefined,
    translation: Translation | undefined,
  ): string {
    const cells = (keys ?? this.defaultKeys).map((key) => this.#cellOf(key, translation));
    const isDefault = keys === undefined && translation === undefined;
    let lines = '';
    for (const row of rows) {
      const line = (isDefault ? this.#lines[row] : undefined) ?? lineOf(cells, row);
      if (isDefault) this.#lines[row] = line;
      lines += line;
    }
    return lines;
  }

  /** Returns a column's cells. */
  #cellOf(key: string, translation: Translation | undefined): Field {
    const list = this.#list;
    const column = list.columns.get(key);
    const isScalar = column?.list === false;
    if (translation !== undefined && !(isScalar && !translation.translates(key)))
      return (row) => cellOf(translation.field(key)(row));
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      const texts = isScalar ? column.values.map((value) => safeCell(value)) : [];
      const field = list.attributes.has(key) ? list.field(key) : membersOf(list, key);
      cell = isScalar ? (row) => texts[column.codes[row] ?? -1] ?? '' : (row) => cellOf(field(row));
      this.#cells.set(key, cell);
    }
    return cell;
  }

  #findDefaultKeys(): readonly string[] {
    if (!this.#list.isShort) return this.keys;
    const short = new Set<string>();
    for (const json of this.#list.records)
      eachAttribute(parseRecord(json), (key, value) => {
        // A list of objects that is empty stays in the roster, and those of other records do not.
        if (!Array.isArray(value) || value.length > 0) short.add(key);
      });
    return this.keys.filter((key) => short.has(key));
  }
}

/** Returns the values that an attribute has inside a list: `skills.name`. */
function membersOf(list: Collection, key: string): Field {
  const projection = list.project([key]);
  const [outer] = projection;
  return (row) => {
    const json = typeof outer?.value === 'function' ? outer.value(row) : '';
    const values = json === '' ? [] : leavesOf(JSON.parse(json));
    return values.length === 0 ? '' : JSON.stringify(values);
  };
}

function leavesOf(value: Json): Json[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
}

function cellOf(json: string): string {
  return json === '' ? '' : safeCell(JSON.parse(json));
}

function lineOf(cells: readonly Field[], row: number): string {
  let line = '';
  for (let at = 0; at < cells.length; at++) line += (at > 0 ? ',' : '') + (cells[at] as Field)(row);
  // Readers skip an empty line.
  return (line === '' ? '""' : line) + LINE_END;
}

/** Returns the keys of the objects that an attribute is in: `a.b.c` is in `a` and `a.b`. */
function objectsAbove(key: string): string[] {
  const steps = key.split('.');
  return steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'));
}

const NEW_LINE = Buffer.from('\n');
/** The media types of rows. They go into the head unchecked. */
const TYPES = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' } as const;

/**
 * Returns the rows of a JSON response as CSV or NDJSON.
 *
 * @throws ParameterError
 */
function writeRows(request: ApiRequest, { rows, ...result }: JsonResult): Result {
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
    // Raise the number when cells are written in another way.
    tag: `${result.tag} ${dictionary.tag} 2`,
    body: () =>
      pageOf(request, list, query, (rows) =>
        Buffer.from(opening + table.head(keys) + table.lines(rows, keys, query.translation)),
      ),
  };
}

function ndjsonBody(request: ApiRequest, { list, query }: ListRows): Body {
  return pageOf(request, list, query, (rows) =>
    Buffer.concat(recordsOf(list, query, rows).flatMap((record) => [Buffer.from(record), NEW_LINE])),
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

const CSV: RowForm = {
  name: 'csv',
  type: 'text/csv',
  schema: 'Csv',
  addressOf: (route) => ({
    ...addressIn('csv', route),
    operationId: `${route.operationId}AsCsv`,
    summary: `${route.summary}, as CSV`,
    description:
      'The same rows as CSV (RFC 4180, UTF-8, with a line of names), whatever Accept says: a column per attribute that is reached through objects, by its dotted key, in the order of ' +
      'the attribute dictionary; all that no record of the page has are there too. Elements of a list are separated by `; `; of a list of objects, the names are there, or JSON where one has none. ' +
      " A text that a spreadsheet would run as a formula begins with `'`. What the JSON has beside the rows is in `X-Total-Count` and `Link`.",
    parameters: [...route.parameters, ...(isList(route) ? [COLUMNS] : []), CSV_PARAMETER],
    result: 'Csv',
  }),
  respond(route, request, services) {
    const parameters = isList(route) ? [CSV_PARAMETER.name, COLUMNS.name] : [CSV_PARAMETER.name];
    const query = request.query.filter(([name]) => !parameters.includes(name));
    return respond(route, request, { ...request, query }, services);
  },
};

const NDJSON: RowForm = {
  name: 'ndjson',
  type: 'application/x-ndjson',
  schema: 'Ndjson',
  addressOf: (route) => ({
    ...addressIn('ndjson', route),
    operationId: `${route.operationId}AsNdjson`,
    summary: `${route.summary}, as NDJSON`,
    description:
      'The same rows as NDJSON, whatever Accept says: one JSON object per line, as in the JSON. What the JSON has beside the rows is in `X-Total-Count` and `Link`.',
    result: 'Ndjson',
  }),
  respond: (route, request, services) => respond(route, request, request, services),
};

/** The forms of rows besides JSON. */
export const FORMS: readonly RowForm[] = [CSV, NDJSON];

function addressIn(name: string, route: Route): Route {
  return { ...route, path: `${route.path}.${name}` };
}

function isList({ parameters }: Route): boolean {
  return parameters.some(({ name }) => name === 'filter');
}

/** Responds with the rows of a route's JSON. @param selecting the request without what only chooses columns */
function respond(
  route: Route,
  request: ApiRequest,
  selecting: ApiRequest,
  services: Services,
): RouteResult | Promise<RouteResult> {
  return andThen(route.handle(selecting, services), (result) => writeRows(request, result as JsonResult));
}
