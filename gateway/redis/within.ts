/** How many times the result is checked before the wait ends. */
const CHECKS = 3;

/**
 * Waits for a promise, but not for longer than a given time. The time begins at the end of this event-loop tick, when requests have
 * been sent. The result is checked several times, so that a process that is too busy to read it waits longer.
 *
 * @throws Error when there is no result in time
 */
export function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  // A timer may fire a little early.
  const pause = Math.ceil(ms / CHECKS) + 1;
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let timer: NodeJS.Timeout | undefined;
    let checks = 0;
    // An immediate runs after all data that has arrived was read.
    const check = () => {
      if (isSettled) return;
      if (checks++ === CHECKS) reject(new Error(`no response within ${ms} ms`));
      else timer = setTimeout(setImmediate, pause, check);
    };
    setImmediate(check);
    promise.then(resolve, reject).finally(() => {
      isSettled = true;
      clearTimeout(timer);
    });
  });
}
