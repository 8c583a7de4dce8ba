import type { Log } from '../../http/log.ts';
import { StoreError } from '../../store/sql.ts';

/** A function that a `StepRunner` calls again and again. @returns whether to call it again at once */
export type Step = () => Promise<boolean>;

/**
 * Wraps a step so that it never rejects. When the step fails, the error is logged and false is returned. An error that occurs several
 * times in a row is logged once.
 *
 * @param message the log message of a failure
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

/** Returns the message of an expected error, but the stack of a bug. */
function describeError(error: unknown): string {
  return error instanceof StoreError || !(error instanceof Error)
    ? String(error)
    : (error.stack ?? error.message);
}
