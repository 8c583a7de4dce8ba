import { isObject, type Json, type JsonObject } from '../dist-format.ts';
import { COLUMN_TYPES, type ColumnType } from './read-options.ts';

/** A column: where its cells go in a row, and what they are. */
export interface Column {
  path: string[];
  type: ColumnType;
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
  return { path: plain.split('.'), type: type ?? (isNumeric(cells) ? 'number' : 'string') };
}

function isNumeric(cells: string[]): boolean {
  let some = false;
  for (const cell of cells) {
    if (cell === '') continue;
    const value = Number(cell);
    if (String(value) !== cell || !Number.isFinite(value)) return false;
    if (/^-?\d+$/.test(cell) && !Number.isSafeInteger(value)) return false;
    some = true;
  }
  return some;
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
  return /^-?\d+$/.test(cell) && !Number.isSafeInteger(value) ? cell : value;
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
