import { isObject, type Json, type JsonObject, ownValue } from '../../scripts/format/dist-format.ts';

/** Returns an attribute of a row as JSON; empty if the row lacks it. */
export type ReadField = (row: number) => string;

/** Chosen attributes in the shape of their object: `stats.atk, name` is `{stats: {atk}, name}`. */
export type Projection = {
  name: string;
  /** `"name":` */
  opening: string;
  value: Projection | ReadField;
}[];

/** Makes a projection onto attributes. @param fieldOf returns an attribute by its dotted key */
export function projectionOf(keys: readonly string[], fieldOf: (key: string) => ReadField): Projection {
  const projection: Projection = [];
  for (const key of keys) {
    let level = projection;
    const steps = key.split('.');
    for (const [depth, step] of steps.entries()) {
      let attribute = level.find(({ name }) => name === step);
      if (attribute === undefined) {
        attribute = { name: step, opening: `${JSON.stringify(step)}:`, value: [] };
        level.push(attribute);
      }
      if (depth === steps.length - 1) attribute.value = fieldOf(key);
      // This key or an earlier one selects the whole object.
      if (typeof attribute.value === 'function') break;
      level = attribute.value;
    }
  }
  return projection;
}

/** Returns the projection of a row as JSON; empty if the row has none of the attributes. */
export function project(projection: Projection, row: number): string {
  let json = '';
  for (const { opening, value } of projection) {
    const member = typeof value === 'function' ? value(row) : project(value, row);
    if (member !== '') json += (json === '' ? '{' : ',') + opening + member;
  }
  return json === '' ? '' : `${json}}`;
}

/** @param key dotted, or its steps */
export function valueAt(record: JsonObject, key: string | readonly string[]): Json | undefined {
  let value: Json | undefined = record;
  for (const step of typeof key === 'string' ? key.split('.') : key)
    value = isObject(value) ? ownValue(value, step) : undefined;
  return value;
}

/** Reduces an object, or the objects in a list, to some attributes. @param keys dotted keys */
export function pick(value: Json, keys: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => pick(item, keys));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    if (keys.includes(name)) return [[name, member]];
    const inner = keys.flatMap((key) => (key.startsWith(`${name}.`) ? key.slice(name.length + 1) : []));
    return inner.length > 0 ? [[name, pick(member, inner)]] : [];
  });
  return Object.fromEntries(entries);
}
