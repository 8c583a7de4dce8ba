/** How often a result is looked for before it is given up. */
const LOOKS = 3;

/**
 * Waits for a promise, but not for longer than a time, which begins when what was asked for in this event-loop tick is sent. A process that is
 * busy waits for longer: it gives up only after it has looked for the result several times, so that the other side was late and not itself.
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
    // An immediate comes after what has arrived was read.
    const look = () => {
      if (isSettled) return;
      if (looks++ === LOOKS) reject(new Error(`no answer within ${ms} ms`));
      else timer = setTimeout(setImmediate, pause, look);
    };
    setImmediate(look);
    promise.then(resolve, reject).finally(() => {
      isSettled = true;
      clearTimeout(timer);
    });
  });
}
