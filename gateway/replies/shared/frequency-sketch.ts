/** How many rows count an address, each at another place: an address counts as often as its smallest counter says. */
const ROWS = 4;
/** Counters of a row; a power of two. */
const SLOTS = 1 << 14;
/** Counters end here: what is requested more often is popular enough. */
const MAX_COUNT = 15;
/** After so many counts all counters are halved, so that what was popular once is forgotten. */
const SAMPLE = 10 * SLOTS;
/** Halves four counters of a byte each at once. */
const LOW_BITS = 0x7f7f7f7f;

/**
 * Counts roughly how often addresses are requested, in memory that does not grow: a count-min sketch whose counters are halved from time
 * to time, as in TinyLFU (https://arxiv.org/abs/1512.00727).
 */
export class FrequencySketch {
  readonly #counters = new Uint8Array(ROWS * SLOTS);
  readonly #words = new Uint32Array(this.#counters.buffer);
  #counted = 0;

  /** Counts a request. @param checksum of its address, 32 bits */
  count(checksum: number): void {
    for (let row = 0; row < ROWS; row++) {
      const at = placeOf(checksum, row);
      const counter = this.#counters[at] ?? 0;
      if (counter < MAX_COUNT) this.#counters[at] = counter + 1;
    }
    if (++this.#counted === SAMPLE) this.#halve();
  }

  /** Estimates how often an address was requested, never too low since the last halving: 0 to 15. */
  estimate(checksum: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row++) least = Math.min(least, this.#counters[placeOf(checksum, row)] ?? 0);
    return least;
  }

  #halve(): void {
    for (let at = 0; at < this.#words.length; at++)
      this.#words[at] = ((this.#words[at] ?? 0) >>> 1) & LOW_BITS;
    this.#counted = 0;
  }
}

/** Mixes the bits of a checksum differently for each row (the finalizer of MurmurHash3). */
function placeOf(checksum: number, row: number): number {
  let mixed = Math.imul(checksum ^ (row * 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return row * SLOTS + ((mixed ^ (mixed >>> 16)) & (SLOTS - 1));
}
