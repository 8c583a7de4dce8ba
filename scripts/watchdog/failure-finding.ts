import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import type { Limits } from './limits.ts';
import type { Step } from './step-file.ts';

/** What the pool says of a worker whose process ended by itself. */
const WORKER_GONE = 'Worker exited unexpectedly';

/** What a worker that was ended, or failed, says of its game, at the step that it was at. */
export function failureFinding(
  error: unknown,
  step: Step | undefined,
  folder: string,
  { seconds, mebibytes }: Limits,
): Finding {
  const { name, message, stack } = error as Error;
  const doing = step?.doing ?? 'starting';
  const place = step?.place ?? { file: path.posix.join(folder, 'game.json'), pointer: '', line: 1 };
  const found = { severity: 'error' as const, place };
  if (name === 'AbortError') {
    return {
      check: 'time-limit',
      ...found,
      found: `${doing}, when its ${seconds} s were over`,
      expected: `at most ${seconds} s for a build`,
      fix: 'look for what does not end, or allow more by --time-limit',
    };
  }
  if (message === WORKER_GONE) {
    return {
      check: 'memory-limit',
      ...found,
      found: `${doing}, which ended the process that did it`,
      expected: `at most ${mebibytes} MiB of memory for a game`,
      fix: 'look for what grows without end, or allow more by --memory-limit',
    };
  }
  return {
    check: 'internal-error',
    ...found,
    found: `a fault of gamedata itself while ${doing}: ${stack ?? message}`,
    expected: 'a finding that says what is wrong with the data',
    fix: 'report it, with the file',
  };
}
