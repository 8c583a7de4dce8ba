import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { Place, StepReporter } from '../findings.ts';
import { errorOf } from '../system.ts';
import { TASKS, type Task } from './tasks.ts';

// Closes stderr: V8 prints pages when a process runs out of memory, while the finding says what is needed.
closeSync(2);
openSync(devNull, 'w');

// How many bytes of a function's code V8 runs before it optimises the function: four times its default (docs/speed.md).
setFlagsFromString('--interrupt-budget=300000');

const { ppid } = process;

/** Reports the current step to the parent process, for the case that this process never ends. */
const steps: StepReporter = {
  beginStage: (doing, at) => report(doing, at, true),
  beginStep: (doing, at) => report(doing, at, false),
};

function report(doing: string, at: Place | string, isStage: boolean): void {
  // The parent was killed, so nobody needs the result.
  if (process.ppid !== ppid) process.exit();
  const place = typeof at === 'string' ? { file: at, pointer: '', line: 1 } : at;
  process.send?.({ doing, place, isStage });
}

process.on('message', async ({ name, task }: { name: keyof typeof TASKS; task: Task }) => {
  try {
    process.send?.({ value: await TASKS[name](task, steps) });
  } catch (error) {
    const { message, stack } = errorOf(error);
    process.send?.({ failure: { message, stack } });
  }
});
