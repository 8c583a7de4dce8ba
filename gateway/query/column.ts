import { compareNatural } from '../../scripts/format/dist-format.ts';
import { foldTexts } from './fold.ts';

type FacetType = 'string' | 'number' | 'boolean';
export type Scalar = string | number | boolean;

/** The distinct values of a facet, ascending. The code of a row is the position of its value. */
interface Coded {
  values: readonly Scalar[];
  /** The code of each value. */
  codeOf: ReadonlyMap<Scalar, number>;
  /** -1 for a row without a value; for a list, the code of its last value. */
  codes: Int32Array;
  /** The codes of row `r` of a list are `items[starts[r]] … items[starts[r + 1] - 1]`. */
  starts: Int32Array;
  items: Int32Array;
  /** The number of rows with each value. */
  counts: Int32Array;
  /** The number of rows with any value. */
  present: number;
}

const NUMERIC = /^-?\d+(\.\d+)?$/;
const COLLATOR = new Intl.Collator('und', { numeric: true });
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * A facet over all rows of a list. Numbers are ordered by size, texts in natural order, false before true; so a value's code is also its rank. Values
 * are added row by row, and sorted at their first use: most facets are never used.
 */
export class Column {
  readonly key: string;
  /** The type of all values. */
  type: FacetType = 'string';
  /** Whether rows may have several values. A list cannot be sorted by such a facet. */
  list = false;
  /** The number of rows, once all values are added. */
  #rowCount = 0;
  /** The values in the order in which they were added, each with its row, ascending; without rows, value `n` belongs to row `n`. */
  #added: Scalar[] = [];
  #rows: number[] | undefined;
  /** The JSON of each row whose value is a list or null. */
  readonly #texts = new Map<number, string>();
  #coded: Coded | undefined;
  #json: readonly string[] | undefined;
  #folded: readonly string[] | undefined;
  #ranks: Int32Array | undefined;
  #byCode: { rows: Int32Array; ends: Int32Array } | undefined;
  #times: Float64Array | null | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Whether a value has the type of the earlier ones. */
  accepts(value: Scalar): boolean {
    return this.#added.length === 0 || typeof value === this.type;
  }

