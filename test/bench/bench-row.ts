/** A row of the bench: what is measured, what beside, and which ratio of the two it has to reach. */
export interface BenchRow {
  name: string;
  beside: string;
  /** Bounds on the median of `ours / beside`. */
  target: { atLeast?: number; atMost?: number };
  /** Measures the two in turn, A B A B, `pairs` times; a quick one is there for its output, not for its figures. */
  measure(options: { quick: boolean; pairs: number }): Promise<Pair[]>;
}

/** One measurement of each, in the same unit, and what else was read on the way. */
export interface Pair {
  ours: number;
  beside: number;
  detail?: Record<string, number>;
}
