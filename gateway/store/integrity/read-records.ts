import type { Database } from 'lmdb';
import { DamagedRecordError } from '../damage.ts';
import { IDENTITY } from '../identity.ts';
import { openLmdbFolder } from '../lmdb-folder.ts';
import { decodeChecked } from '../record.ts';

/** What was found in a data file that can be read whole. */
export interface DataReport {
  /** null for a store from before there were identities */
  identity: string | null;
  /** How many records it has, expired ones included. */
  records: number;
  /** The names of damaged records. */
  damaged: string[];
}

/**
 * Reads every record of a folder's data file, in order and by name, as of one moment. Other processes may write meanwhile. Damage in the
 * structure of the file may end the process: `child.ts` runs this in a separate process.
 *
 * @throws Error when the structure of the file is damaged
 */
export async function readRecords(folder: string): Promise<DataReport> {
  const root = openLmdbFolder(folder, { readOnly: true });
  const records = root.openDB<string, string>('records', { encoding: 'string' }) as
    | Database<string, string>
    | undefined;
  if (!records) throw new Error('it has no table of records');
  const identity = records.get(IDENTITY);
  const { entryCount } = records.getStats() as { entryCount: number };
  const damaged: string[] = [];
  let count = 0;
  for (const { key, value } of records.getRange({})) {
    count++;
    // In a damaged tree, the way from one record to the next may have no end.
    if (count > entryCount) break;
    if (!isWhole(key, value) || records.get(key) !== value) damaged.push(key);
  }
  if (count !== entryCount) throw new Error(`${entryCount} records were expected, but ${count} can be read`);
  await root.close();
  return {
    identity: identity === undefined ? null : (readIdentity(identity) ?? null),
    records: count,
    damaged,
  };
}

function isWhole(name: string, text: string): boolean {
  try {
    decodeChecked(name, text, 0);
    return true;
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    return false;
  }
}

function readIdentity(text: string): string | undefined {
  return isWhole(IDENTITY, text) ? decodeChecked(IDENTITY, text, 0) : undefined;
}
