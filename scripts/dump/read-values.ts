import path from 'node:path';
import type { Json } from '../dist-format.ts';
import { formatOf } from '../read/formats.ts';
import { matchPattern } from '../read/match-pattern.ts';
import { parseFile } from '../read/read-file.ts';
import type { Dump, DumpFile } from './list-files.ts';

/** What the files of a dump hold, by their paths, and the files that are data by their names and were not read, with the reason. */
export interface DumpValues {
  values: Map<string, Json>;
  unread: { file: string; reason: string }[];
}

/** Larger files are not looked into, nor more than so many bytes together. */
const LARGEST_FILE = 64e6;
const MOST_BYTES = 512e6;

/** Reads the files of a dump whose extensions say what they are. */
export async function readValues({ folder, files }: Dump): Promise<DumpValues> {
  const values = new Map<string, Json>();
  const unread: DumpValues['unread'] = [];
  let bytes = 0;
  for (const file of files) {
    if (formatOf(file.path) === undefined || file.path === 'build.json') continue;
    const reason = reasonToSkip(file, bytes);
    if (reason !== undefined) {
      unread.push({ file: file.path, reason });
      continue;
    }
    bytes += file.bytes;
    const outcome = await parseFile(path.posix.join(folder, file.path), {});
    const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
    // A text file that is no key-value text at all has no key.
    if ('value' in outcome && (fault === undefined || !isEmpty(outcome.value)))
      values.set(file.path, outcome.value);
    else if (fault) unread.push({ file: file.path, reason: describeFault(fault) });
  }
  return { values, unread };
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function describeFault({ found, place }: { found: string; place: { line?: number } }): string {
  return `${found}${place.line === undefined ? '' : ` on line ${place.line}`}`;
}

function reasonToSkip(file: DumpFile, bytes: number): string | undefined {
  if (!matchPattern(file.path)(file.path)) return 'a name that reads as a wildcard; rename it';
  if (file.bytes > LARGEST_FILE) return `${Math.round(file.bytes / 1e6)} MB, too much to look into`;
  return bytes + file.bytes > MOST_BYTES ? 'not looked into, after so many others' : undefined;
}
