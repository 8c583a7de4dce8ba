import { quoteValue } from '../findings/findings.ts';
import type { Json, JsonObject } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';

/** How many levels of objects and lists a value may have. */
const MAX_DEPTH = 64;

/** A part of a value that JSON cannot hold, by its JSON Pointer inside the value. */
export interface NotJson {
  pointer: string;
  found: string;
}

/**
 * Copies a value into its canonical form, in which equal values are equal text: keys are sorted (`id` and `name` first), and undefined
 * attributes are left out.
 *
 * @returns the value, and the parts that are left out because JSON cannot hold them: infinite numbers, functions, too many levels
 */
export function canonicalise(value: unknown): { value: Json | undefined; problems: NotJson[] } {
  const problems: NotJson[] = [];
  // The path of the current part. A pointer is only made of it for a problem.
  const steps: (string | number)[] = [];
  const reject = (found: string): undefined => {
    problems.push({ pointer: pointerTo('', ...steps), found });
    return undefined;
  };
  const copyBelow = (step: string | number, part: unknown): Json | undefined => {
    steps.push(step);
    const copied = copy(part);
    steps.pop();
    return copied;
  };
  const copy = (part: unknown): Json | undefined => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return part;
    if (typeof part === 'number') return Number.isFinite(part) ? part : reject(quoteValue(part));
    if (part === undefined) return undefined;
    if (typeof part !== 'object' || '_jsonata_lambda' in part || '_jsonata_function' in part) {
      return reject('a function');
    }
    if (steps.length === MAX_DEPTH) return reject(`more than ${MAX_DEPTH} levels of nesting`);
    if (Array.isArray(part)) {
      return part
        .map((element, index) => copyBelow(index, element))
        .filter((element) => element !== undefined);
    }
    const object = part as Record<string, unknown>;
    return buildObject(sortKeys(object), (key) => copyBelow(key, object[key]));
  };
  return { value: copy(value), problems };
}

/** Sorts the keys of an object whose attributes are canonical already. */
export function sortAttributes(object: JsonObject): JsonObject {
  return buildObject(sortKeys(object), (key) => object[key]);
}

const FIRST_KEYS = ['id', 'name'];

function sortKeys(object: object): string[] {
  const keys = Object.keys(object).sort();
  const first = FIRST_KEYS.filter((key) => Object.hasOwn(object, key));
  return first.length === 0 ? keys : [...first, ...keys.filter((key) => !FIRST_KEYS.includes(key))];
}

function buildObject(keys: string[], valueAt: (key: string) => Json | undefined): JsonObject {
  const object: JsonObject = {};
  for (const key of keys) {
    const value = valueAt(key);
    if (value === undefined) continue;
    // An assignment to `__proto__` would set the prototype.
    if (key !== '__proto__') object[key] = value;
    else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return object;
}
