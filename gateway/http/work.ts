// How much is done in one step of work on a long list: one to three milliseconds.

/** Records that are parsed, or names that are indexed. */
export const RECORDS_A_STEP = 200;
/** Texts that are hashed, compared or written as JSON. */
export const TEXTS_A_STEP = 2048;
/** Numbers that are copied or counted. */
export const NUMBERS_A_STEP = 32_768;

/** Lists with more rows than this are read and prepared in steps, with other requests between them. */
export const MAX_ROWS_AT_ONCE = 2000;

/** Work in small steps. It yields after each one: nothing, or a part that the next step needs. */
export type Steps<T> = Generator<Part<unknown> | undefined, T, void>;

/** A part was needed that takes too long to make at once. Only `preparationOf` knows it: the README says what that means for work that runs twice. */
class UnpreparedError extends Error {
  readonly part: Preparable;

  constructor(part: Preparable) {
    super('a part of a long list was used before it was prepared');
    this.part = part;
  }
}

interface Preparable {
  prepare(): Promise<void>;
}

/**
 * Something that is made from a list when it is first needed, and kept. If the list is short, it is made at once. If the list is long, `get`
 * throws, `prepare` makes it in steps, and all that need it wait for the same steps.
 */
export class Part<T> {
  readonly #isLong: boolean;
  #make: (() => Steps<T>) | undefined;
  #made: { value: T } | undefined;
  #preparing: Promise<void> | undefined;

  /** @param rows how many rows it is made from */
  constructor(rows: number, make: () => Steps<T>) {
    this.#isLong = rows > MAX_ROWS_AT_ONCE;
    this.#make = make;
  }

  /** @throws UnpreparedError if it is not made yet and takes long to make */
  get(): T {
    if (this.#made !== undefined) return this.#made.value;
    if (this.#isLong) throw new UnpreparedError(this);
    return this.makeAtOnce();
  }

  /** Makes it if it is not made yet, however long that takes. */
  makeAtOnce(): T {
    return this.#made === undefined ? this.#keep(runAtOnce(this.#steps())) : this.#made.value;
  }

  /** Makes it in steps if it is not made yet. */
  async prepare(): Promise<void> {
    if (this.#made !== undefined) return;
    this.#preparing ??= this.#makeInSlices();
    await this.#preparing;
  }

  async #makeInSlices(): Promise<void> {
    try {
      // What a step needs may not be prepared yet, such as the records of the list.
      this.#keep(await whenPrepared(() => runInSlices(this.#steps())));
    } finally {
      this.#preparing = undefined;
    }
  }

  #steps(): Steps<T> {
    return (this.#make as () => Steps<T>)();
  }

  #keep(value: T): T {
    this.#made ??= { value };
    // It may hold what only the making needs.
    this.#make = undefined;
    return this.#made.value;
  }
}

/** Does all steps in this event-loop tick. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    step.value?.makeAtOnce();
  }
}

/** Does each step in an event-loop tick of its own; of all work that is done in this way, one step per tick. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  const doNext = withPayer(() => {
    countWork(WORK.step);
    return steps.next();
  });
  const prepare = withPayer((part: Part<unknown>) => part.prepare());
  for (;;) {
    await untilOwnTick();
    const step = doNext();
    if (step.done) return step.value;
    if (step.value) await prepare(step.value);
  }
}

/** Prepares the part for whose lack work has failed; undefined if it failed for another reason. Do the work again afterwards. */
export function preparationOf(error: unknown): Promise<void> | undefined {
  return error instanceof UnpreparedError ? error.part.prepare() : undefined;
}

/** Does work, and does it again whenever a part was missing and has been prepared. */
export async function whenPrepared<T>(work: () => T | Promise<T>): Promise<T> {
  const tryAgain = withPayer(work);
  const prepare = withPayer(preparationOf);
  for (;;) {
    try {
      return await tryAgain();
    } catch (error) {
      const preparing = prepare(error);
      if (preparing === undefined) throw error;
      await preparing;
    }
  }
}

/**
 * Makes steps of a loop.
 *
 * @param count how often the loop runs
 * @param size how many of them are one step
 * @param work does those from `from` to `to` (exclusive)
 */
export function* inSteps(
  count: number,
  size: number,
  work: (from: number, to: number) => void,
): Steps<undefined> {
  for (let from = 0; from < count; from += size) {
    work(from, Math.min(from + size, count));
    yield;
  }
}

/** What waits for a tick of its own, in order. */
const waiting: (() => void)[] = [];

function untilOwnTick(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}

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

/**
 * Collects the items of one event-loop tick and processes them together at its end: between system calls, the same work takes the
 * processor two to three times as long.
 *
 * @param work receives all items of a tick, in order
 * @param max the size of a batch that is processed at once, without waiting for the end of the tick
 * @returns a function that adds an item
 */
export function batchPerTick<T>(
  work: (batch: T[]) => void,
  max = Number.POSITIVE_INFINITY,
): (item: T) => void {
  let batch: T[] = [];
  const processBatch = () => {
    if (batch.length === 0) return;
    const all = batch;
    batch = [];
    work(all);
  };
  return (item) => {
    if (batch.length === 0) setImmediate(processBatch);
    batch.push(item);
    if (batch.length >= max) processBatch();
  };
}

/** Returns a function that calls another once, and returns that result every time. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
