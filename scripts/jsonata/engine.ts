import type jsonata from 'jsonata';

/** What the package `jsonata` exports: it parses an expression. */
export type Jsonata = typeof jsonata;

/** A parsed expression that returns its value, where JSONata's own returns a promise of it. */
export interface SynchronousExpression extends Omit<jsonata.Expression, 'evaluate'> {
  /** @throws what JSONata's promise is rejected with; where several parts fail, the error of the first */
  evaluate(input: unknown, bindings?: Record<string, unknown>): unknown;
}

/** JSONata as mappings are evaluated with it. Code that evaluates gets one passed in; `load-engine.ts` makes it. */
export interface Engine {
  /** Why the package is used as it is published, as a note for people; undefined where it is rewritten. */
  readonly note: string | undefined;
  /**
   * Parses an expression for `isSynchronous` ones. Functions registered with it must not return a promise. Undefined where the package
   * is used as it is published.
   */
  parseSynchronous?(text: string): SynchronousExpression;
  /** Parses an expression whose evaluation is a promise. */
  parse(text: string, options?: jsonata.JsonataOptions): jsonata.Expression;
  /**
   * JSONata's own `$toMillis`.
   *
   * @returns the number of milliseconds, undefined where the picture does not match, or a promise of either
   * @throws what JSONata throws, or rejects with it
   */
  toMillis(time: string | undefined, picture: string | undefined): unknown;
  /** Prepares a table before expressions read it: an evaluation that would change the table then fails instead. */
  guardTable(table: unknown): void;
}
