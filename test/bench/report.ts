import type { BenchRow, Pair } from './bench-row.ts';

/** The result of a row. */
export interface RowResult {
  name: string;
  beside: string;
  target: BenchRow['target'];
  /** The median, minimum and maximum of `ours / beside` over the pairs. */
  ratio: Spread;
  /** The medians of the figures, and of the further figures. */
  ours: number;
  theirs: number;
  detail: Record<string, number>;
  isMet: boolean;
  pairs: Pair[];
}

interface Spread {
  median: number;
  least: number;
  most: number;
}

/** Summarises the measurements of a row. */
export function summarise({ name, beside, target }: BenchRow, pairs: Pair[]): RowResult {
  const ratios = pairs.map((pair) => pair.ours / pair.beside);
  const ratio = { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target;
  const keys = Object.keys(pairs[0]?.detail ?? {});
  return {
    name,
    beside,
    target,
    ratio,
    ours: median(pairs.map((pair) => pair.ours)),
    theirs: median(pairs.map((pair) => pair.beside)),
    detail: Object.fromEntries(
      keys.map((key) => [key, median(pairs.map(({ detail }) => detail?.[key] ?? Number.NaN))]),
    ),
    isMet: ratio.median >= atLeast && ratio.median <= atMost,
    pairs,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

const HEAD = ['what', 'beside', 'ratio', 'least – most', 'target', '', 'figures', 'CPU µs'];

/** The results as a Markdown table that is also readable on a terminal. */
export function formatTable(results: readonly RowResult[]): string {
  const rows = results.map(({ name, beside, target, ratio, ours, theirs, detail, isMet }) => [
    name,
    beside,
    `${format(ratio.median)} ×`,
    `${format(ratio.least)} – ${format(ratio.most)}`,
    target.atLeast === undefined ? `≤ ${target.atMost} ×` : `≥ ${target.atLeast} ×`,
    isMet ? 'met' : 'not met',
    `${format(ours)} : ${format(theirs)}`,
    detail.oursCpu === undefined ? '' : `${format(detail.oursCpu)} : ${format(detail.besideCpu as number)}`,
  ]);
  const all = [HEAD, HEAD.map(() => '-'), ...rows];
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => (row[column] as string).length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] as number, cell === '-' ? '-' : ' ')).join(' | ')} |`;
  return all.map(line).join('\n');
}

/** Formats a number with three significant digits and grouped thousands. */
function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
