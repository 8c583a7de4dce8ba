/**
 * Times in ascending order, ms since 1970. They never change. What comes of them by an addition or by leaving early ones out shares their
 * list, to which is only ever added: an account that asks all the time is counted without copying a minute of its times with each request.
 */
export class Times implements Iterable<number> {
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

  /** The one at a position, from 0; undefined where there is none. */
  at(position: number): number | undefined {
    return position < this.length ? this.#list[this.#from + position] : undefined;
  }

  get last(): number | undefined {
    return this.length === 0 ? undefined : this.#list[this.#to - 1];
  }

  /** All but so many of the first. */
  from(position: number): Times {
    return new Times(this.#list, this.#from + position, this.#to);
  }

  /** @param time not before the last */
  add(time: number): Times {
    // What was left out is let go of when it is more than what is here; and another may have been added behind these already.
    if (this.#from > this.length || this.#to < this.#list.length) return new Times([...this, time]);
    this.#list.push(time);
    return new Times(this.#list, this.#from, this.#to + 1);
  }

  *[Symbol.iterator](): Generator<number> {
    for (let at = this.#from; at < this.#to; at++) yield this.#list[at] as number;
  }
}

export const NO_TIMES = new Times([]);
