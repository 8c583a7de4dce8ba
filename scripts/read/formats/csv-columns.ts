import { COLUMN_TYPES, type ColumnType } from '../../findings/read-options.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { isUnsafeInteger, printsAsNumber } from '../../lib/number-text.ts';

/** A column: the path of its cells in a record, and their type. */
export interface Column {
  path: string[];
  type: ColumnType;
  /** Set when a few numbers in another notation make a numeric column text: the index of the first one. */
  odd?: number;
}

const TYPED = new RegExp(`^(.*):(${COLUMN_TYPES.join('|')})$`, 's');

/**
 * Reads the name of a column. `a.b` nests; `name:number` sets the type. A column without a type is numeric only when every value is written
 * as JavaScript prints that number.
 *
 * @param cells the column's values
 * @param declared types by column name, for headers that cannot be edited
 */
export function readColumn(name: string, cells: string[], declared: Record<string, ColumnType>): Column {
  const typed = TYPED.exec(name.trim());
  const plain = typed?.[1] ?? name.trim();
  const type = (typed?.[2] as ColumnType) ?? (Object.hasOwn(declared, plain) ? declared[plain] : undefined);
  const path = plain.split('.');
  if (type !== undefined) return { path, type };
  if (isNumeric(cells)) return { path, type: 'number' };
  const odd = findOddNumber(cells);
  return { path, type: 'string', ...(odd !== undefined && { odd }) };
}

function isNumeric(cells: string[]): boolean {
  return cells.every((cell) => cell === '' || printsAsNumber(cell)) && cells.some((cell) => cell !== '');
}

/** Returns the index of the first number in another notation than most cells (`1.0` among integers). Numbers with leading zeros are ids. */
function findOddNumber(cells: string[]): number | undefined {
  let plain = 0;
  const odd: number[] = [];
  for (const [index, cell] of cells.entries()) {
    if (cell === '') continue;
    if (printsAsNumber(cell)) plain++;
    else if (DECIMAL.test(cell) && !/^[+-]?0\d/.test(cell) && !isUnsafeInteger(cell)) odd.push(index);
    else return undefined;
  }
  return odd.length < plain ? odd[0] : undefined;
}

/** Returns the positions of columns without a name, and of columns whose path equals an earlier one or is inside its value. */
export function findClashes(columns: Column[]): number[] {
  interface Step {
    steps: Map<string, Step>;
    used: boolean;
  }
  const root: Step = { steps: new Map(), used: false };
  return columns.flatMap(({ path }, index) => {
    let at = root;
    let clash = path.includes('');
    for (const name of path) {
      const next: Step = at.steps.get(name) ?? { steps: new Map(), used: false };
      at.steps.set(name, next);
      clash ||= next.used;
      at = next;
    }
    clash ||= at.steps.size > 0;
    at.used = true;
    return clash ? [index] : [];
  });
}

/** A decimal number; `0x1F` and ` 5` are not accepted. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Reads a cell as its column's type; undefined when it does not match. Integers that a number cannot hold exactly become strings. */
export function readCell(cell: string, type: ColumnType): Json | undefined {
  if (type === 'string') return cell;
  if (type === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : undefined;
  const value = DECIMAL.test(cell) ? Number(cell) : Number.NaN;
  if (!Number.isFinite(value)) return undefined;
  return isUnsafeInteger(cell) ? cell : value;
}

/** Sets a value at a path in a record, and makes the objects on the way. */
export function setAt(row: JsonObject, path: string[], value: Json): void {
  let object = row;
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    const below = Object.hasOwn(object, step) ? object[step] : undefined;
    const next: Json = last ? value : isObject(below) ? below : {};
    // A plain assignment to `__proto__` would not make a property.
    if (step !== '__proto__') object[step] = next;
    else
      Object.defineProperty(object, step, {
        value: next,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    if (!last) object = next as JsonObject;
  }
}
