/**
 * Waits for a promise, but not for longer than a time. A result that has arrived by then and was not read yet, because this process was
 * busy, still counts: the other side was not late.
 *
 * @throws Error when there is no result in time
 */
export function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
