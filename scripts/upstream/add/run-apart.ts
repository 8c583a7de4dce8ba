import { Tinypool } from 'tinypool';
import { closePool } from '../../lib/close-pool.ts';
import { CommandError } from '../../system.ts';
import { WORKER_ENDED } from '../../watchdog/failure-finding.ts';

/** Far more than a file within the limits of a source needs. */
const MEBIBYTES = 4096;
const MAX_MS = 600_000;

/** What a task made, or what is wrong with its files. */
export type Apart<Result> = Result | { problem: string };

/**
 * Works on files of upstream in another process, because a large file may need much memory and time.
 *
 * @param file the module whose default export does the work: it is called with the task; both pass as JSON
 * @param what the beginning of the message if the process fails: `a.json cannot be divided`
 * @throws CommandError with the problem, or if the process needs too much
 */
export async function runApart<Result extends object>(
  file: URL,
  task: object,
  what: string,
): Promise<Result> {
  const pool = new Tinypool({
    ...{ runtime: 'child_process', minThreads: 0, maxThreads: 1 },
    filename: file.href,
    execArgv: [...process.execArgv, `--max-old-space-size=${MEBIBYTES}`],
  });
  try {
    const done: Apart<Result> = await pool
      .run(task, { signal: AbortSignal.timeout(MAX_MS) })
      .catch((error: Error) => ({ problem: `${what}: ${describe(error)}` }));
    if ('problem' in done) throw new CommandError(done.problem);
    return done;
  } finally {
    await closePool(pool);
  }
}

function describe({ name, message }: Error): string {
  if (name === 'AbortError') return `it took more than ${MAX_MS / 60_000} minutes`;
  return message === WORKER_ENDED ? `it needed more than ${MEBIBYTES} MiB of memory` : message;
}
