/**
 * Times in ascending order, ms since 1970, that never change. Those that are made of others share their list, which only grows: an
 * account that asks all the time is counted without copying a minute of times with each request.
 */
export class Times {
  readonly #list: number[];
  /** These are the entries `#from` to `#to` (exclusive) of the list. */
  readonly #from: number;
  readonly #to: number;

  /** @param list nobody else changes it */
  constructor(list: number[], from = 0, to = list.length) {
    this.#list = list;
    this.#from = from;
    this.#to = to;
  }

  get length(): number {
    return this.#to - this.#from;
  }

  /** As of an array: from 0, or from the end by a negative position; undefined where there is none. */
  at(position: number): number | undefined {
    const index = position < 0 ? this.#to + position : this.#from + position;
    return index >= this.#from && index < this.#to ? this.#list[index] : undefined;
  }

  /** All but so many of the first. */
  from(position: number): Times {
    return position < this.length ? new Times(this.#list, this.#from + position, this.#to) : NO_TIMES;
  }

  /** @param time not before the last */
  add(time: number): Times {
    // What was left out is let go of when it is no less than what is here; and another may have been added behind these already.
    if (this.#from >= this.length || this.#to < this.#list.length)
      return new Times([...this.toArray(), time]);
    this.#list.push(time);
    return new Times(this.#list, this.#from, this.#to + 1);
  }

  /** A copy, which may be changed. */
  toArray(): number[] {
    return this.#list.slice(this.#from, this.#to);
  }
}

/** None; shared by all who have used nothing. */
export const NO_TIMES = new Times([]);
