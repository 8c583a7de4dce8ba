import type { Log } from '../log/log.ts';
import { StoreError } from '../store/store.ts';

/** A part of work that goes on as long as the gateway lives. @returns whether it did anything */
export type Step = () => Promise<boolean>;

/**
 * Makes of a step one that does not fail: it reports the failure to the log, and has nothing to do until it is taken again. The same
 * failure is reported once.
 *
 * @param message what the log says of a failure
 */
export function reportFailures(step: Step, log: Log, message: string): Step {
  let reported = '';
  return async () => {
    try {
      const isBusy = await step();
      reported = '';
      return isBusy;
    } catch (error) {
      const text = describeError(error);
      if (text !== reported) log.error(message, { error: text });
      reported = text;
      return false;
    }
  };
}

/** What people need of an expected error is its message; a bug has to be found by its stack. */
function describeError(error: unknown): string {
  return error instanceof StoreError || !(error instanceof Error)
    ? String(error)
    : (error.stack ?? error.message);
}
