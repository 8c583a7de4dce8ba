import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildOutcome, ChildTask } from './child-task.ts';

const PROGRAM = fileURLToPath(new URL('./child.js', import.meta.url));
/** Far longer than a data file of a gigabyte takes. */
const MAX_MS = 600_000;

/** Does a task in a new process: LMDB may end a process that reads a damaged file by SIGSEGV, SIGBUS or SIGABRT. */
export function runChild(task: ChildTask): Promise<ChildOutcome> {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, [JSON.stringify(task)], { execArgv: [], stdio: 'ignore', timeout: MAX_MS });
    let outcome: ChildOutcome | undefined;
    child.on('message', (message) => {
      outcome = message as ChildOutcome;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      resolve(outcome ?? { fault: `the process that read it ended with ${signal ?? `code ${code}`}` }),
    );
  });
}
