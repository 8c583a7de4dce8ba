/** A program for `take-over.ts`: takes a folder over, and sends the outcome to its parent. LMDB may end it by a signal where a file is damaged. */
import { StoreError } from '../../store/store.ts';
import { replaceFolder } from './replace-folder.ts';
import type { TakeOverOutcome, TakeOverTask } from './take-over-task.ts';

const task: TakeOverTask = JSON.parse(process.argv[2] ?? '');
process.send?.(await run(), () => process.disconnect());

async function run(): Promise<TakeOverOutcome> {
  try {
    await replaceFolder(task);
    return {};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof StoreError) return { refusal: message };
    if (error instanceof Error && 'syscall' in error)
      return { refusal: `${message}; check whether its disk is full or failing, and start again` };
    return { fault: message };
  }
}
