import path from 'node:path';
import type { ColumnType, ReadOptions } from '../../findings/read-options.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../lib/json-pointer.ts';
import type { ParseOutcome } from '../../read/formats/format.ts';
import { formatOf } from '../../read/formats/formats.ts';
import { matchPattern } from '../../read/match-pattern.ts';
import { parseFile } from '../../read/read-file.ts';
import { guessCellDelimiter, guessDelimiter } from './guess-delimiter.ts';
import type { Dump, DumpFile } from './list-files.ts';
import { readSample } from './read-sample.ts';

/** The contents of a dump's files, and the files that were not read, or not whole. */
export interface DumpValues {
  /** By path. */
  values: Map<string, Json>;
  /** The columns of numbers whose type must be declared, by the path of their CSV file. */
  columns: Map<string, Record<string, ColumnType>>;
  /** The delimiters of CSV and key-value text that must be declared, by the path of their file. */
  delimiters: Map<string, string>;
  /** Large files of which only the beginning was read, and how much. */
  sampled: { file: string; bytes: number; of: number }[];
  /** Files with a known extension that were not read, and why. */
  unread: { file: string; reason: string }[];
  /** Files without a known extension. */
  others: string[];
}

/** How much of a dump is read, in bytes. */
export interface ReadLimits {
  /** Of a larger file, only the beginning is read. */
  file: number;
  /** The beginning of a large file. */
  sample: number;
  /** Once so much is read, the beginnings of further files are shorter. */
  total: number;
  shortSample: number;
}

const LIMITS: ReadLimits = { file: 64e6, sample: 8e6, total: 512e6, shortSample: 64e3 };

/** Reads the files of a dump that have a known extension. */
export async function readValues({ folder, files }: Dump, limits = LIMITS): Promise<DumpValues> {
  const values: DumpValues = {
    values: new Map(),
    columns: new Map(),
    delimiters: new Map(),
    sampled: [],
    unread: [],
    others: [],
  };
  let bytes = 0;
  for (const file of files) {
    if (file.path === 'build.json') continue;
    if (formatOf(file.path) === undefined) {
      values.others.push(file.path);
      continue;
    }
    if (!matchPattern(file.path)(file.path)) {
      values.unread.push({ file: file.path, reason: 'the name is a wildcard pattern; rename the file' });
      continue;
    }
    const most = sampleOf(file, bytes, limits);
    bytes += Math.min(file.bytes, most ?? file.bytes);
    await readValue(path.posix.join(folder, file.path), file, most, values);
  }
  return values;
}

/** How much of a file is read, in bytes; undefined for all. */
function sampleOf(file: DumpFile, bytes: number, { file: most, sample, total, shortSample }: ReadLimits) {
  const beginning = bytes >= total ? shortSample : sample;
  return (file.bytes > most || bytes + file.bytes > total) && file.bytes > beginning ? beginning : undefined;
}

/** @param most how many bytes are read; undefined for all */
async function readValue(
  fullPath: string,
  file: DumpFile,
  most: number | undefined,
  values: DumpValues,
): Promise<void> {
  const text = most === undefined ? undefined : await readSample(fullPath, most);
  if (most !== undefined && text === undefined) {
    const reason = `${Math.round(file.bytes / 1e6)} MB, and its beginning has no whole record`;
    values.unread.push({ file: file.path, reason });
    return;
  }
  const parse = (options: ReadOptions) => parseText(fullPath, text, options);
  const delimiter = await findDelimiter(fullPath, text);
  if (delimiter !== undefined) values.delimiters.set(file.path, delimiter);
  const options = delimiter === undefined ? {} : { delimiter };
  let outcome = await parse(options);
  const typed = numericColumns(outcome);
  if (Object.keys(typed).length > 0) {
    values.columns.set(file.path, typed);
    outcome = await parse({ ...options, columns: typed });
  }
  const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
  // A text file without any key-value pair has an empty value and a finding.
  if ('value' in outcome && (fault === undefined || !isEmpty(outcome.value))) {
    values.values.set(file.path, outcome.value);
    if (most !== undefined) values.sampled.push({ file: file.path, bytes: most, of: file.bytes });
  } else if (fault) values.unread.push({ file: file.path, reason: describeFault(fault) });
}

/** @param text the beginning of the file; undefined to read all of it */
async function parseText(
  file: string,
  text: string | undefined,
  options: ReadOptions,
): Promise<ParseOutcome> {
  const format = formatOf(file);
  if (text === undefined || format === undefined) return await parseFile(file, options);
  return (await format.load()).parse(text, file, options);
}

/** How the delimiter of a file is guessed, and the usual one, by extension. */
const GUESSES: readonly [name: RegExp, guess: (text: string) => string | undefined, usual: string][] = [
  [/\.csv(\.gz)?$/i, guessCellDelimiter, ','],
  [/\.(txt|properties|kv)(\.gz)?$/i, guessDelimiter, '='],
];

/** The delimiter of CSV or key-value text that has another than the usual one; undefined for other files. */
async function findDelimiter(file: string, text: string | undefined): Promise<string | undefined> {
  const [, guess, usual] = GUESSES.find(([name]) => name.test(file)) ?? [];
  const beginning = guess && (text ?? (await readSample(file, LIMITS.shortSample)));
  const delimiter = beginning === undefined ? undefined : guess?.(beginning);
  return delimiter === usual ? undefined : delimiter;
}

function numericColumns(outcome: ParseOutcome): Record<string, ColumnType> {
  const findings = 'findings' in outcome ? outcome.findings : [];
  const odd = findings.filter(({ check }) => check === 'csv-columns');
  return Object.fromEntries(
    odd.map(({ place }) => [pointerSteps(place.pointer).slice(1).join('.'), 'number' as const]),
  );
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function describeFault({ found, place }: { found: string; place: { line?: number } }): string {
  return `${found}${place.line === undefined ? '' : ` on line ${place.line}`}`;
}
