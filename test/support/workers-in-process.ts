import { devNull } from 'node:os';
import { compile, evaluate, locate } from '../../scripts/workers/tasks.ts';
import type { StartWorkers } from '../../scripts/workers/workers.ts';

const TASKS = { compile, evaluate, locate };

/** Workers that run in this process, without limits. Tasks and results are copied, as between processes. */
export const startInProcess: StartWorkers = () => ({
  async run<T>(name: string, task: object) {
    const work = TASKS[name as keyof typeof TASKS] as (task: object) => Promise<T>;
    return {
      value: structuredClone(
        await work(structuredClone({ ...task, stepFile: devNull, mebibytes: Number.POSITIVE_INFINITY })),
      ),
    };
  },
  close: () => Promise.resolve(),
});
