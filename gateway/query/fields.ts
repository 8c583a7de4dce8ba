import type { Json, JsonObject } from '../../scripts/format/dist-format.ts';

/** Returns one attribute of a row as JSON; empty when the row does not have it. */
export type Field = (row: number) => string;

/** Chosen attributes as the object that they form: `stats.atk, name` is `{stats: {atk}, name}`. */
export type Projection = {
  name: string;
  /** `"name":` */
  opening: string;
  value: Projection | Field;
}[];

/** Makes a projection onto attributes. @param fieldOf returns an attribute by its dotted key */
export function projectionOf(keys: readonly string[], fieldOf: (key: string) => Field): Projection {
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

/** Returns the projection of a row as JSON; empty when the row has none of the attributes. */
export function project(projection: Projection, row: number): string {
  let json = '';
  for (const { opening, value } of projection) {
    const member = typeof value === 'function' ? value(row) : project(value, row);
    if (member !== '') json += (json === '' ? '{' : ',') + opening + member;
  }
  return json === '' ? '' : `${json}}`;
}

/** Returns the value of a dotted key in a record; undefined if it has none. */
export function valueAt(record: JsonObject, key: string): Json | undefined {
  let value: Json | undefined = record;
  for (const step of key.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step))
      return undefined;
    value = value[step];
  }
  return value;
}
