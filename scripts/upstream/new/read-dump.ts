import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ColumnType, ReadOptions } from '../../findings.ts';
import { splitLines } from '../../read/json.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { formatOf, isGzip, parseFile } from '../../read/files.ts';
import { matchPattern } from '../../read/patterns.ts';
import type { Dump } from '../add/files.ts';

/** A file of a dump as it was read, and the options that game.json has to declare for it. */
export interface DumpFileValue {
  value: Json;
  options: Pick<ReadOptions, 'columns' | 'delimiter' | 'comment'>;
}

export interface DumpValues {
  /** By path. */
  values: Map<string, DumpFileValue>;
  /** What was not read or not wholly, and why; for people. */
  notes: string[];
  /** Files with an unknown extension. */
  others: string[];
}

/** Larger files, and those after so much was read, are left out. In bytes. */
const MAX_FILE = 64e6;
const MAX_TOTAL = 512e6;

/** Reads the files of a dump that have a known extension. */
export async function readDump({ folder, files }: Dump): Promise<DumpValues> {
  const read: DumpValues = { values: new Map(), notes: [], others: [] };
  let total = 0;
  for (const { path: file, bytes } of files) {
    if (file === 'build.json') continue;
    if (formatOf(file) === undefined) {
      read.others.push(file);
      continue;
    }
    const isLarge = bytes > MAX_FILE || total + bytes > MAX_TOTAL;
    total += isLarge ? 0 : bytes;
    const found = isLarge
      ? `${Math.round(bytes / 1e6)} MB are too large: cut a sample of it, and declare the table by hand`
      : matchPattern(file)(file)
        ? await readOne(path.posix.join(folder, file))
        : 'the name is a wildcard pattern; rename the file';
    if (typeof found === 'string') read.notes.push(`not read: ${file}: ${found}`);
    else read.values.set(file, found);
  }
  return read;
}

/** Reads a file. Returns why it cannot be read as a text. */
async function readOne(file: string): Promise<DumpFileValue | string> {
  const isTable = /\.[ct]sv(\.gz)?$/i.test(file);
  const usual = /\.tsv/i.test(file) ? '\t' : ',';
  const lines =
    isTable && !isGzip(file) ? splitLines((await readFile(file, 'utf8')).slice(0, 64e3)).slice(0, 200) : [];
  const delimiter = guessDelimiter(lines) ?? usual;
  const comment = typesRow(lines, delimiter);
  const options: DumpFileValue['options'] = {
    ...(delimiter !== usual && { delimiter }),
    ...(comment !== undefined && { comment }),
  };
  let outcome = await parseFile(file, options);
  const odd = 'findings' in outcome ? outcome.findings.filter(({ check }) => check === 'csv-columns') : [];
  if (odd.length > 0) {
    const names = odd.map(({ place }) => pointerSteps(place.pointer).slice(1).join('.'));
    options.columns = Object.fromEntries(names.map((name) => [name, 'number' as ColumnType]));
    outcome = await parseFile(file, options);
  }
  const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
  const isEmpty = !('value' in outcome) || Object.keys(Object(outcome.value)).length === 0;
  if ('value' in outcome && (fault === undefined || !isEmpty)) return { value: outcome.value, options };
  return fault
    ? `${fault.found}${fault.place.line === undefined ? '' : ` on line ${fault.place.line}`}`
    : 'it is empty';
}

/** What separates cells: what most lines have as often as the header. */
function guessDelimiter(lines: readonly string[]): string | undefined {
  return [',', ';', '\t', '|'].find((delimiter) => {
    const cells = (lines[0] ?? '').split(delimiter).length;
    const same = lines.filter((line) => line === '' || line.split(delimiter).length === cells);
    return cells > 1 && same.length >= lines.length * 0.9;
  });
}

const TYPE = /^"?(string|int|integer|long|float|double|number|bool|boolean|byte|short)(\[\])?"?$/i;

/** What begins the line below the header if it names the types of the columns, as exports of some games have it. */
function typesRow([, second = '']: readonly string[], delimiter: string): string | undefined {
  const cells = second.split(delimiter).filter((cell) => cell !== '');
  const isTypes = cells.length > 1 && cells.every((cell) => TYPE.test(cell));
  return isTypes && !second.startsWith(delimiter) ? `${cells[0]}${delimiter}` : undefined;
}

/** The number of files of each extension: `12 .png, 1 .xml`. */
export function countExtensions(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const extension = path.posix.extname(file).toLowerCase() || 'without an extension';
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, many], [, more]) => more - many)
    .slice(0, 10)
    .map(([extension, count]) => `${count} ${extension}`)
    .join(', ');
}
