import { adviseRestore, refuseFolder } from '../store-folder.ts';
import { DATA, hasData, refuseLostData, wasClosed } from './folder-files.ts';
import { findMetaFault } from './meta-pages.ts';
import type { DataReport } from './read-records.ts';
import { runChild } from './run-child.ts';
import { listUsers } from './users.ts';

/**
 * Checks the data file of a folder before this process opens it, unless it is unchanged since a process closed it properly.
 *
 * @param isBrief whether to skip the check also while other processes have the store open, since damage would have ended them
 * @returns the names of damaged records, if the file was read
 * @throws StoreError when the file is damaged, so that opening it could end the process
 */
export async function checkBeforeOpening(folder: string, isBrief: boolean): Promise<string[]> {
  if (!hasData(folder) || wasClosed(folder)) return [];
  if (isBrief && listUsers(folder).length > 0) return [];
  return (await verifyFolder(folder)).damaged;
}

/** @throws StoreError when a folder has no store, although one with this identity must be there */
export function refuseMissing(folder: string, identity: string): void {
  if (hasData(folder)) return;
  const reason = `it has no ${DATA}, expected the store ${identity} (--store-id); mount its disk, or ${adviseRestore(folder)}`;
  throw refuseFolder(folder, reason);
}

/**
 * Reads the whole data file of a folder. Other processes may use the store meanwhile.
 *
 * @throws StoreError when there is none, or it is damaged
 */
export async function verifyFolder(folder: string): Promise<DataReport> {
  refuseLostData(folder);
  if (!hasData(folder)) throw refuseFolder(folder, `it has no ${DATA}; name the folder of a store`);
  // A file that cannot be read is reported by the child.
  const meta = await findMetaFault(folder).catch(() => undefined);
  const outcome = meta === undefined ? await runChild({ folder }) : { fault: meta };
  if ('report' in outcome) return outcome.report;
  throw refuseFolder(folder, `its ${DATA} is damaged (${outcome.fault}); ${adviseRestore(folder)}`);
}
