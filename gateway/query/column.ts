import { compareNatural } from '../../scripts/dist-format.ts';

/** What a facet's values are. */
export type FacetType = 'string' | 'number' | 'boolean';
/** A facet's value. */
export type Scalar = string | number | boolean;

/**
 * One facet over all rows of a list. Values are kept once each in ascending order (numbers by size, texts in natural order, false
 * before true), so that a value's position is its code and its rank at once.
 */
export interface Column {
  key: string;
  type: FacetType;
  /** Whether a row may have several values. Such a facet cannot be sorted by. */
  list: boolean;
  /** The distinct values, ascending. */
  values: readonly Scalar[];
  /** The rows that have value `code`, ascending, are `rows[offsets[code]] … rows[offsets[code + 1] - 1]`. */
  offsets: Int32Array;
  rows: Int32Array;
  /** How many rows have the facet at all. */
  present: number;
  /** The values as JSON, made when first asked for. */
  readonly texts: readonly string[];
  /** The code of every row's value, -1 where it has none; of no meaning where `list`. */
  codes: Int32Array;
}

/** Gathers the values of one facet, row by row, and makes the column. */
export class ColumnBuilder {
  readonly #key: string;
  readonly #values: Scalar[] = [];
  readonly #rows: number[] = [];
  #list = false;

  constructor(key: string) {
    this.#key = key;
  }

  /**
   * Adds a row's values; rows come in ascending order.
   *
   * @param list whether the record holds them as a list
   */
  add(row: number, values: readonly Scalar[], list: boolean): void {
    this.#list ||= list;
    // A value counts once a row, however often a list repeats it.
    for (const value of list ? new Set(values) : values) {
      this.#values.push(value);
      this.#rows.push(row);
    }
  }

  /** @throws Error when values are of several types, which the format of dist/ rules out */
  build(rowCount: number): Column {
    const distinct = [...new Set(this.#values)];
    const type = typeof distinct[0] as FacetType;
    if (distinct.some((value) => typeof value !== type)) {
      throw new Error(`attribute "${this.#key}" is of several types`);
    }
    distinct.sort(
      type === 'string'
        ? (a, b) => compareNatural(a as string, b as string)
        : (a, b) => Number(a) - Number(b),
    );
    const codeOf = new Map(distinct.map((value, code) => [value, code]));
    const entryCodes = Int32Array.from(this.#values, (value) => codeOf.get(value) as number);

    const offsets = new Int32Array(distinct.length + 1);
    for (const code of entryCodes) offsets[code + 1] = (offsets[code + 1] as number) + 1;
    for (let code = 0; code < distinct.length; code++) {
      offsets[code + 1] = (offsets[code + 1] as number) + (offsets[code] as number);
    }
    const next = offsets.slice();
    const rows = new Int32Array(entryCodes.length);
    const codes = new Int32Array(rowCount).fill(-1);
    let present = 0;
    let lastRow = -1;
    for (const [entry, code] of entryCodes.entries()) {
      const row = this.#rows[entry] as number;
      const slot = next[code] as number;
      rows[slot] = row;
      next[code] = slot + 1;
      if (row !== lastRow) present++;
      lastRow = row;
      codes[row] = code;
    }
    let texts: string[] | undefined;
    return {
      key: this.#key,
      type,
      list: this.#list,
      values: distinct,
      get texts() {
        texts ??= distinct.map((value) => JSON.stringify(value));
        return texts;
      },
      offsets,
      rows,
      present,
      codes,
    };
  }
}

/** The code of a value, undefined where no row has it. */
export function findCode({ values, type }: Column, value: Scalar): number | undefined {
  const code = lowerBound(values.length, (at) => compareScalars(type, values[at] as Scalar, value) < 0);
  return values[code] === value ? code : undefined;
}

/** How many of the values are smaller than `limit` (or equal to it, with `inclusive`): the first code past them. */
export function countBelow({ values }: Column, limit: number, inclusive: boolean): number {
  return lowerBound(values.length, (at) => {
    const value = values[at] as number;
    return value < limit || (inclusive && value === limit);
  });
}

function compareScalars(type: FacetType, a: Scalar, b: Scalar): number {
  return type === 'string' ? compareNatural(a as string, b as string) : Number(a) - Number(b);
}

/** The first position in 0…length for which `isBelow` no longer holds. */
function lowerBound(length: number, isBelow: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
