import type { Json } from '../dist-format.ts';
import type { Finding } from '../findings.ts';

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

export type FormatName = 'json' | 'jsonl' | 'csv' | 'tsv' | 'yaml' | 'kv';

/** What a parser made of a text: a value and what is wrong with parts of it, or the finding for which there is no value. */
export type ParseOutcome<T extends Json = Json> = { value: T; findings: Finding[] } | { finding: Finding };

/** A format that tables can be in. */
export interface Format {
  /** The options that it takes. */
  options: readonly (keyof ReadOptions)[];
  /** @param file the path that a finding names */
  parse(text: string, file: string, options: ReadOptions): ParseOutcome;
  /**
   * Makes a function that tells the 1-based line on which the value at a JSON Pointer starts; where the pointer leads nowhere, the
   * line of the nearest value above it. The text is parsed once, at the first call.
   */
  findLines(text: string, options: ReadOptions): (pointer: string) => number;
}
