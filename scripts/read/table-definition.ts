import { COLUMN_TYPES, type ReadOptions } from '../findings/read-options.ts';
import { FORMAT_NAMES } from './formats.ts';

/** A table as `game.json` declares it, short form spelled out. */
export interface TableDefinition {
  name: string;
  /** Where in game.json it is declared, as a JSON Pointer. */
  pointer: string;
  /** A path inside the build's folder, or a glob: with a wildcard the table is an object keyed by file stem. */
  files: string;
  /** JSON Pointer to the table inside the file; `''` the whole. */
  at: string;
  /** Whether a build may lack the files; the table is then absent. */
  optional: boolean;
  /** The fields whose values key the rows: the table is then an object of them. */
  key?: string[];
  /** Whether several rows may have the same key: each of the keyed object is then a list of rows. */
  many: boolean;
  reading: ReadOptions;
}

/** A table as written: its files alone, or with how they are read. */
export type RawTable =
  | string
  | ({
      files: string;
      at?: string;
      optional?: boolean;
      key?: string | string[];
      many?: boolean;
    } & ReadOptions);

/** The start of a pattern of relative paths without `.` and `..`. */
export const INSIDE = '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+';

export const relativePath = {
  type: 'string',
  minLength: 1,
  pattern: `${INSIDE}$`,
  description: 'a path inside the build\'s folder, without ".", ".." and backslashes',
};

const field = { type: 'string', minLength: 1 };
const line = { type: 'string', pattern: '^[^\\r\\n]*$', description: 'a text of one line' };

const properties = {
  files: {
    ...relativePath,
    help: "The path of a file in the folder of a build; or a pattern with a wildcard, whose files are the table's rows, keyed by file stem.",
  },
  at: {
    type: 'string',
    pattern: '^(/([^~/]|~[01])*)*$',
    description: 'a JSON Pointer',
    help: 'Where in the file the table stands.',
  },
  optional: { type: 'boolean', help: 'Whether builds may lack the files; the table is then absent.' },
  key: {
    description: 'the name of a field, or a list of names; "/" before makes it a JSON Pointer into the row',
    anyOf: [field, { type: 'array', items: field, minItems: 1, uniqueItems: true }],
    help: 'What keys the rows: the table is then an object of them, and a join is a look-up. Several fields are joined by ":".',
  },
  many: {
    type: 'boolean',
    help: 'With key: every key has the list of its rows, for joins of one to many.',
  },
  format: {
    enum: FORMAT_NAMES,
    description: `one of ${FORMAT_NAMES.join(', ')}`,
    help: 'What the files are, whatever they are called.',
  },
  delimiter: { ...line, minLength: 1, help: 'What parts cells, or a key from its value.' },
  quote: {
    ...line,
    maxLength: 1,
    description: 'one character, or an empty text for none',
    help: 'What encloses a cell and is doubled inside it.',
  },
  escapes: {
    enum: ['backslash'],
    description: '"backslash"',
    help: '\\n, \\t, \\r, \\\\, \\u00e9 and a backslash before a quote or delimiter stand for one character.',
  },
  comment: { ...line, help: 'What a line starts with that is no data; an empty text for nothing.' },
  header: {
    description: 'the line of the header row, from 1; or a list of the columns where there is none',
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'array', items: { type: 'string' }, minItems: 1 },
    ],
    help: 'Where the names of the columns are.',
  },
  columns: {
    type: 'object',
    additionalProperties: { enum: COLUMN_TYPES, description: `one of ${COLUMN_TYPES.join(', ')}` },
    help: 'Types of columns by their name, where the header cannot be edited.',
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
    dependencies: { many: ['key'] },
  },
  else: relativePath,
};

/** The schema of a table that a change may also set to null, which removes it. */
export const tableOrNullSchema = { if: { type: 'null' }, else: tableSchema };

/**
 * Spells a table out that the schema accepted.
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
    reading,
  };
}
