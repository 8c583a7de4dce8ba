/** Values counted by size. */
export interface Histogram {
  /** How many values are in each bucket; the last one holds values above all bounds. */
  counts: Float64Array;
  /** The sum of all values. */
  sum: number;
}

/** Makes an empty histogram. */
export function newHistogram(bounds: readonly number[]): Histogram {
  return { counts: new Float64Array(bounds.length + 1), sum: 0 };
}

/** Returns the position of the first bound that is not below a value. Most values are small: a loop from the start finds it first. */
export function bucketOf(bounds: readonly number[], value: number): number {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
  return at;
}
