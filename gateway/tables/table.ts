import { compareNatural, eachAttribute, parseRecord } from '../../scripts/format/dist-format.ts';
import { LINE_END } from '../../scripts/records/csv-cell.ts';
import { type Draft, type Pieces, PiecesBuilder, readNow } from '../http/draft.ts';
import { inSteps, Part, RECORDS_A_STEP, type Steps, TEXTS_A_STEP } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import type { Scalar } from '../query/column.ts';
import type { Field } from '../query/fields.ts';
import type { Translation } from '../query/translation.ts';
import { safeCell, safeText } from './safe-cell.ts';

const COMMA = 0x2c;
const LINE_END_BYTES = Buffer.from(LINE_END);
const EMPTY_CELL = Buffer.from(`""${LINE_END}`);

const tables = new WeakMap<Collection, Table>();

/**
 * Returns the table of a list, which is made for the first request of CSV.
 *
 * @param inOrder returns the keys of the attributes in the order of the dictionary
 */
export function tableOf(list: Collection, inOrder: () => readonly string[]): Table {
  const table = tables.get(list) ?? new Table(list, inOrder());
  tables.set(list, table);
  return table;
}

/** A list of records as lines of CSV. */
export class Table {
  /** The keys of all columns that there can be, those of full records, in order. */
  readonly keys: readonly string[];
  readonly #list: Collection;
  readonly #defaultKeys: Part<readonly string[]>;
  readonly #pieces = new Map<string, Part<Pieces>>();
  readonly #cells = new Map<string, Field>();
  readonly #translated = new WeakMap<Translation, Map<string, Field>>();
  /** The lines of records with the default columns, once they were requested. */
  readonly #lines: Buffer[] = [];

  /** @param inOrder the keys of attributes in the order of the dictionary; attributes that it lacks follow */
  constructor(list: Collection, inOrder: readonly string[]) {
    this.#list = list;
    this.#defaultKeys = new Part(list.count, () => this.#findDefaultKeys());
    const { attributes } = list;
    const others = [...attributes].sort(compareNatural);
    const keys = new Set([...inOrder.filter((key) => attributes.has(key)), ...others]);
    const objects = new Set([...attributes].flatMap(objectsAbove));
    this.keys = [...keys].filter((key) => !objects.has(key));
  }

  /** The keys of the columns that are written unless a request chooses others: those of the records in a list. */
  get defaultKeys(): readonly string[] {
    return this.#defaultKeys.get();
  }

  /**
   * Returns the line with the names of the columns.
   *
   * @param keys some of `keys`, or of those that exist only in a translation; undefined for the default ones
   */
  head(keys: readonly string[] = this.defaultKeys): string {
    return keys.map(safeText).join() + LINE_END;
  }

  /** Returns what writes the line of a row. @param keys as for `head` */
  writer(
    keys: readonly string[] | undefined,
    translation: Translation | undefined,
  ): (draft: Draft, row: number) => void {
    const cells = (keys ?? this.defaultKeys).map((key) => this.#cellOf(key, translation));
    const isDefault = keys === undefined && translation === undefined;
    return isDefault
      ? (draft, row) => this.#writeKept(draft, cells, row)
      : (draft, row) => writeCells(draft, cells, row);
  }

  /** Writes a line with the default columns, which is made once. */
  #writeKept(draft: Draft, cells: readonly Field[], row: number): void {
    const line = this.#lines[row];
    if (line !== undefined) {
      draft.write(line);
      return;
    }
    const before = draft.length;
    writeCells(draft, cells, row);
    this.#lines[row] = Buffer.from(readNow(draft.bytes()).subarray(before));
  }

  /** Returns the writer of a column's cells. */
  #cellOf(key: string, translation: Translation | undefined): Field {
    const isSame = translation === undefined || (this.#isScalar(key) && !translation.translates(key));
    const cells = isSame ? this.#cells : this.#cellsIn(translation);
    let cell = cells.get(key);
    if (cell === undefined) {
      if (!isSame) cell = keepCells(translation.field(key));
      else cell = this.#isScalar(key) ? this.#scalarCell(key) : keepCells(this.#list.field(key));
      cells.set(key, cell);
    }
    return cell;
  }

  #cellsIn(translation: Translation): Map<string, Field> {
    const cells = this.#translated.get(translation) ?? new Map<string, Field>();
    this.#translated.set(translation, cells);
    return cells;
  }

  #isScalar(key: string): boolean {
    return this.#list.columns.get(key)?.list === false;
  }

  #scalarCell(key: string): Field {
    const { values = [], codes = new Int32Array() } = this.#list.columns.get(key) ?? {};
    const part = this.#pieces.get(key) ?? new Part(this.#list.count, () => encodeCells(values));
    this.#pieces.set(key, part);
    const pieces = part.get();
    return (draft, row) => {
      const code = codes[row] ?? 0;
      if (code === -1) return false;
      draft.writePiece(pieces, code);
      return true;
    };
  }

  *#findDefaultKeys(): Steps<readonly string[]> {
    if (!this.#list.isShort) return this.keys;
    const { records } = this.#list;
    const short = new Set<string>();
    yield* inSteps(records.length, RECORDS_A_STEP, (from, to) => {
      for (const json of records.slice(from, to))
        eachAttribute(parseRecord(json), (key, value) => {
          // A list of objects that is empty stays in the roster, and those of other records do not.
          if (!Array.isArray(value) || value.length > 0) short.add(key);
        });
    });
    return this.keys.filter((key) => short.has(key));
  }
}

function* encodeCells(values: readonly Scalar[]): Steps<Pieces> {
  const builder = new PiecesBuilder();
  yield* inSteps(values.length, TEXTS_A_STEP, (from, to) =>
    builder.add(values.slice(from, to).map((value) => safeCell(value))),
  );
  return builder.build();
}

function writeCells(draft: Draft, cells: readonly Field[], row: number): void {
  const before = draft.length;
  for (let at = 0; at < cells.length; at++) {
    if (at > 0) draft.writeByte(COMMA);
    (cells[at] as Field)(draft, row);
  }
  // Readers skip an empty line.
  draft.write(draft.length === before ? EMPTY_CELL : LINE_END_BYTES);
}

/** Returns a writer of cells that reads the JSON of each row once. */
function keepCells(field: Field): Field {
  const cells: (Buffer | undefined)[] = [];
  return (draft, row) => {
    let cell = cells[row];
    if (cell === undefined) {
      const before = draft.length;
      field(draft, row);
      const json = readNow(draft.bytes()).subarray(before).toString();
      draft.truncate(before);
      cell = Buffer.from(json === '' ? '' : safeCell(JSON.parse(json)));
      cells[row] = cell;
    }
    draft.write(cell);
    return cell.length > 0;
  };
}

/** Returns the keys of the objects that an attribute is in: `a.b.c` is in `a` and `a.b`. */
function objectsAbove(key: string): string[] {
  const steps = key.split('.');
  return steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'));
}
