import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import type { Expression } from './expression.ts';

/** How often an expression found what it looked up in one place of the tables. Each key counts once for each row. */
export interface Join {
  table: string;
  /** The part of the table where it looked; undefined for its rows. */
  part: string | undefined;
  found: number;
  missed: number;
  /** The first keys that were missed, each once. */
  keys: readonly string[];
}

type Counter = Join & { keys: string[] };

/** A row, or a part of one, that an expression looked up. */
export interface LookedUp extends Pick<Join, 'table' | 'part'> {
  key: string;
  value: Json | undefined;
}

const MAX_KEYS = 3;

/** What JSONata looks up in every value to find out what it is. */
const PROBES: ReadonlySet<string> = new Set([
  'sequence',
  'tupleStream',
  'keepSingleton',
  'outerWrapper',
  'cons',
  'then',
  'toJSON',
  '_jsonata_function',
  '_jsonata_lambda',
]);

/**
 * The tables of a build behind proxies, which count what expressions look up in them by key. What an expression names itself (the `en` of
 * `$tables.texts.en`) is part of the place; other names are keys. Who lists a whole table looks up nothing.
 */
export class Joins {
  /** The tables by name, for expressions. */
  readonly values: Record<string, Json>;
  readonly #counters = new Map<Expression, Map<string, Counter>>();
  #expression: Expression | undefined;
  /** What was looked up for the row, and the places that were listed. */
  readonly #seen = new Map<string, LookedUp | undefined>();

  constructor(tables: Record<string, Json> = {}) {
    this.values = Object.fromEntries(
      Object.entries(tables).map(([name, value]) => [
        name,
        isObject(value) ? this.#watch(value, name) : value,
      ]),
    );
  }

  /** Begins to count for an expression and a row; without an expression nothing is counted. */
  begin(expression?: Expression): void {
    this.#expression = expression;
    this.#seen.clear();
  }

  /** What an expression looked up, by place. */
  of(expression: Expression): readonly Join[] {
    return [...(this.#counters.get(expression)?.values() ?? [])];
  }

  /** What was looked up since `begin`, each once. */
  get lookedUp(): LookedUp[] {
    return [...this.#seen.values()].filter((each) => each !== undefined);
  }

  #watch(object: JsonObject, table: string, part?: string): JsonObject {
    const place = part === undefined ? table : `${table}\0${part}`;
    const parts = new Map<string, JsonObject>();
    const get = (name: string): Json | undefined => {
      const value = ownValue(object, name);
      const expression = this.#expression;
      if (expression === undefined || (value === undefined && PROBES.has(name))) return value;
      if (!expression.literals.has(name)) this.#count(expression, { table, part, key: name, value }, place);
      else if (part === undefined && isObject(value)) {
        const known = parts.get(name) ?? this.#watch(value, table, name);
        parts.set(name, known);
        return known;
      }
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

  #count(expression: Expression, looked: LookedUp, place: string): void {
    const { table, part, key, value } = looked;
    const lookup = `${place}\0\0${key}`;
    if (this.#seen.has(lookup) || this.#seen.has(place) || this.#seen.has(table)) return;
    this.#seen.set(lookup, looked);
    const counters = this.#counters.get(expression) ?? new Map<string, Counter>();
    this.#counters.set(expression, counters);
    const counter = counters.get(place) ?? { table, part, found: 0, missed: 0, keys: [] };
    counters.set(place, counter);
    if (value !== undefined) counter.found++;
    else counter.missed++;
    if (value === undefined && counter.keys.length < MAX_KEYS && !counter.keys.includes(key))
      counter.keys.push(key);
  }
}
