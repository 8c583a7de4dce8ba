import { readStep, type Step } from './step-file.ts';

const POLL_INTERVAL_MS = 100;

/**
 * Watches the step of a worker. Time in the queue does not count, because no step has begun.
 *
 * @param file that the worker writes its step to
 * @param seconds the limit for each stage
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
  let since = 0;
  const timer = setInterval(() => {
    const step = readStep(file);
    if (step === undefined) return;
    onStep(step);
    if (step.stage !== stage) {
      stage = step.stage;
      since = performance.now();
    } else if (performance.now() - since > seconds * 1000) controller.abort();
  }, POLL_INTERVAL_MS);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