  /**
   * Adds a row's value; rows must ascend.
   *
   * @throws Error when its type differs from earlier values, which the dist/ format forbids
   */
  add(row: number, value: Scalar): void {
    if (!this.accepts(value)) throw new Error(`attribute "${this.key}" has several types`);
    this.type = typeof value as FacetType;
    // Most facets have a value in every row, so rows are recorded only after the first gap or list.
    if (this.#rows === undefined && row !== this.#added.length) this.#rows = [...this.#added.keys()];
    this.#rows?.push(row);
    this.#added.push(value);
  }

  /** Adds each distinct value of a row's list. @param json the value in the record: a list, or null */
  addList(row: number, values: readonly Scalar[], json?: string): void {
    if (json !== undefined) this.#texts.set(row, json);
    if (values.length > 0) this.list = true;
    for (const value of new Set(values)) this.add(row, value);
  }

  /** Ends the column when all values are added. @returns whether there are any: null and empty lists are none */
  end(rowCount: number): boolean {
    this.#rowCount = rowCount;
    return this.#added.length > 0;
  }

  get coded(): Coded {
    if (this.#coded === undefined) {
      this.#coded = encode(this.#added, this.#rows, this.type, this.#rowCount, this.list);
      [this.#added, this.#rows] = [[], undefined];
    }
    return this.#coded;
  }

  /** The distinct values, ascending. */
  get values(): readonly Scalar[] {
    return this.coded.values;
  }

  /** The code of every row, -1 without a value; meaningless if `list`. */
  get codes(): Int32Array {
    return this.coded.codes;
  }

  /** The number of rows with a value. */
  get present(): number {
    return this.coded.present;
  }

  /** The values as JSON by their codes. */
  get json(): readonly string[] {
    this.#json ??= this.values.map((value) => JSON.stringify(value));
    return this.#json;
  }

  /** Returns the JSON of a row's value; empty where it has none. */
  jsonOf(row: number): string {
    return this.#texts.get(row) ?? this.json[this.codes[row] ?? -1] ?? '';
  }

  /** The values in the form that search compares, by code. */
  get folded(): readonly string[] {
    this.#folded ??= foldTexts(this.values.map(String));
    return this.#folded;
  }

  /** The position of each code in a sort. Texts are in ICU order, which ignores case and accents at first. */
  get ranks(): Int32Array {
    this.#ranks ??= rank(this);
    return this.#ranks;
  }

  /** The values in ms since 1970 by code; undefined unless all are dates or times. */
  get times(): Float64Array | undefined {
    if (this.#times === undefined)
      this.#times =
        this.type === 'string' && this.values.every((value) => TIME.test(value as string))
          ? Float64Array.from(this.values, (value) => readTime(value as string) ?? Number.NaN)
          : null;
    return this.#times ?? undefined;
  }

  /** Returns the rows with a code from `from` to below `to`; ascending for a single code. A row of a list may appear several times. */
  rowsIn(from: number, to: number): Int32Array {
    this.#byCode ??= sortRows(this.coded, this.list);
    const { rows, ends } = this.#byCode;
    return rows.subarray(from === 0 ? 0 : ends[from - 1], to === 0 ? 0 : ends[to - 1]);
  }
}

function encode(
  added: readonly Scalar[],
  rows: readonly number[] | undefined,
  type: FacetType,
  rowCount: number,
  isList: boolean,
): Coded {
  const codeOf = new Map<Scalar, number>();
  for (const value of added) codeOf.set(value, 0);
  const values = [...codeOf.keys()].sort((a, b) =>
    type === 'string' ? compareNatural(a as string, b as string) : Number(a) - Number(b),
  );
  for (const [code, value] of values.entries()) codeOf.set(value, code);
  const items = Int32Array.from(added, (value) => codeOf.get(value) ?? 0);
  const codes = new Int32Array(rowCount).fill(-1);
  const counts = new Int32Array(values.length);
  const starts = new Int32Array(isList ? rowCount + 1 : 0);
  let present = 0;
  for (let at = 0; at < items.length; at++) {
    const row = rows === undefined ? at : (rows[at] ?? 0);
    const code = items[at] ?? 0;
    if (codes[row] === -1) present++;
    codes[row] = code;
    counts[code] = (counts[code] ?? 0) + 1;
    if (isList) starts[row + 1] = (starts[row + 1] ?? 0) + 1;
  }
  for (let row = 0; row < starts.length - 1; row++)
    starts[row + 1] = (starts[row + 1] ?? 0) + (starts[row] ?? 0);
  return { values, codeOf, codes, starts, items, counts, present };
}

/** Sorts the rows by code; `ends` has the end of each code's rows. */
function sortRows({ codes, counts, starts, items }: Coded, isList: boolean) {
  let sum = 0;
  const next = counts.map((count) => {
    sum += count;
    return sum - count;
  });
  const rows = new Int32Array(sum);
  for (let row = 0; row < codes.length; row++) {
    const end = isList ? (starts[row + 1] ?? 0) : row + 1;
    for (let at = isList ? (starts[row] ?? 0) : row; at < end; at++) {
      const code = (isList ? items[at] : codes[row]) ?? -1;
      if (code === -1) continue;
      const place = next[code] ?? 0;
      rows[place] = row;
      next[code] = place + 1;
    }
  }
  return { rows, ends: next };
}

function rank({ type, key, values }: Column): Int32Array {
  const ranks = Int32Array.from(values.keys());
  const texts = values as readonly string[];
  if (type !== 'string' || key === 'id' || texts.every((text) => NUMERIC.test(text))) return ranks;
  const codes = [...ranks].sort((a, b) => COLLATOR.compare(texts[a] ?? '', texts[b] ?? '') || a - b);
  for (const [place, code] of codes.entries()) ranks[code] = place;
  return ranks;
}

/** Reads a date or time as ms since 1970, in UTC unless it names a zone; undefined for anything else. */
export function readTime(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const time = Date.parse(text.includes('T') && match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** Returns how many values are below `limit` (or equal to it, if `inclusive`): also the first code above them. */
export function countBelow({ values }: Column, limit: number, inclusive: boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = values[middle] as number;
    if (value < limit || (inclusive && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}
