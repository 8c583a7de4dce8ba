/**
 * An immutable list of times in ascending order, ms since 1970. Lists that are made from each other share one array, which only grows, so
 * that counting a request copies nothing.
 */
export class Times {
  readonly #list: number[];
  /** This list is the entries `#from` to `#to` (exclusive) of the shared array. */
  readonly #from: number;
  readonly #to: number;

  /** @param list not changed by anyone else */
  constructor(list: number[], from = 0, to = list.length) {
    this.#list = list;
    this.#from = from;
    this.#to = to;
  }

  get length(): number {
    return this.#to - this.#from;
  }

  /** As `Array.prototype.at`: a negative position counts from the end. */
  at(position: number): number | undefined {
    const index = position < 0 ? this.#to + position : this.#from + position;
    return index >= this.#from && index < this.#to ? this.#list[index] : undefined;
  }

  /** Returns the list without the first `count` times. */
  from(position: number): Times {
    return position < this.length ? new Times(this.#list, this.#from + position, this.#to) : NO_TIMES;
  }

  /** @param time at or after the last one */
  add(time: number): Times {
    // Copy when the dropped part is as long as the rest, or when another list has already added to the array.
    if (this.#from >= this.length || this.#to < this.#list.length)
      return new Times([...this.toArray(), time]);
    this.#list.push(time);
    return new Times(this.#list, this.#from, this.#to + 1);
  }

  /** Returns a copy as an array. */
  toArray(): number[] {
    return this.#list.slice(this.#from, this.#to);
  }
}

/** The empty list. */
export const NO_TIMES = new Times([]);
