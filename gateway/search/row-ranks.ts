/** Ranks are smaller than this. */
export const RANKS = 4096;
const UNRANKED = RANKS;

/** Ranks of rows of a list, smaller for better. It can be reused for another list, starting with `clear`. */
export class RowRanks {
  #ranks = new Uint16Array(1024).fill(UNRANKED);
  /** The number of the name that gave each row its rank; meaningless without one. */
  #names = new Int32Array(1024);
  #rows: number[] = [];
  #best = UNRANKED;
  /** How many rows have each rank, then where they begin on the page; meaningless between calls. */
  readonly #places = new Int32Array(RANKS);

  /** Removes all rows, and makes room for those of a list. */
  clear(rowCount: number): void {
    for (const row of this.#rows) this.#ranks[row] = UNRANKED;
    if (this.#ranks.length < rowCount) {
      this.#ranks = new Uint16Array(rowCount).fill(UNRANKED);
      this.#names = new Int32Array(rowCount);
    }
    if (this.#rows.length > 0) this.#rows = [];
    this.#best = UNRANKED;
  }

  /** The rows with a rank, in no order. */
  get rows(): readonly number[] {
    return this.#rows;
  }

  /** The best rank; `RANKS` without rows. */
  get best(): number {
    return this.#best;
  }

  /** The rank of a row that has one. */
  rankOf(row: number): number {
    return this.#ranks[row] ?? 0;
  }

  /** The number of the name that gave a row its rank. */
  nameOf(row: number): number {
    return this.#names[row] ?? 0;
  }

  /**
   * Adds a row; one that is there already keeps the better rank.
   *
   * @param rank a whole number from 0 to `RANKS` - 1
   * @param name the number of the name with this rank
   */
  add(row: number, rank: number, name: number): void {
    const rankBefore = this.#ranks[row] ?? 0;
    if (rankBefore === UNRANKED) this.#rows.push(row);
    if (rankBefore <= rank) return;
    this.#ranks[row] = rank;
    this.#names[row] = name;
    if (rank < this.#best) this.#best = rank;
  }

  /** Keeps only the rows whose rank passes a test. */
  keep(test: (rank: number) => boolean): void {
    const rows = this.#rows;
    this.#rows = [];
    for (const row of rows) {
      if (test(this.#ranks[row] ?? 0)) this.#rows.push(row);
      else this.#ranks[row] = UNRANKED;
    }
  }

  /**
   * Orders rows that have a rank: best first, those of equal rank in the given order. It is a counting sort.
   *
   * @returns those from position `start` to `end` (exclusive)
   */
  order(rows: readonly number[], start: number, end: number): number[] {
    const places = this.#places;
    const page: number[] = [];
    let worst = 0;
    places.fill(0);
    for (const row of rows) {
      const rank = this.#ranks[row] ?? 0;
      places[rank] = (places[rank] ?? 0) + 1;
      if (rank > worst) worst = rank;
    }
    let place = -start;
    for (let rank = this.#best; rank <= worst; rank++) {
      const count = places[rank] ?? 0;
      places[rank] = place;
      place += count;
    }
    for (const row of rows) {
      const rank = this.#ranks[row] ?? 0;
      const at = places[rank] ?? 0;
      places[rank] = at + 1;
      if (at >= 0 && at < end - start) page[at] = row;
    }
    return page;
  }
}
