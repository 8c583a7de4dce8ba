import { posix } from 'node:path';
import { COLUMN_TYPES, type ReadOptions } from '../../findings/read-options.ts';
import { FORMAT_NAMES } from '../formats/formats.ts';

/** A table as `game.json` declares it, with defaults filled in. */
export interface TableDefinition {
  name: string;
  /** Where in game.json it is declared, as a JSON Pointer. */
  pointer: string;
  /** The name in game.json of a table that is declared for several regions. */
  declaredAs?: string;
  /** A path inside the build's folder, or a glob. With a wildcard, the table is an object keyed by file stem. */
  files: string;
  /** JSON Pointer to the table inside the file; `''` for the whole file. */
  at: string;
  /** Whether a build may lack the files; the table is then absent. */
  optional: boolean;
  /** The fields whose values are the key of a row: then the table is an object of rows. */
  key?: string[];
  /** Whether several rows may have the same key: then each key has a list of rows. */
  many: boolean;
  /** Whether rows without the key are left out without a finding. */
  skipKeyless: boolean;
  reading: ReadOptions;
}

/** A table as written in game.json: only its files, or an object that also says how to read them. */
export type RawTable =
  | string
  | ({
      files: string;
      at?: string;
      optional?: boolean;
      key?: string | string[];
      many?: boolean;
      skip_keyless?: boolean;
      /** The regions that have such a table; true for all. */
      regions?: true | string[];
    } & ReadOptions);

/** The folder of each region inside that of a build, the region that counts first first. */
export type Regions = Readonly<Record<string, string>>;

/** The start of a pattern of relative paths without `.` and `..`. */
export const INSIDE = '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+';

/** The form of a JSON Pointer. */
export const JSON_POINTER = '^(/([^~/]|~[01])*)*$';

export const relativePath = {
  type: 'string',
  minLength: 1,
  pattern: `${INSIDE}$`,
  description: 'a path inside the build\'s folder, without ".", ".." and backslashes',
};

/** Schema of the names of tables and regions. */
export const tableNames = {
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  description: 'a name of letters, digits and _',
};

const field = { type: 'string', minLength: 1 };
const line = { type: 'string', pattern: '^[^\\r\\n]*$', description: 'a text of one line' };

const properties = {
  files: {
    ...relativePath,
    help: 'The path of a file in the folder of a build; or a pattern with a wildcard: then each file is a row of the table, keyed by file stem.',
  },
  at: {
    type: 'string',
    pattern: JSON_POINTER,
    description: 'a JSON Pointer',
    help: 'Where in the file the table is.',
  },
  optional: { type: 'boolean', help: 'Whether builds may lack the files; then the table is absent.' },
  key: {
    description:
      'the name of a field, or a list of names; a name that begins with "/" is a JSON Pointer into the row',
    anyOf: [field, { type: 'array', items: field, minItems: 1, uniqueItems: true }],
    help: 'The key of a row: then the table is an object of rows, and a join is a look-up. The values of several fields are joined by ":".',
  },
  many: {
    type: 'boolean',
    help: 'With key: each key has a list of rows, for one-to-many joins.',
  },
  skip_keyless: {
    type: 'boolean',
    help: 'With key: rows where the key is absent, null or empty are left out. Otherwise each of them is an error.',
  },
  format: {
    enum: FORMAT_NAMES,
    description: `one of ${FORMAT_NAMES.join(', ')}`,
    help: 'The format of the files, whatever their extension.',
  },
  delimiter: { ...line, minLength: 1, help: 'The text between two cells, or between a key and its value.' },
  quote: {
    ...line,
    maxLength: 1,
    description: 'one character, or an empty text for none',
    help: 'The character around a cell; inside the cell it is doubled.',
  },
  escapes: {
    enum: ['backslash'],
    description: '"backslash"',
    help: '\\n, \\t, \\r, \\\\, \\u00e9 and a backslash before a quote or delimiter mean one character.',
  },
  comment: { ...line, help: 'The text that begins a comment line; empty when the files have no comments.' },
  header: {
    description: 'the line of the header row, from 1; or a list of the columns, if there is no header row',
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'array', items: { type: 'string' }, minItems: 1 },
    ],
    help: 'Where the names of the columns are.',
  },
  columns: {
    type: 'object',
    additionalProperties: { enum: COLUMN_TYPES, description: `one of ${COLUMN_TYPES.join(', ')}` },
    help: 'Types of columns by name, for headers that cannot be edited.',
  },
  regions: {
    description: 'true, or a list of names of regions',
    anyOf: [{ const: true }, { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true }],
    help: 'The regions of game.json whose folders have these files: each gets a table, named as `cards_kr`. `from` takes the one name for all of them.',
  },
};

/** JSON Schema of a table in game.json. */
export const tableSchema = {
  description: `${relativePath.description}, or {"files": …} with any of ${Object.keys(properties).slice(1).join(', ')}`,
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: {
    type: 'object',
    required: ['files'],
    additionalProperties: false,
    properties,
    dependencies: { many: ['key'], skip_keyless: ['key'] },
  },
  else: relativePath,
};

/** The schema of a table in a change: null removes the table. */
export const tableOrNullSchema = { if: { type: 'null' }, else: tableSchema };

/**
 * Fills in the defaults of a valid table.
 *
 * @param pointer where in game.json it is declared
 */
export function defineTable(name: string, raw: RawTable, pointer: string): TableDefinition {
  const {
    files,
    at = '',
    optional = false,
    key,
    many = false,
    skip_keyless: skipKeyless = false,
    regions: _,
    ...reading
  } = typeof raw === 'string' ? { files: raw } : raw;
  return {
    name,
    pointer,
    files,
    at,
    optional,
    ...(key !== undefined && { key: [key].flat() }),
    many,
    skipKeyless,
    reading,
  };
}

/**
 * Defines the tables that a declaration makes: one, or one for each of its regions in the order of `regions`. Regions that game.json does
 * not have make none; `checkTables` reports them.
 *
 * @param pointer where in game.json it is declared
 */
export function defineTables(
  name: string,
  raw: RawTable,
  pointer: string,
  regions: Regions,
): TableDefinition[] {
  const wanted = typeof raw === 'string' ? undefined : raw.regions;
  if (wanted === undefined) return [defineTable(name, raw, pointer)];
  return Object.entries(regions).flatMap(([region, folder]) => {
    if (wanted !== true && !wanted.includes(region)) return [];
    const table = defineTable(`${name}_${region}`, raw, pointer);
    return [{ ...table, declaredAs: name, files: posix.join(folder, table.files) }];
  });
}
