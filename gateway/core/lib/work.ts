/**
 * Calls `work` with a value: synchronously when it is not a promise, otherwise when it resolves. Promises for values that exist already
 * would cost every request time and garbage.
 */
export function andThen<T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(withPayer(work)) : work(value);
}

/** Does work. When it throws or rejects, the result is that of `recover` with the error. */
export function orElse<T>(
  work: () => T | Promise<T>,
  recover: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const working = work();
    return working instanceof Promise ? working.catch(withPayer(recover)) : working;
  } catch (error) {
    return recover(error);
  }
}

/** Pays for work that is done on the event loop. */
export interface Payer {
  /** @param micros how much work, as below */
  pay(micros: number): void;
}

/**
 * What work costs, in microseconds of a processor: of the machine in docs/speed.md, where `npm run bench -- --only work` compares what is counted with
 * the time that it took. Work costs the same on every machine, whatever else it does.
 */
export const WORK = {
  /** A row that is compared, placed in an order or passed over. */
  row: 0.002,
  /** A name that is compared with a search. */
  name: 0.04,
  /** A list that is searched. */
  list: 5,
  /** A byte of a response that is put together. */
  byte: 0.001,
  /** A record of which parts are written, or a line of a table. */
  written: 0.5,
  /** A byte that is compressed, also in another thread. */
  coded: 0.01,
  /** A byte that is sent. */
  sent: 0.0008,
  /** A record of a past build that is read and parsed. */
  record: 50,
  /** One step of what is prepared or written in steps (`runInSlices`). */
  step: 250,
};

/** Who pays for what is done now; undefined for work that nobody pays for. */
let payer: Payer | undefined;

/** Counts work for whom it is done. It costs a few nanoseconds: call it once for many rows or bytes. */
export function countWork(micros: number): void {
  payer?.pay(micros);
}

/** Does work that someone pays for. What it does later is paid for too if it goes on with `andThen`, `orElse`, `withPayer` or in slices. */
export function payFor<T>(by: Payer | undefined, work: () => T): T {
  const before = payer;
  payer = by;
  try {
    return work();
  } finally {
    payer = before;
  }
}

/** Returns a function that does work later, for the one who pays now. */
export function withPayer<Arguments extends unknown[], R>(
  work: (...args: Arguments) => R,
): (...args: Arguments) => R {
  const by = payer;
  return by === undefined ? work : (...args) => payFor(by, () => work(...args));
}
