import type { Json, JsonObject } from '../format/dist-format.ts';
import type { Example } from './rule.ts';

/**
 * An example with a mapping that makes the dataset `items`.
 *
 * @param items the mapping, as in game.json
 * @param tables the rows of each table; those that have an `id` are keyed by it
 */
export function mappingExample(items: Json, tables: Record<string, JsonObject[]>): Example {
  const names = Object.entries(tables);
  const files = names.map(([name, rows]): [string, Json] => [`1.0/raw/${name}.json`, rows]);
  const definitions = names.map(([name, rows]): [string, Json] => {
    const path = `raw/${name}.json`;
    return [name, rows.some(({ id }) => id !== undefined) ? { files: path, key: 'id' } : path];
  });
  return {
    'game.json': { title: 'Game', tables: Object.fromEntries(definitions), datasets: { items } },
    ...Object.fromEntries(files),
  };
}
