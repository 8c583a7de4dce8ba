import { readStep, type Step } from './step-file.ts';

/** How often a worker's step is looked at, in milliseconds. */
const LOOK = 100;

/** Aborts when a stage takes longer than it may. Time in the queue does not count: no step has begun there. */
export function watchSteps(file: string, seconds: number, tell: (step: Step) => void) {
  const controller = new AbortController();
  let stage = 0;
  let since = 0;
  const timer = setInterval(() => {
    const step = readStep(file);
    if (step === undefined) return;
    tell(step);
    if (step.stage !== stage) {
      stage = step.stage;
      since = performance.now();
    } else if (performance.now() - since > seconds * 1000) controller.abort();
  }, LOOK);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
