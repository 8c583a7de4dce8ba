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

/** One measurement of each, in the same unit, by processor time, and further figures: `oursByClock` depends on what else the machine does. */
export interface Pair {
  ours: number;
  beside: number;
  detail: { oursCpu?: number; besideCpu?: number; oursByClock: number; besideByClock: number };
}

const HEAD = ['what', 'beside', 'ratio', 'least – most', 'aim', 'figures', 'by the clock'];

/** A line of the table in Markdown, for the measurements of a row. */
export function describeRow({ name, beside, target, unit = '' }: BenchRow, pairs: readonly Pair[]): string[] {
  const ratios = pairs.map((pair) => pair.ours / pair.beside);
  const { atLeast = 0, atMost = Number.POSITIVE_INFINITY } = target;
  const isMet = median(ratios) >= atLeast && median(ratios) <= atMost;
  const aim = target.atMost === undefined ? `≥ ${atLeast} ×` : `≤ ${atMost} ×`;
  const each = (read: (pair: Pair) => number) => format(median(pairs.map(read)));
  const hasCpu = pairs[0]?.detail.oursCpu !== undefined;
  const figures = hasCpu
    ? `${each(({ detail }) => detail.oursCpu ?? 0)} : ${each(({ detail }) => detail.besideCpu ?? 0)} µs`
    : `${each(({ ours }) => ours)} : ${each((pair) => pair.beside)} ${unit}`;
  return [
    ...[name, beside, `${format(median(ratios))} ×`],
    `${format(Math.min(...ratios))} – ${format(Math.max(...ratios))}`,
    ...[isMet ? aim : `${aim}, not met`, figures],
    `${each(({ detail: { oursByClock, besideByClock } }) => oursByClock / besideByClock)} ×`,
  ];
}

/** The lines as a table in Markdown. */
export function formatTable(lines: readonly string[][]): string {
  return [HEAD, HEAD.map(() => '-'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** Formats a number with three significant digits and grouped thousands. */
function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
