import { COLUMN_TYPES, type ColumnType } from '../findings/read-options.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { isUnsafeInteger, printsAsNumber } from '../lib/number-text.ts';

/** A column: where its cells go in a row, and what they are. */
export interface Column {
  path: string[];
  type: ColumnType;
  /** The position of the first cell that is a number and alone, or with few others, makes the column text by how it is written. */
  odd?: number;
}

const TYPED = new RegExp(`^(.*):(${COLUMN_TYPES.join('|')})$`, 's');

/**
 * Reads the name of a column. `a.b` nests; `name:number` sets the type. Without one a column is numeric only when every value is written
 * the way that number prints.
 *
 * @param cells the column's values
 * @param declared types by column name, for headers that cannot be written
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

/** The first of the fewer cells that are written otherwise, as `1.0` among integers; zeros before make them ids, which are texts. */
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

/** The positions of columns without a name, or which would overwrite one before them: of the same path, or inside its value. */
export function findClashes(columns: Column[]): number[] {
  interface Step {
    steps: Map<string, Step>;
    taken: boolean;
  }
  const root: Step = { steps: new Map(), taken: false };
  return [...columns.keys()].filter((index) => {
    const { path } = columns[index] as Column;
    let at = root;
    let clash = path.includes('');
    for (const name of path) {
      const next: Step = at.steps.get(name) ?? { steps: new Map(), taken: false };
      at.steps.set(name, next);
      clash ||= next.taken;
      at = next;
    }
    clash ||= at.steps.size > 0;
    at.taken = true;
    return clash;
  });
}

/** What a person writes as a number; `0x1F` and ` 5` are none. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** A cell as its column's type; undefined when it is none. Integers that a number cannot hold stay their digits. */
export function readCell(cell: string, type: ColumnType): Json | undefined {
  if (type === 'string') return cell;
  if (type === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : undefined;
  const value = DECIMAL.test(cell) ? Number(cell) : Number.NaN;
  if (!Number.isFinite(value)) return undefined;
  return isUnsafeInteger(cell) ? cell : value;
}

/** Sets a value in a row, making the objects between. */
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
