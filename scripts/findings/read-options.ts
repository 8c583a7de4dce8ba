/** The types that a column can have. */
export const COLUMN_TYPES = ['string', 'number', 'boolean'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** How to read a table's files, if their extension does not say enough. Each format has some of the options. */
export interface ReadOptions {
  /** The format of the files, whatever their extension. */
  format?: FormatName;
  /** The text between two cells, or between a key and its value. */
  delimiter?: string;
  /** The character around a cell; `''` for none. */
  quote?: string;
  /** `backslash`: `\n`, `\t`, `\r`, `\\`, `\u00e9` and a backslash before a quote or delimiter mean one character. */
  escapes?: 'backslash';
  /** The text that begins a comment line; `''` for no comments. */
  comment?: string;
  /** The 1-based line of the header row, with the lines above it skipped; or the header of files without a header row. */
  header?: number | string[];
  /** Types of columns by name. */
  columns?: Record<string, ColumnType>;
}

/** The name of a format. */
export type FormatName = 'json' | 'jsonl' | 'csv' | 'tsv' | 'yaml' | 'kv';
