import { TASKS } from '../../scripts/compile/tasks.ts';
import type { StartWorkers } from '../../scripts/compile/workers.ts';
import { NO_REPORTER } from '../../scripts/findings.ts';

/** Workers that run in this process, without limits. Tasks and results are copied, as between processes. */
export const startInProcess: StartWorkers = () => ({
  async run<T>(name: keyof typeof TASKS, task: object) {
    return { value: structuredClone(await TASKS[name](structuredClone(task), NO_REPORTER)) as T };
  },
  close: () => Promise.resolve(),
});
