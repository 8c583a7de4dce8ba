import type { Expression } from './expression.ts';
import type { Read } from './traced-tables.ts';

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

const MAX_KEYS = 3;

type Counter = Join & { keys: string[] };

/**
 * Counts what the expressions of a build looked up in its tables by key, from the reads that are recorded anyway. What an expression names
 * itself (the `en` of `$tables.texts.en`) is part of the place; other names are keys.
 */
export class Joins {
  readonly #counters = new Map<Expression, Map<string, Counter>>();

  /** Counts the reads of an expression for one row. */
  add(expression: Expression, reads: ReadonlySet<Read>): void {
    for (const { path, seen } of reads) {
      const [table = '', first, second] = path;
      if (first === undefined) continue;
      const part = expression.literals.has(first) ? first : undefined;
      const key = part === undefined && second === undefined ? first : part && second;
      if (key !== undefined && !expression.literals.has(key))
        this.#count(expression, { table, part }, key, seen !== undefined);
    }
  }

  /** What an expression looked up, by place. */
  of(expression: Expression): readonly Join[] {
    return [...(this.#counters.get(expression)?.values() ?? [])];
  }

  #count(
    expression: Expression,
    { table, part }: Pick<Join, 'table' | 'part'>,
    key: string,
    isFound: boolean,
  ): void {
    const counters = this.#counters.get(expression) ?? new Map<string, Counter>();
    this.#counters.set(expression, counters);
    const place = part === undefined ? table : `${table}\0${part}`;
    const counter = counters.get(place) ?? { table, part, found: 0, missed: 0, keys: [] };
    counters.set(place, counter);
    if (isFound) counter.found++;
    else counter.missed++;
    if (!isFound && counter.keys.length < MAX_KEYS && !counter.keys.includes(key)) counter.keys.push(key);
  }
}
