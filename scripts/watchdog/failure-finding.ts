import path from 'node:path';
import type { CheckName } from '../findings/check-names.ts';
import type { Finding } from '../findings/findings.ts';
import { readProcess } from '../lib/read-process.ts';
import { describeLimit, errorOf } from '../lib/system-error.ts';
import type { Limits } from './limits.ts';
import { TOO_MUCH_MEMORY } from './memory-limit.ts';
import { readStep, type Step } from './step-file.ts';

/** The pool's message about a worker whose process ended without being told to. */
export const WORKER_ENDED = 'Worker exited unexpectedly';

/** The finding about a game whose worker was ended or failed, at the worker's last step. */
export function failureFinding(
  error: unknown,
  step: Step | undefined,
  folder: string,
  { seconds, mebibytes }: Limits,
): Finding {
  const { name, message, stack } = errorOf(error);
  const doing = step?.doing ?? 'starting';
  const place = step?.place ?? { file: path.posix.join(folder, 'game.json'), pointer: '', line: 1 };
  const finding = (check: CheckName, found: string, expected: string, fix: string): Finding => {
    return { check, severity: 'error', place, found: `${doing}, ${found}`, expected, fix };
  };
  if (name === 'AbortError')
    return finding(
      'time-limit',
      `when the limit of ${seconds} s was reached`,
      `at most ${seconds} s of processor time for a build`,
      'look for an expression that does not end, or allow more with --time-limit',
    );
  if (message === WORKER_ENDED || message === TOO_MUCH_MEMORY)
    return finding(
      'memory-limit',
      'when its process needed too much memory',
      `at most ${mebibytes} MiB of memory for a game`,
      'look for a value that grows without end, or allow more with --memory-limit',
    );
  const limit = describeLimit(errorOf(error));
  if (limit !== undefined)
    return finding(
      'system-limit',
      `when the system refused: ${limit}`,
      'room on the disk, also in the folder for temporary files (TMPDIR), and enough open files',
      'make room or raise the limit, or set TMPDIR to a folder on another disk',
    );
  return finding(
    'internal-error',
    `when gamedata itself failed: ${stack ?? message}`,
    'a finding about the data',
    'report it together with the file',
  );
}

const POLL_INTERVAL_MS = 100;
/** How many times its limit a stage may last, as it waits for a processor on a busy machine. */
const MAX_WAITING = 10;

/**
 * Watches the step of a worker. Time in the queue does not count, because no step has begun.
 *
 * @param file that the worker writes its step to
 * @param seconds the limit for each stage: of the worker's processor time, so that a slow or busy machine is not taken for a fault; of all
 *   time where the system does not say how much a process works
 * @param onStep gets the current step, a few times per second
 * @returns a signal that aborts when a stage exceeds the limit, and a function that stops watching
 */
export function watchSteps(
  file: string,
  seconds: number,
  onStep: (step: Step) => void,
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  let stage = 0;
  let begun: { worked: number | undefined; at: number } = { worked: undefined, at: 0 };
  const timer = setInterval(() => {
    const step = readStep(file);
    if (step === undefined) return;
    onStep(step);
    const at = performance.now() / 1000;
    const worked = readProcess(step.pid)?.worked;
    if (step.stage !== stage) {
      stage = step.stage;
      begun = { worked, at };
      return;
    }
    const lasted = at - begun.at;
    // A process whose time was known and is not any more has ended, which is no matter of time.
    const spent = begun.worked === undefined ? lasted : (worked ?? begun.worked) - begun.worked;
    if (spent > seconds || lasted > seconds * MAX_WAITING) controller.abort();
  }, POLL_INTERVAL_MS);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
