import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuseFolder } from '../../store/folder-files.ts';
import type { TakeOverOutcome, TakeOverTask } from './take-over-task.ts';

const PROGRAM = fileURLToPath(new URL('./take-over-child.js', import.meta.url));
/** Far longer than a data file of a gigabyte takes. */
const MAX_MS = 600_000;

/**
 * Takes over the store in a folder that a version before 0.2 wrote with LMDB: its records, their expiry, its identity and the counters of this boot are then
 * in the files of this version, and its own files in `before-sqlite`. A process that is killed meanwhile leaves the old store or the new one.
 *
 * @throws StoreError when any process has the folder open, a record or the file is damaged, or the new files cannot be written
 */
export async function takeOverFolder(folder: string, { acceptsLoss = false } = {}): Promise<void> {
  const { refusal, fault, crash } = await runChild({ folder: resolve(folder), acceptsLoss });
  const about = 'it is from a version before 0.2, and was not taken over';
  const advice = 'restore a backup with that version (gateway store restore), then start again';
  if (refusal !== undefined) throw refuseFolder(folder, `${about}: ${refusal}`);
  if (fault !== undefined)
    throw refuseFolder(folder, `${about}: its data.mdb is damaged (${fault}); ${advice}`);
  if (crash === undefined) return;
  // LMDB ends a process by a signal for both reasons.
  const cause = 'its disk is full, read-only or failing, or its data.mdb is damaged';
  throw refuseFolder(
    folder,
    `${about}: the process that read it ended with ${crash}: ${cause}; check the disk and start again, and if that does not help, ${advice}`,
  );
}

function runChild(task: TakeOverTask): Promise<TakeOverOutcome> {
  return new Promise((done, reject) => {
    const child = fork(PROGRAM, [JSON.stringify(task)], { execArgv: [], stdio: 'ignore', timeout: MAX_MS });
    let outcome: TakeOverOutcome | undefined;
    child.on('message', (message) => {
      outcome = message as TakeOverOutcome;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => done(outcome ?? { crash: signal ?? `code ${code}` }));
  });
}
