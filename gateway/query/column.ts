import { compareNatural } from '../../scripts/format/dist-format.ts';
import { type Pieces, PiecesBuilder } from '../http/draft.ts';
import { inSteps, NUMBERS_A_STEP, Part, type Steps, TEXTS_A_STEP } from '../http/work.ts';

/** The type of a facet's values. */
type FacetType = 'string' | 'number' | 'boolean';
/** A facet's value. */
export type Scalar = string | number | boolean;

/** The rows of each value of a facet. */
export interface Postings {
  values: readonly Scalar[];
  offsets: Int32Array;
  rows: Int32Array;
  present: number;
  codes: Int32Array;
}

/** The values of a facet as they were read, each with its row, ascending; without `rows`, value `n` belongs to row `n`. */
interface Entries {
  values: readonly Scalar[];
  rows: readonly number[] | undefined;
}

/**
 * One facet over all rows of a list. Each value is kept once, in ascending order (numbers by size, texts in natural order, false before
 * true), so a value's position is both its code and its rank. The values are ordered on first use: most facets are never used.
 */
export class Column {
  readonly key: string;
  readonly type: FacetType;
  /** Whether a row may have several values. Rows cannot be sorted by such a facet. */
  readonly list: boolean;

  /** The values in order, and their rows: what the members below read. */
  readonly postings: Part<Postings>;

  readonly #rowCount: number;
  /** Until they are in order. */
  #entries: Entries | undefined;
  #json: Part<Pieces> | undefined;

