/** A row of the bench: what is measured, what it is compared with, and the ratio that it has to reach. */
export interface BenchRow {
  name: string;
  beside: string;
  /** Bounds on the median of `ours / beside`. */
  target: { atLeast?: number; atMost?: number };
  /** The unit of both figures; none if `detail` has the processor time of requests. */
  unit?: string;
  /** What is smaller with `quick`, such as "10 games". */
  quick?: string;
  /** Measures the two alternately, A B A B, `pairs` times. With `quick`, each measurement is short. */
  measure(options: { quick: boolean; pairs: number }): Promise<Pair[]>;
}

/** One measurement of each, in the same unit, by processor time where something takes time, and further figures. */
export interface Pair {
  ours: number;
  beside: number;
  detail?: Record<string, number>;
}

/** Both figures by the clock, in the same direction as those of processor time: they depend on what else the machine does. */
export function byClock(ours: number, beside: number): Record<string, number> {
  return { oursByClock: ours, besideByClock: beside };
}
