import { COLUMN_TYPES, type ReadOptions } from './format.ts';
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
  reading: ReadOptions;
}

/** A table as written: its files alone, or with how they are read. */
export type RawTable =
  | string
  | ({ files: string; at?: string; optional?: boolean; key?: string | string[] } & ReadOptions);

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
  files: relativePath,
  at: { type: 'string', pattern: '^(/([^~/]|~[01])*)*$', description: 'a JSON Pointer' },
  optional: { type: 'boolean' },
  key: {
    description: 'the name of a field, or a list of names; "/" before makes it a JSON Pointer into the row',
    anyOf: [field, { type: 'array', items: field, minItems: 1, uniqueItems: true }],
  },
  format: { enum: FORMAT_NAMES, description: `one of ${FORMAT_NAMES.join(', ')}` },
  delimiter: { ...line, minLength: 1 },
  quote: { ...line, maxLength: 1, description: 'one character, or an empty text for none' },
  escapes: { enum: ['backslash'], description: '"backslash"' },
  comment: line,
  header: {
    description: 'the line of the header row, from 1; or a list of the columns where there is none',
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'array', items: { type: 'string' }, minItems: 1 },
    ],
  },
  columns: {
    type: 'object',
    additionalProperties: { enum: COLUMN_TYPES, description: `one of ${COLUMN_TYPES.join(', ')}` },
  },
};

/** JSON Schema of a table in game.json. */
export const tableSchema = {
  description: `${relativePath.description}, or {"files": …} with any of ${Object.keys(properties).slice(1).join(', ')}`,
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: { type: 'object', required: ['files'], additionalProperties: false, properties },
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
    ...reading
  } = typeof raw === 'string' ? { files: raw } : raw;
  return { name, pointer, files, at, optional, ...(key !== undefined && { key: [key].flat() }), reading };
}