  constructor(
    key: string,
    { type, list, entries, rowCount }: { type: FacetType; list: boolean; entries: Entries; rowCount: number },
  ) {
    this.key = key;
    this.type = type;
    this.list = list;
    this.#entries = entries;
    this.postings = new Part(rowCount, () => this.#order());
    this.#rowCount = rowCount;
  }

  /** The distinct values, ascending. */
  get values(): readonly Scalar[] {
    return this.postings.get().values;
  }

  /** The rows that have value `code`, ascending, are `rows[offsets[code]] … rows[offsets[code + 1] - 1]`. */
  get offsets(): Int32Array {
    return this.postings.get().offsets;
  }

  get rows(): Int32Array {
    return this.postings.get().rows;
  }

  /** How many rows have the facet. */
  get present(): number {
    return this.postings.get().present;
  }

  /** The code of every row's value, -1 where it has none; meaningless if `list`. */
  get codes(): Int32Array {
    return this.postings.get().codes;
  }

  /** The values as JSON by their codes, made on first use. */
  get json(): Pieces {
    this.#json ??= new Part(this.#rowCount, () => encodeValues(this.values));
    return this.#json.get();
  }

  /** Visits each value with how many rows have it, in any order, without keeping anything in memory for it. A value may come several times. */
  countEach(visit: (value: Scalar, count: number) => void): void {
    if (this.#entries !== undefined) {
      for (const value of this.#entries.values) visit(value, 1);
      return;
    }
    const { values, offsets } = this.postings.get();
    for (const [code, value] of values.entries())
      visit(value, (offsets[code + 1] ?? 0) - (offsets[code] ?? 0));
  }

  *#order(): Steps<Postings> {
    const postings = yield* orderEntries(this.#entries as Entries, this.type, this.#rowCount);
    this.#entries = undefined;
    return postings;
  }
}

/** Collects the values of one facet, row by row, and makes the column. */
export class ColumnBuilder {
  readonly #key: string;
  readonly #values: Scalar[] = [];
  #rows: number[] | undefined;
  #type: FacetType | undefined;
  #list = false;

  constructor(key: string) {
    this.#key = key;
  }

  /** Whether a value has the type of the earlier ones. */
  accepts(value: Scalar): boolean {
    return this.#type === undefined || typeof value === this.#type;
  }

  /**
   * Adds a row's value; rows come in ascending order.
   *
   * @throws Error when its type differs from that of the earlier values, which the dist/ format excludes
   */
  add(row: number, value: Scalar): void {
    const type = typeof value as FacetType;
    this.#type ??= type;
    if (type !== this.#type) throw new Error(`attribute "${this.#key}" has several types`);
    // Most facets have a value in each row: rows are recorded only from the first gap or list on.
    if (this.#rows === undefined && row !== this.#values.length) this.#rows = [...this.#values.keys()];
    this.#rows?.push(row);
    this.#values.push(value);
  }

  /** Adds the values of a row that has a list: each value once. */
  addList(row: number, values: readonly Scalar[]): void {
    this.#list = true;
    for (const value of new Set(values)) this.add(row, value);
  }

  build(rowCount: number): Column {
    return new Column(this.#key, {
      type: this.#type as FacetType,
      list: this.#list,
      entries: { values: this.#values, rows: this.#rows },
      rowCount,
    });
  }
}

function* encodeValues(values: readonly Scalar[]): Steps<Pieces> {
  const builder = new PiecesBuilder();
  yield* inSteps(values.length, TEXTS_A_STEP, (from, to) =>
    builder.add(values.slice(from, to).map((value) => JSON.stringify(value))),
  );
  return builder.build();
}

function* orderEntries(entries: Entries, type: FacetType, rowCount: number): Steps<Postings> {
  const codeOf = new Map<Scalar, number>();
  yield* inSteps(entries.values.length, TEXTS_A_STEP, (from, to) => {
    for (let entry = from; entry < to; entry++) codeOf.set(entries.values[entry] ?? '', 0);
  });
  const values = yield* sortInSteps([...codeOf.keys()], (a, b) => compareScalars(type, a, b));
  yield* inSteps(values.length, TEXTS_A_STEP, (from, to) => {
    for (let code = from; code < to; code++) codeOf.set(values[code] ?? '', code);
  });
  return { values, ...(yield* groupRows(entries, codeOf, rowCount)) };
}

/** @param codeOf the position of each value in order */
function* groupRows(
  entries: Entries,
  codeOf: ReadonlyMap<Scalar, number>,
  rowCount: number,
): Steps<Omit<Postings, 'values'>> {
  const { length } = entries.values;
  const entryCodes = new Int32Array(length);
  const offsets = new Int32Array(codeOf.size + 1);
  yield* inSteps(length, TEXTS_A_STEP, (from, to) => {
    for (let entry = from; entry < to; entry++) {
      const code = codeOf.get(entries.values[entry] ?? '') ?? 0;
      entryCodes[entry] = code;
      offsets[code + 1] = (offsets[code + 1] ?? 0) + 1;
    }
  });
  yield* inSteps(codeOf.size, NUMBERS_A_STEP, (from, to) => {
    for (let code = from; code < to; code++)
      offsets[code + 1] = (offsets[code + 1] ?? 0) + (offsets[code] ?? 0);
  });
  const next = offsets.slice();
  const rows = new Int32Array(length);
  const codes = new Int32Array(rowCount).fill(-1);
  let present = 0;
  yield* inSteps(length, NUMBERS_A_STEP, (from, to) => {
    for (let entry = from; entry < to; entry++) {
      const row = entries.rows?.[entry] ?? entry;
      const code = entryCodes[entry] ?? 0;
      const slot = next[code] ?? 0;
      rows[slot] = row;
      next[code] = slot + 1;
      if (codes[row] === -1) present++;
      codes[row] = code;
    }
  });
  return { offsets, rows, present, codes };
}

/** Returns the code of a value; undefined when no row has it. */
export function findCode({ values, type }: Column, value: Scalar): number | undefined {
  const code = lowerBound(values.length, (at) => compareScalars(type, values[at] ?? '', value) < 0);
  return values[code] === value ? code : undefined;
}

/** Returns how many values are less than `limit` (or equal to it, with `inclusive`): the first code after them. */
export function countBelow({ values }: Column, limit: number, inclusive: boolean): number {
  return lowerBound(values.length, (at) => {
    const value = values[at] as number;
    return value < limit || (inclusive && value === limit);
  });
}

function compareScalars(type: FacetType, a: Scalar, b: Scalar): number {
  return type === 'string' ? compareNatural(a as string, b as string) : Number(a) - Number(b);
}

/** Returns the first position in 0…length for which `isBelow` is false. */
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

/** How many values are sorted in one step: each is compared about ten times. */
const SORTED_A_STEP = 1024;

/** Sorts values (a merge sort whose first runs are sorted by the engine). @returns the sorted values; the given list is used as memory */
export function* sortInSteps<T>(values: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const { length } = values;
  if (length <= SORTED_A_STEP) return values.sort(compare);
  yield* inSteps(length, SORTED_A_STEP, (from, to) => {
    const run = values.slice(from, to).sort(compare);
    for (let at = from; at < to; at++) values[at] = run[at - from] as T;
  });
  let runs = values;
  let merged = new Array<T>(length);
  for (let width = SORTED_A_STEP; width < length; width *= 2) {
    yield* mergeRuns({ runs, merged, width, compare });
    [runs, merged] = [merged, runs];
  }
  return runs;
}

interface Merge<T> {
  /** Sorted runs of `width` values, one after another. */
  runs: readonly T[];
  /** Receives runs of twice the width. */
  merged: T[];
  width: number;
  compare: (a: T, b: T) => number;
}

function* mergeRuns<T>({ runs, merged, width, compare }: Merge<T>): Steps<undefined> {
  const { length } = runs;
  let left = 0;
  let right = width;
  yield* inSteps(length, TEXTS_A_STEP, (from, to) => {
    for (let at = from; at < to; at++) {
      const start = at - (at % (2 * width));
      if (at === start) [left, right] = [start, start + width];
      const middle = Math.min(start + width, length);
      const end = Math.min(start + 2 * width, length);
      const isLeft = right >= end || (left < middle && compare(runs[left] as T, runs[right] as T) <= 0);
      merged[at] = runs[isLeft ? left++ : right++] as T;
    }
  });
}
