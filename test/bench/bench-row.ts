/** A row of the bench: what is measured, what it is compared with, and the ratio that it has to reach. */
export interface BenchRow {
  name: string;
  beside: string;
  /** Bounds on the median of `ours / beside`. */
  target: { atLeast?: number; atMost?: number };
  /** Measures the two alternately, A B A B, `pairs` times. With `quick`, only the output is useful, not the figures. */
  measure(options: { quick: boolean; pairs: number }): Promise<Pair[]>;
}

/** One measurement of each, in the same unit, and further figures. */
export interface Pair {
  ours: number;
  beside: number;
  detail?: Record<string, number>;
}
