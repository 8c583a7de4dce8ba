import path from 'node:path';
import type { ColumnType } from '../findings/read-options.ts';
import type { Json } from '../format/dist-format.ts';
import { pointerSteps } from '../lib/json-pointer.ts';
import type { ParseOutcome } from '../read/format.ts';
import { formatOf } from '../read/formats.ts';
import { matchPattern } from '../read/match-pattern.ts';
import { parseFile } from '../read/read-file.ts';
import type { Dump, DumpFile } from './list-files.ts';

/** The contents of a dump's files, and the files that were not read. */
export interface DumpValues {
  /** By path. */
  values: Map<string, Json>;
  /** The columns of numbers whose type must be declared, by the path of their CSV file. */
  columns: Map<string, Record<string, ColumnType>>;
  /** Files with a known extension that were not read, and why. */
  unread: { file: string; reason: string }[];
  /** Files without a known extension. */
  others: string[];
}

/** Larger files are not read. */
const MAX_FILE_BYTES = 64e6;
/** The maximum total size of the files that are read. */
const MAX_TOTAL_BYTES = 512e6;

/** Reads the files of a dump that have a known extension. */
export async function readValues({ folder, files }: Dump): Promise<DumpValues> {
  const values = new Map<string, Json>();
  const columns: DumpValues['columns'] = new Map();
  const unread: DumpValues['unread'] = [];
  const others: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (file.path === 'build.json') continue;
    if (formatOf(file.path) === undefined) {
      others.push(file.path);
      continue;
    }
    const reason = reasonToSkip(file, bytes);
    if (reason !== undefined) {
      unread.push({ file: file.path, reason });
      continue;
    }
    bytes += file.bytes;
    const fullPath = path.posix.join(folder, file.path);
    let outcome = await parseFile(fullPath, {});
    const typed = numericColumns(outcome);
    if (Object.keys(typed).length > 0) {
      columns.set(file.path, typed);
      outcome = await parseFile(fullPath, { columns: typed });
    }
    const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
    // A text file without any key-value pair has an empty value and a finding.
    if ('value' in outcome && (fault === undefined || !isEmpty(outcome.value)))
      values.set(file.path, outcome.value);
    else if (fault) unread.push({ file: file.path, reason: describeFault(fault) });
  }
  return { values, columns, unread, others };
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

function reasonToSkip(file: DumpFile, bytes: number): string | undefined {
  if (!matchPattern(file.path)(file.path)) return 'the name is a wildcard pattern; rename the file';
  if (file.bytes > MAX_FILE_BYTES) return `${Math.round(file.bytes / 1e6)} MB, which is too large`;
  return bytes + file.bytes > MAX_TOTAL_BYTES ? 'with it, the files would be too large together' : undefined;
}
