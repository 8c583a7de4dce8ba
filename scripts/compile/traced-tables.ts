import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import type { Expression } from './expression.ts';

/** A row, or a part of one, that an expression looked up. */
export interface LookedUp {
  table: string;
  /** The part of the table that was searched; undefined for its rows. */
  part: string | undefined;
  key: string;
  value: Json | undefined;
}

/** The properties that JSONata reads from every value to find its type. */
const PROBES: ReadonlySet<string> = new Set(
  'sequence tupleStream keepSingleton outerWrapper cons then toJSON _jsonata_function _jsonata_lambda'.split(
    ' ',
  ),
);

/**
 * The tables of a build behind proxies, which note what an expression looks up in them by key. What the expression names itself (the `en` of
 * `$tables.texts.en`) is part of the place; other names are keys. Who lists a whole table looks up nothing.
 */
export class TracedTables {
  /** The tables by name, for expressions. */
  readonly values: Record<string, Json>;
  #expression: Expression | undefined;
  /** The look-ups of the current row, and the places that were listed. */
  readonly #seen = new Map<string, LookedUp | undefined>();

  constructor(tables: Record<string, Json>) {
    const watched = Object.entries(tables).map(([name, value]) => [
      name,
      isObject(value) ? this.#watch(value, name) : value,
    ]);
    this.values = Object.fromEntries(watched);
  }

  /** Begins to note what an expression looks up for a row. */
  begin(expression: Expression): void {
    this.#expression = expression;
    this.#seen.clear();
  }

  /** Returns the look-ups since `begin`, without repeats. */
  get lookedUp(): LookedUp[] {
    return [...this.#seen.values()].filter((each) => each !== undefined);
  }

  #watch(object: JsonObject, table: string, part?: string): JsonObject {
    const place = part === undefined ? table : `${table}\0${part}`;
    const parts = new Map<string, JsonObject>();
    const get = (name: string): Json | undefined => {
      const value = ownValue(object, name);
      const literals = this.#expression?.literals;
      if (literals === undefined || (value === undefined && PROBES.has(name))) return value;
      if (literals.has(name)) {
        if (part !== undefined || !isObject(value)) return value;
        const known = parts.get(name) ?? this.#watch(value, table, name);
        parts.set(name, known);
        return known;
      }
      const lookup = `${place}\0\0${name}`;
      if (![lookup, place, table].some((each) => this.#seen.has(each)))
        this.#seen.set(lookup, { table, part, key: name, value });
      return value;
    };
    return new Proxy(object, {
      get: (target, name) => (typeof name === 'string' ? get(name) : undefined) ?? Reflect.get(target, name),
      getOwnPropertyDescriptor: (target, name) => {
        if (typeof name === 'string') get(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      ownKeys: (target) => {
        this.#seen.set(place, undefined);
        return Reflect.ownKeys(target);
      },
    });
  }
}
