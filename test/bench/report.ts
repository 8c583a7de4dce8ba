import type { BenchRow, Pair } from './bench-row.ts';

/** The result of a row. */
export interface RowResult {
  name: string;
  beside: string;
  target: BenchRow['target'];
  /** The median, minimum and maximum of `ours / beside` over the pairs. */
  ratio: Spread;
  /** The median of the ratios by the clock instead of processor time, if that was measured. */
  byClock?: number;
  unit?: string;
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
export function summarise({ name, beside, target, unit }: BenchRow, pairs: Pair[]): RowResult {
  const ratios = pairs.map((pair) => pair.ours / pair.beside);
  const ratio = { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target;
  const keys = Object.keys(pairs[0]?.detail ?? {});
  const rates = pairs.flatMap(({ detail: { oursByClock, besideByClock } = {} }) =>
    oursByClock === undefined || besideByClock === undefined ? [] : [oursByClock / besideByClock],
  );
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
    ...(unit === undefined ? {} : { unit }),
    ...(rates.length === 0 ? {} : { byClock: median(rates) }),
    isMet: ratio.median >= atLeast && ratio.median <= atMost,
    pairs,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

const HEAD = ['what', 'beside', 'ratio', 'least – most', 'aim', 'figures', 'by the clock', 'before'];

function describeAim({ atLeast, atMost }: RowResult['target']): string {
  if (atLeast === undefined) return `≤ ${atMost} ×`;
  return atMost === undefined ? `≥ ${atLeast} ×` : `${atLeast} – ${atMost} ×`;
}

/**
 * The results as a Markdown table that is also readable on a terminal.
 *
 * @param before the ratio that the table had before, by what and beside
 */
export function formatTable(results: readonly RowResult[], before: ReadonlyMap<string, string>): string {
  const rows = results.map((result) => {
    const { name, beside, target, ratio, isMet } = result;
    const aim = describeAim(target);
    return [
      name,
      beside,
      `${format(ratio.median)} ×`,
      `${format(ratio.least)} – ${format(ratio.most)}`,
      isMet ? aim : `${aim}, not met`,
      describeFigures(result),
      result.byClock === undefined ? '' : `${format(result.byClock)} ×`,
      before.get(keyOf(name, beside)) ?? '',
    ];
  });
  return layOut([HEAD, HEAD.map(() => '-'), ...rows]);
}

/** What a row measured, whatever was smaller in one run. */
function keyOf(name: string, beside: string): string {
  return `${name.replace(/ \(here: .*\)$/, '')} | ${beside}`;
}

/** The ratios of a table that was formatted before, by what and beside. */
export function readRatios(table: string): Map<string, string> {
  const rows = table
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '').trim()));
  return new Map(rows.map(([name = '', beside = '', ratio = '']) => [keyOf(name, beside), ratio]));
}

function describeFigures({ ours, theirs, unit, detail }: RowResult): string {
  if (detail.oursCpu !== undefined) return `${format(detail.oursCpu)} : ${format(detail.besideCpu ?? 0)} µs`;
  if (unit === 'bytes') return `${format(ours / 1e6)} : ${format(theirs / 1e6)} MB`;
  return `${format(ours)} : ${format(theirs)}${unit === undefined ? '' : ` ${unit}`}`;
}

function layOut(rows: readonly string[][]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] as number, cell === '-' ? '-' : ' ')).join(' | ')} |`;
  return rows.map(line).join('\n');
}

/** Formats a number with three significant digits and grouped thousands. */
function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
