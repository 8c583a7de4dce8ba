import type jsonata from 'jsonata';

/** What the package `jsonata` exports: it parses an expression. */
export type Jsonata = typeof jsonata;

/** A parsed expression that returns its value; JSONata's own returns a promise. */
export interface SynchronousExpression extends Omit<jsonata.Expression, 'evaluate'> {
  /** @throws what JSONata's promise rejects with; if several parts fail, the error of the first */
  evaluate(input: unknown, bindings?: Record<string, unknown>): unknown;
}

/** The JSONata that evaluates mappings. `load-engine.ts` makes it, and it is passed to the code that evaluates. */
export interface Engine {
  /** A message that says why the package is used as published, although a faster engine is installed. */
  readonly note: string | undefined;
  /**
   * Parses an expression that `isSynchronous` accepts. Functions registered with it must not return promises. Undefined if the package is
   * used as published.
   */
  parseSynchronous?(text: string): SynchronousExpression;
  /** Parses an expression whose evaluation is a promise. */
  parse(text: string, options?: jsonata.JsonataOptions): jsonata.Expression;
  /**
   * JSONata's own `$toMillis`.
   *
   * @returns the number of milliseconds; undefined if the picture does not match; or a promise of either
   * @throws what JSONata throws; or the promise rejects with it
   */
  toMillis(time: string | undefined, picture: string | undefined): unknown;
  /** Prepares a table before expressions read it: an evaluation that would change the table then fails. */
  guardTable(table: unknown): void;
}
