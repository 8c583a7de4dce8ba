// JSON Schemas (draft 7) that are also types: a document is described once, and `Static` is the type of matching values. In the compiler's own
// schemas, `help` is the text that editors show for a property, and `description` the "expected" of a finding.

declare const type: unique symbol;
/** A JSON Schema of values of type `T`. */
export type Schema<T = unknown> = Readonly<Record<string, unknown>> & { readonly [type]?: T };
/** The type of the values that match a schema. */
export type Static<S> = S extends { readonly [type]?: infer T } ? T : never;
type Keywords = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;
type Members<R, O> = { -readonly [K in keyof R]: Static<R[K]> } & { -readonly [K in keyof O]?: Static<O[K]> };
type Flat<T> = { [K in keyof T]: T[K] };

export const text = (more: Keywords = {}): Schema<string> => ({ type: 'string', ...more });
export const number = (more: Keywords = {}): Schema<number> => ({ type: 'number', ...more });
export const integer = (more: Keywords = {}): Schema<number> => ({ type: 'integer', ...more });
export const boolean = (more: Keywords = {}): Schema<boolean> => ({ type: 'boolean', ...more });
/** One of some values. */
export const oneOf = <const T>(values: readonly T[], more: Keywords = {}): Schema<T> => ({
  enum: values,
  ...more,
});
export const list = <T>(items: Schema<T>, more: Keywords = {}): Schema<T[]> => ({
  type: 'array',
  items,
  ...more,
});
/** An object with any names and values of one type. */
export const map = <T>(values: Schema<T>, more: Keywords = {}): Schema<Record<string, T>> => ({
  type: 'object',
  additionalProperties: values,
  ...more,
});

/** An object with some properties and any others. */
export function open<R extends Properties, O extends Properties = Record<never, never>>(
  required: R,
  optional?: O,
  more: Keywords = {},
): Schema<Flat<Members<R, O>>> {
  const names = Object.keys(required);
  const properties = { ...required, ...optional };
  return { type: 'object', ...(names.length > 0 && { required: names }), properties, ...more };
}

/** An object with some properties and no others. */
export function object<R extends Properties, O extends Properties = Record<never, never>>(
  required: R,
  optional?: O,
  more: Keywords = {},
): Schema<Flat<Members<R, O>>> {
  return open(required, optional, { additionalProperties: false, ...more });
}

/** A value that matches one of some schemas. */
export const anyOf = <S extends readonly Schema[]>(
  forms: S,
  more: Keywords = {},
): Schema<Static<S[number]>> => ({ anyOf: forms, ...more });
/** A value of a type, or another one. Unlike with `anyOf`, findings name the mismatch in it. */
export const either = <A, B>(
  name: 'object' | 'array',
  one: Schema<A>,
  other: Schema<B>,
  more: Keywords = {},
): Schema<A | B> => ({
  if: { type: name },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: one,
  else: other,
  ...more,
});
export const nothing: Schema<null> = { type: 'null' };
