/** A program for `run-child.ts`: reads or copies a data file, and sends the outcome to its parent. */
import { LmdbRecords } from '../lmdb-records.ts';
import type { ChildOutcome, ChildTask } from './child-task.ts';
import { readRecords } from './read-records.ts';

const task = JSON.parse(process.argv[2] ?? '') as ChildTask;
process.send?.(await run(task), () => process.disconnect());

async function run({ folder, copyTo }: ChildTask): Promise<ChildOutcome> {
  try {
    if (copyTo !== undefined) await copy(folder, copyTo);
    return { report: await readRecords(copyTo ?? folder) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

async function copy(folder: string, copyTo: string): Promise<void> {
  const records = new LmdbRecords({ folder, now: Date.now });
  await records.copyTo(copyTo);
  await records.close();
}
