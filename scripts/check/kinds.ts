import type { Json } from '../format/dist-format.ts';

type Type = 'number' | 'text' | 'boolean' | 'object' | 'list';

/** The kind of a value: its type, or, of a list, the types of its elements, in order of their names. */
export interface Kind {
  list: boolean;
  types: Type[];
}

/** The kind of a value; undefined for null and a list without values, which have none. Null in a list is no value. */
export function kindOf(value: Json): Kind | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return { list: false, types: [typeOf(value)] };
  const types = new Set(value.filter((element) => element !== null).map(typeOf));
  return types.size === 0 ? undefined : { list: true, types: [...types].sort() };
}

function typeOf(value: Exclude<Json, null>): Type {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

const CODES: Readonly<Record<Type, number>> = { number: 1, text: 2, boolean: 3, object: 4, list: 5 };
const LIST_CODE = 8;
/** The code of a list whose elements are of several types. */
export const MIXED_KINDS = 16;

/** The kind of a value as a number, which is the same for equal kinds; 0 for null and a list without values, which have none. */
export function kindCode(value: Json): number {
  if (value === null) return 0;
  if (!Array.isArray(value)) return CODES[typeOf(value)];
  let code = 0;
  for (const element of value) {
    if (element === null) continue;
    const elementCode = LIST_CODE + CODES[typeOf(element)];
    if (code !== 0 && elementCode !== code) return MIXED_KINDS;
    code = elementCode;
  }
  return code;
}

/** Whether two kinds are the same; each has exactly one type. */
export function equalKinds(a: Kind, b: Kind): boolean {
  return a.list === b.list && a.types[0] === b.types[0];
}

/** The text for a kind in messages: `a number`, `a list of texts`. */
export function describeKind({ list, types }: Kind): string {
  if (list) return `a list of ${types.map((type) => `${type}s`).join(' and ')}`;
  return types[0] === 'object' ? 'an object' : `a ${types[0]}`;
}
