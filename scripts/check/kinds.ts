import type { Json } from '../format/dist-format.ts';

type Type = 'number' | 'text' | 'boolean' | 'object' | 'list' | 'null';

/** What a value is: one thing of a type, or a list of things of these types, in order of their names. */
export interface Kind {
  list: boolean;
  types: Type[];
}

/** The kind of a value; undefined where it tells none (null, an empty list). */
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

/** Whether two kinds of one type each are the same. */
export function equalKinds(a: Kind, b: Kind): boolean {
  return a.list === b.list && a.types[0] === b.types[0];
}

/** A kind as a message names it: `a number`, `a list of texts`. */
export function describeKind({ list, types }: Kind): string {
  if (list) return `a list of ${types.map((type) => `${type}s`).join(' and ')}`;
  return types[0] === 'object' ? 'an object' : `a ${types[0]}`;
}
