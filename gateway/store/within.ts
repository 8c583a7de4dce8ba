/** How often a result is looked for before the wait ends. */
const LOOKS = 3;

/**
 * Waits for a promise, but not for longer than a given time. The time begins at the end of this event-loop tick, when what was asked for has
 * been sent. It is checked in several steps, so that a process that is itself too busy to see the result waits for longer.
 *
 * @throws Error when there is no result in time
 */
export function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  // A timer may fire a little early.
  const pause = Math.ceil(ms / LOOKS) + 1;
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let timer: NodeJS.Timeout | undefined;
    let looks = 0;
    // An immediate runs after all data that has arrived was read.
    const look = () => {
      if (isSettled) return;
      if (looks++ === LOOKS) reject(new Error(`no response within ${ms} ms`));
      else timer = setTimeout(setImmediate, pause, look);
    };
    setImmediate(look);
    promise.then(resolve, reject).finally(() => {
      isSettled = true;
      clearTimeout(timer);
    });
  });
}
