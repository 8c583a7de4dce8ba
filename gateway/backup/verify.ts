import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { adviseRestore, hasData, RECORDS, refuseFolder, refuseLostData } from '../store/folder-files.ts';
import { errorOf } from '../../scripts/lib/system-error.ts';
import { explainFailure } from '../store/sqlite-errors.ts';
import type { Statement } from '../store/sqlite-file.ts';
import { isWhole, type RecordRow, textOf } from '../store/sqlite-records.ts';
import { IDENTITY, StoreError } from '../store/store.ts';

/** What was found in a data file that can be read whole. */
export interface DataReport {
  /** null for a store that has none yet */
  identity: string | null;
  /** How many records it has, expired ones included. */
  records: number;
  /** The names of damaged records. */
  damaged: string[];
}

/** How long a command waits for a lock, in ms. */
const WAIT_MS = 10_000;
/** How many records are read at once. */
const PAGE = 1000;

/**
 * Reads the whole data file of a folder. Other processes may use the store meanwhile.
 *
 * @throws StoreError when there is none, or it is damaged
 */
export function verifyFolder(folder: string): DataReport {
  return readFolder(folder, readRecords);
}

/**
 * Runs work on the data file of a folder that other processes may use meanwhile. The work must not write.
 *
 * @throws StoreError when there is none, or the work fails
 */
export function readFolder<T>(folder: string, work: (database: DatabaseSyncInstance) => T): T {
  refuseLostData(folder);
  if (!hasData(folder)) throw refuseFolder(folder, `it has no ${RECORDS}; name the folder of a store`);
  return withDatabase(resolve(folder, RECORDS), adviseRestore(folder), work);
}

/**
 * Reads a whole backup.
 *
 * @param name what messages call it
 * @throws StoreError when it is missing or damaged
 */
export function verifyBackup(path: string, name = resolve(path)): DataReport {
  const file = resolve(path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new StoreError(`there is no backup ${file}; name a file that gateway store backup wrote`);
  try {
    // Nothing writes to a backup, and nothing is to be written beside it.
    return withDatabase(`${pathToFileURL(file)}?immutable=1`, '', readRecords);
  } catch (error) {
    const { message } = errorOf(errorOf(error).cause ?? error);
    throw new StoreError(`the backup ${name} is damaged (${message}); use another backup`, { cause: error });
  }
}

function withDatabase<T>(file: string, advice: string, work: (database: DatabaseSyncInstance) => T): T {
  let database: DatabaseSyncInstance | undefined;
  try {
    database = new DatabaseSync(file, { timeout: WAIT_MS });
    return work(database);
  } catch (error) {
    throw explainFailure(error, { folder: dirname(file), name: basename(file), advice });
  } finally {
    database?.close();
  }
}

/** Reads every record as of one moment, and checks the structure of the file. */
export function readRecords(database: DatabaseSyncInstance): DataReport {
  database.exec('PRAGMA cell_size_check = ON; BEGIN');
  const { integrity_check: fault } = database.prepare('PRAGMA integrity_check(1)').get();
  if (fault !== 'ok')
    throw Object.assign(new Error(String(fault).split('\n').at(-1)), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 11,
    });
  const report: DataReport = { identity: null, records: 0, damaged: [] };
  const list: Statement<RecordRow> = database.prepare(
    'SELECT * FROM record WHERE name > ? ORDER BY name LIMIT ?',
  );
  for (let rows: RecordRow[] = [], after = ''; ; after = rows.at(-1)?.name ?? '') {
    rows = list.all(after, PAGE);
    for (const row of rows) {
      report.records++;
      if (!isWhole(row)) report.damaged.push(row.name);
      else if (row.name === IDENTITY) report.identity = textOf(row);
    }
    if (rows.length < PAGE) break;
  }
  database.exec('COMMIT');
  return report;
}
