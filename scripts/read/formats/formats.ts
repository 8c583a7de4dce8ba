import path from 'node:path';
import type { FormatName } from '../../findings/read-options.ts';
import { keysOf } from '../../format/dist-format.ts';
import type { Format } from './format.ts';
import { findJsonLines, parseJson } from './json.ts';
import { findJsonLinesLines, parseJsonLines } from './json-lines.ts';
import { findKeyValueLines, parseKeyValue } from './key-value.ts';

const csv: Format = {
  options: ['delimiter', 'quote', 'escapes', 'comment', 'header', 'columns'],
  load: async () => {
    const { parseCsv, findCsvLines } = await import('./csv.ts');
    return { parse: parseCsv, findLines: findCsvLines };
  },
};

/** All file formats of tables. */
const FORMATS: Record<FormatName, Format> = {
  json: { options: [], load: async () => ({ parse: parseJson, findLines: findJsonLines }) },
  jsonl: { options: [], load: async () => ({ parse: parseJsonLines, findLines: findJsonLinesLines }) },
  csv,
  tsv: {
    options: csv.options,
    load: async () => {
      const { parse, findLines } = await csv.load();
      return {
        parse: (text, file, options) => parse(text, file, { delimiter: '\t', ...options }),
        findLines: (text, options) => findLines(text, { delimiter: '\t', ...options }),
      };
    },
  },
  yaml: {
    options: [],
    load: async () => {
      const { parseYaml, findYamlLines } = await import('./yaml.ts');
      return { parse: parseYaml, findLines: findYamlLines };
    },
  },
  kv: {
    options: ['delimiter', 'escapes', 'comment'],
    load: async () => ({ parse: parseKeyValue, findLines: findKeyValueLines }),
  },
};

const EXTENSIONS: Record<string, FormatName> = {
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.txt': 'kv',
  '.properties': 'kv',
  '.kv': 'kv',
};

export const FORMAT_NAMES = keysOf(FORMATS);

/** A glob for the files of a folder that have a known extension. */
export const KNOWN_FILES = `*{${Object.keys(EXTENSIONS).join()}}{,.gz}`;

const KNOWN_NAME = new RegExp(
  `^[^./][^/]*(${Object.keys(EXTENSIONS)
    .map((extension) => extension.replace('.', '\\.'))
    .join('|')})(\\.gz)?$`,
  's',
);

/** Returns whether `KNOWN_FILES` matches a file name. */
export function isKnownFile(name: string): boolean {
  return KNOWN_NAME.test(name);
}

/** The known extensions, for findings. */
export const KNOWN_EXTENSIONS = `${Object.keys(EXTENSIONS).join(', ')}; each also with .gz`;

/** Returns the named format, or the one of the file's extension; undefined for an unknown extension. */
export function formatOf(file: string, name?: FormatName): Format | undefined {
  const extension = path.posix.extname(withoutGzip(file)).toLowerCase();
  const format = name ?? (Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined);
  return format && FORMATS[format];
}

/** Returns a file's name without folders and extensions: `units` for `raw/units.csv.gz`. */
export function stemOf(file: string): string {
  const name = withoutGzip(file);
  return path.posix.basename(name, path.posix.extname(name));
}

export function isGzip(file: string): boolean {
  return /\.gz$/i.test(file);
}

function withoutGzip(file: string): string {
  return isGzip(file) ? file.slice(0, -'.gz'.length) : file;
}
