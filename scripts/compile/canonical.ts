import type { Json } from '../dist-format.ts';
import { pointerTo, quoteValue } from '../findings.ts';

/** Deeper nesting than this is no data that anybody can read. */
const DEEPEST = 64;

/** A part of a value that JSON cannot hold, by its JSON Pointer inside the value. */
export interface NotJson {
  pointer: string;
  found: string;
}

/**
 * Copies a value into its canonical form: object keys sorted (`id` and `name` first), so that equal values are equal text; absent
 * (undefined) attributes dropped.
 *
 * @returns the value, and what of it JSON cannot hold (infinite numbers, functions, nesting without end), which is left out
 */
export function canonicalise(value: unknown): { value: Json | undefined; problems: NotJson[] } {
  const problems: NotJson[] = [];
  const reject = (pointer: string, found: string): undefined => {
    problems.push({ pointer, found });
    return undefined;
  };

  const copy = (part: unknown, pointer: string, depth: number): Json | undefined => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return part;
    if (typeof part === 'number') return Number.isFinite(part) ? part : reject(pointer, quoteValue(part));
    if (part === undefined) return undefined;
    if (typeof part !== 'object' || '_jsonata_lambda' in part || '_jsonata_function' in part) {
      return reject(pointer, 'a function');
    }
    if (depth === DEEPEST) return reject(pointer, `more than ${DEEPEST} levels of nesting`);
    if (Array.isArray(part)) {
      return part
        .map((element, index) => copy(element, pointerTo(pointer, index), depth + 1))
        .filter((element) => element !== undefined);
    }
    const object = part as Record<string, unknown>;
    const entries = Object.keys(object)
      .sort(compareKeys)
      .map((key): [string, Json | undefined] => [key, copy(object[key], pointerTo(pointer, key), depth + 1)]);
    return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
  };
  return { value: copy(value, '', 0), problems };
}

const FIRST_KEYS = ['name', 'id'];

function compareKeys(a: string, b: string): number {
  return FIRST_KEYS.indexOf(b) - FIRST_KEYS.indexOf(a) || (a < b ? -1 : 1);
}
