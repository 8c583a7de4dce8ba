// The formats of raw files: what a file is by its name, which parser reads it, and the options that say what is unusual.
import path from 'node:path';
import type { Finding } from '../findings.ts';
import type { Json } from '../format/dist-format.ts';
import { anyOf, integer, list, map, oneOf, type Static, text } from '../format/json-schema.ts';
import { JSON_LINES, JSON_TEXT } from './json.ts';
import { KEY_VALUE } from './key-value.ts';

const line = { pattern: '^[^\\r\\n]*$', description: 'a text of one line' };

const COLUMN_TYPES = ['string', 'number', 'boolean'] as const;
export type CellType = (typeof COLUMN_TYPES)[number];

const options = {
  delimiter: text({
    ...line,
    minLength: 1,
    help: 'The text between two cells, or between a key and its value.',
  }),
  quote: text({
    ...line,
    maxLength: 1,
    description: 'one character, or an empty text for none',
    help: 'The character around a cell; inside the cell it is doubled.',
  }),
  escapes: oneOf(['backslash'], {
    description: '"backslash"',
    help: '\\n, \\t, \\r, \\\\, \\u00e9 and a backslash before a quote or delimiter mean one character.',
  }),
  comment: text({ ...line, help: 'The text that begins a comment line; empty when there are none.' }),
  header: anyOf([integer({ minimum: 1 }), list(text(), { minItems: 1 })], {
    description: 'the line of the header row, from 1; or a list of the columns, if there is no header row',
    help: 'Where the names of the columns are.',
  }),
  columns: map(oneOf(COLUMN_TYPES, { description: `one of ${COLUMN_TYPES.join(', ')}` }), {
    help: 'Types of columns by name, for headers that cannot be edited.',
  }),
};
/** How to read a table's files if their extension does not say enough. Each format supports some of the options. */
export type ReadOptions = { [Option in keyof typeof options]?: Static<(typeof options)[Option]> } & {
  format?: string;
};

/** A parsed value with findings about parts of it, or the finding that explains why there is no value. */
export type ParseOutcome<T extends Json = Json> = { value: T; findings: Finding[] } | { finding: Finding };

export interface Parser {
  /** @param file the path for findings */
  parse(text: string, file: string, options: ReadOptions): ParseOutcome;
  /**
   * Returns a function that returns the 1-based line where the value at a JSON Pointer starts, or the nearest value above it if the pointer leads
   * nowhere. The text is parsed at most once.
   */
  findLines(text: string, options: ReadOptions): (pointer: string) => number;
}

/** A format. Its parser is loaded when a file needs it: loading a library can take longer than compiling a build. */
interface Format {
  extensions: readonly string[];
  load(): Promise<Parser>;
}

/** The formats by their names, which a table in game.json may give. */
const FORMATS: Readonly<Record<string, Format>> = {
  json: { extensions: ['.json'], load: async () => JSON_TEXT },
  jsonl: { extensions: ['.jsonl', '.ndjson'], load: async () => JSON_LINES },
  csv: { extensions: ['.csv'], load: async () => (await import('./csv.ts')).CSV },
  tsv: { extensions: ['.tsv'], load: async () => (await import('./csv.ts')).TSV },
  yaml: { extensions: ['.yaml', '.yml'], load: async () => (await import('./yaml.ts')).YAML },
  kv: { extensions: ['.txt', '.properties', '.kv'], load: async () => KEY_VALUE },
};

const OF_EXTENSION = new Map(
  Object.values(FORMATS).flatMap((format) => format.extensions.map((extension) => [extension, format])),
);

/** The schemas of the options, as members of a table in game.json. */
export const readOptions = {
  format: oneOf(Object.keys(FORMATS), {
    description: `one of ${Object.keys(FORMATS).join(', ')}`,
    help: 'The format of the files, whatever their extension.',
  }),
  ...options,
};

/** A glob for the files of a folder with a known extension. */
export const KNOWN_FILES = `*{${[...OF_EXTENSION.keys()].join()}}{,.gz}`;

/** Returns whether `KNOWN_FILES` matches a path inside a build's folder, in capitals too. */
export function isKnownFile(file: string): boolean {
  const { dir, ext } = path.posix.parse(withoutGzip(file).toLowerCase());
  return dir === '' && !file.startsWith('.') && OF_EXTENSION.has(ext);
}

/** The known extensions, for findings. */
export const KNOWN_EXTENSIONS = `${[...OF_EXTENSION.keys()].join(', ')}; each also with .gz`;

/** Returns the named format, or that of the file's extension; undefined for an unknown extension. */
export function formatOf(file: string, name?: string): Format | undefined {
  if (name !== undefined) return FORMATS[name];
  return OF_EXTENSION.get(path.posix.extname(withoutGzip(file)).toLowerCase());
}

/** Returns a file's name without folders and extensions: `units` for `raw/units.csv.gz`. */
export function stemOf(file: string): string {
  return path.posix.parse(withoutGzip(file)).name;
}

export function isGzip(file: string): boolean {
  return /\.gz$/i.test(file);
}

function withoutGzip(file: string): string {
  return isGzip(file) ? file.slice(0, -'.gz'.length) : file;
}
