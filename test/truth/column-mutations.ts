import type { Json } from '../../scripts/format/dist-format.ts';
import { type ColumnMutation, sample, shuffle, valuesOf } from './mutation.ts';
import { type Cell, type RawColumn, read, remove, replace } from './raw-tables.ts';

type Random = () => number;

/** Replaces every number; what is no number stays. */
function numbers(column: RawColumn, change: (value: number, at: number) => Json): boolean {
  for (const [at, cell] of column.cells.entries()) {
    const value = read(cell);
    if (typeof value === 'number') replace(cell, change(value, at));
  }
  return true;
}

function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

/** Gives every cell the value of another one. */
function reorder({ cells }: RawColumn, values: readonly Json[]): boolean {
  for (const [at, cell] of cells.entries()) replace(cell, values[at] as Json);
  return true;
}

function each(cells: readonly Cell[], change: (value: Json) => Json): boolean {
  for (const cell of cells) replace(cell, change(read(cell)));
  return true;
}

function neighbours(column: RawColumn): boolean {
  const values = valuesOf(column);
  return reorder(column, [...values.slice(1), values[0] as Json]);
}

function rename(column: RawColumn): boolean {
  for (const cell of column.cells) {
    if (Array.isArray(cell.holder)) return false;
    const value = read(cell);
    remove(cell);
    cell.holder[`${cell.key}_v2`] = value;
  }
  return true;
}

const all = { records: 8, first: false } as const;
const few = { records: 3, first: false } as const;

/** Mutations of numbers: stats, rates, costs. */
export const NUMBER_MUTATIONS: readonly ColumnMutation[] = [
  {
    name: 'ten times too high',
    of: 'numbers',
    ...all,
    apply: (column) => numbers(column, (value) => value * 10),
  },
  {
    name: 'a hundred times too high',
    of: 'numbers',
    ...all,
    apply: (column) => numbers(column, (value) => value * 100),
  },
  {
    name: 'ten times too low',
    of: 'numbers',
    ...all,
    apply: (column) => numbers(column, (value) => rounded(value / 10)),
  },
  {
    name: 'a tenth higher',
    of: 'numbers',
    ...all,
    apply: (column) => numbers(column, (value) => rounded(value * 1.1)),
  },
  {
    name: 'one higher',
    of: 'numbers',
    ...all,
    apply: (column) => numbers(column, (value) => rounded(value + 1)),
  },
  { name: 'negative', of: 'numbers', ...all, apply: (column) => numbers(column, (value) => -value) },
  { name: 'zero', of: 'numbers', ...all, apply: (column) => numbers(column, () => 0) },
  { name: 'one value for all', of: 'numbers', ...all, apply: (column) => numbers(column, () => 77) },
  { name: 'null', of: 'numbers', ...all, apply: (column) => numbers(column, () => null) },
  {
    name: 'texts with separators',
    of: 'numbers',
    ...all,
    apply: (column) => numbers(column, (value) => `${value},0`),
  },
  { name: 'decimals lost', of: 'numbers', ...all, apply: loseDecimals },
  {
    name: 'random numbers',
    of: 'numbers',
    ...all,
    apply: (column, random) => numbers(column, (value) => rounded(value * (0.5 + random()))),
  },
  {
    name: 'shuffled',
    of: 'numbers',
    ...all,
    apply: (column, random) => reorder(column, shuffle(valuesOf(column), random)),
  },
  { name: 'those of the next row', of: 'numbers', ...all, apply: neighbours },
  { name: 'attribute renamed', of: 'numbers', ...all, apply: rename },
  {
    name: 'attribute removed',
    of: 'numbers',
    ...all,
    first: true,
    apply: ({ cells }) => onEach(cells, remove),
  },
  {
    name: 'ten times too high in a tenth',
    of: 'numbers',
    ...few,
    apply: (column, random) => inTenth(column, random, (value) => value * 10),
  },
  {
    name: '999999 in a tenth',
    of: 'numbers',
    ...few,
    apply: (column, random) => inTenth(column, random, () => 999_999),
  },
  {
    name: '-1 in a tenth',
    of: 'numbers',
    ...few,
    apply: (column, random) => inTenth(column, random, () => -1),
  },
  {
    name: 'removed in a tenth',
    of: 'numbers',
    ...few,
    apply: ({ cells }, random) => onEach(sample(cells, 0.1, random), remove),
  },
  {
    name: 'a million times too high in one',
    of: 'numbers',
    records: 1,
    first: false,
    apply: (column, random) => {
      const [cell] = shuffle(column.cells, random);
      return cell !== undefined && each([cell], (value) => Number(value) * 1e6);
    },
  },
];

function onEach(cells: readonly Cell[], act: (cell: Cell) => void): boolean {
  for (const cell of cells) act(cell);
  return true;
}

function inTenth(column: RawColumn, random: Random, change: (value: number) => number): boolean {
  return each(sample(column.cells, 0.1, random), (value) =>
    typeof value === 'number' ? change(value) : value,
  );
}

function loseDecimals(column: RawColumn): boolean {
  const decimals = valuesOf(column).filter((value) => typeof value === 'number' && !Number.isInteger(value));
  return decimals.length >= 10 && numbers(column, (value) => Math.trunc(value));
}

/** Mutations of texts or small numbers that few values occur of: an element, a rarity. */
export const CATEGORY_MUTATIONS: readonly ColumnMutation[] = [
  {
    name: 'category shuffled',
    of: 'categories',
    ...all,
    apply: (column, random) => reorder(column, shuffle(valuesOf(column), random)),
  },
  { name: 'category of the next row', of: 'categories', ...all, apply: neighbours },
  { name: 'category renamed', of: 'categories', ...few, apply: renameCategory },
  {
    name: 'one category for all',
    of: 'categories',
    ...all,
    apply: ({ cells }) => each(cells, () => read(cells[0] as Cell)),
  },
  {
    name: 'category never seen in a tenth',
    of: 'categories',
    ...few,
    apply: ({ cells }, random) =>
      each(sample(cells, 0.1, random), (value) => (typeof value === 'number' ? 97 : 'Zzyx')),
  },
  {
    name: 'category removed',
    of: 'categories',
    ...all,
    first: true,
    apply: ({ cells }) => onEach(cells, remove),
  },
  {
    name: 'category in other letters',
    of: 'categories',
    ...all,
    apply: ({ cells }) =>
      typeof read(cells[0] as Cell) === 'string' && each(cells, (value) => swapCase(String(value))),
  },
  {
    name: 'category counted from another number',
    of: 'categories',
    ...all,
    apply: (column) =>
      typeof read(column.cells[0] as Cell) === 'number' && numbers(column, (value) => value + 1),
  },
];

function renameCategory(column: RawColumn): boolean {
  const [value] = valuesOf(column);
  return each(column.cells, (other) =>
    other === value ? (typeof other === 'number' ? 98 : `${other}Two`) : other,
  );
}

function swapCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}
