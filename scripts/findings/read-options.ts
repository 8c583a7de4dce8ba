/** The types that a column can be declared to have. */
export const COLUMN_TYPES = ['string', 'number', 'boolean'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** How a table's files are read, where that is not plain from their extension. A format takes some of the options. */
export interface ReadOptions {
  /** What the files are, whatever their extension says. */
  format?: FormatName;
  /** What parts the cells of a row, or a key from its value. */
  delimiter?: string;
  /** What encloses cells, one character; `''` nothing does. */
  quote?: string;
  /** `backslash`: `\n`, `\t`, `\r`, `\\`, `\u00e9` and a backslash before a quote or delimiter stand for one character. */
  escapes?: 'backslash';
  /** What a line starts with that is no data; `''` nothing does. */
  comment?: string;
  /** The 1-based line of the header row, what stands above it is skipped; or the header row of files that have none. */
  header?: number | string[];
  /** Types of columns, by their name in the header row. */
  columns?: Record<string, ColumnType>;
}

/** The name of a format. */
export type FormatName = 'json' | 'jsonl' | 'csv' | 'tsv' | 'yaml' | 'kv';
