import { isObject, type Json } from '../../format/dist-format.ts';
import { CommandError } from '../../system.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';

/** A part of a large file that becomes a file of its own. */
export interface RawPart {
  /** A JSON Pointer to it. A step `*` stands for all members, whose rows are put together. Absent: all of the file. */
  at?: string;
  /** Makes a file of each group of rows that have the same value in this column, or of each row by its key (`$key`). */
  each?: string;
}

/** The column that stands for the key of a row. */
const KEY = '$key';
/** What may be in the name of a file. */
const STEM = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

/**
 * Divides the value of a large JSON file into files.
 *
 * @param parts by the path of the new file, in which `*` stands for the value of `each`
 * @returns the values of the new files, by path
 * @throws CommandError if the value has no such part, or a file would have no usable name
 */
export function splitValue(
  value: Json,
  file: string,
  parts: Readonly<Record<string, RawPart>>,
): Map<string, Json> {
  const files = new Map<string, Json>();
  for (const [target, { at = '', each }] of Object.entries(parts)) {
    const part = valueAt(value, at);
    if (part === undefined)
      throw new CommandError(
        `${file} has nothing at "${at}", which "parts" in "source" names: upstream has another shape now; look at the file, and correct "parts" in game.json`,
      );
    if (each === undefined) files.set(target, part);
    else for (const [stem, rows] of groupRows(part, each, file)) files.set(target.replace('*', stem), rows);
  }
  return files;
}

/** The value at a JSON Pointer, in which `*` gathers the rows of all members; undefined if there is none. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  const steps = pointerSteps(pointer);
  for (const [index, step] of steps.entries()) {
    if (step === '*') return gather(value, pointerTo('', ...steps.slice(index + 1)));
    if (!(isObject(value) || Array.isArray(value)) || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, Json>)[step] ?? null;
  }
  return value;
}

function gather(value: Json, rest: string): Json | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  const members = Object.values<Json>(value).flatMap((member): Json | Json[] => valueAt(member, rest) ?? []);
  return members.length > 0 ? members : undefined;
}

function groupRows(rows: Json, column: string, file: string): Map<string, Json> {
  const groups = new Map<string, Json>();
  const entries = isObject(rows) || Array.isArray(rows) ? Object.entries<Json>(rows) : [];
  for (const [key, row] of entries) {
    const stem = column === KEY ? key : isObject(row) ? row[column] : undefined;
    if ((typeof stem !== 'string' && typeof stem !== 'number') || !STEM.test(String(stem)))
      throw new CommandError(
        `a row of ${file} has ${JSON.stringify(stem) ?? 'nothing'} as "${column}", which cannot be the name of a file: correct "each" of "parts" in game.json`,
      );
    if (column === KEY) groups.set(key, row);
    else if (Array.isArray(rows)) (groupOf(groups, String(stem), () => []) as Json[]).push(row);
    else (groupOf(groups, String(stem), () => ({})) as Record<string, Json>)[key] = row;
  }
  return groups;
}

function groupOf(groups: Map<string, Json>, stem: string, make: () => Json): Json {
  const group = groups.get(stem) ?? make();
  groups.set(stem, group);
  return group;
}
