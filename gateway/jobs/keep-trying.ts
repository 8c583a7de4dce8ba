import type { Log } from '../log/log.ts';
import { StoreError } from '../store/store.ts';

/**
 * Makes a step of something that goes on as long as the gateway lives into one that does not fail: it has nothing to do then, until it is
 * taken again. The same failure is told once.
 *
 * @param step tells whether it did anything
 * @param message what the log tells of a failure
 */
export function keepTrying(step: () => Promise<boolean>, log: Log, message: string): () => Promise<boolean> {
  let told = '';
  return async () => {
    try {
      const isBusy = await step();
      told = '';
      return isBusy;
    } catch (error) {
      const text = describeError(error);
      if (text !== told) log.error(message, { error: text });
      told = text;
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
