import type { Port } from '../../../scripts/core/lib/port.ts';
import { countWork, WORK, withPayer } from './work.ts';

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

/** Returns what is offered to a port, for work that is done at once; undefined if nothing is. @throws UnpreparedError if it is not loaded yet */
export function getLoaded<T>(port: Port<T>): T | undefined {
  const offered = port.get();
  if (!(offered instanceof Promise)) return offered;
  const prepare = async () => {
    await offered;
  };
  throw new UnpreparedError({ prepare });
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
      this.#keep(await runInSlices(this.#steps()));
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
