import type { Json } from '../format/dist-format.ts';

type Type = 'number' | 'text' | 'boolean' | 'object' | 'list' | 'null';

/** The kind of a value: its type, or, of a list, the types of its elements, in order of their names. */
export interface Kind {
  list: boolean;
  types: Type[];
}

/** The kind of a value; undefined for null and an empty list, which have none. */
export function kindOf(value: Json): Kind | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return { list: false, types: [typeOf(value)] };
  if (value.length === 0) return undefined;
  return { list: true, types: [...new Set(value.map(typeOf))].sort() };
}

function typeOf(value: Json): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return typeof value as 'number' | 'boolean' | 'object';
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
