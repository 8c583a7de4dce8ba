import { type Steps, UNWATCHED } from '../findings/steps.ts';
import { type Json, ownValue } from '../format/dist-format.ts';
import type { BuildTables } from '../read/read-tables.ts';
import { type Evaluation, plainEvaluation } from './evaluate-rows.ts';
import type { Expression } from './expression.ts';
import { Joins } from './joins.ts';
import { SameValues } from './same-values.ts';
import { type Read, TracedTables } from './traced-tables.ts';

/** The value of an expression, and everything that it depends on. */
interface Result {
  row: Json | undefined;
  reads: ReadonlySet<Read>;
  value: Json | undefined;
}

/** Results by expression and by the key of the row. */
type Results = Map<Expression, Map<unknown, Result>>;

/**
 * Evaluates the expressions of a game's builds, one build after the other. If a row and everything that is joined to it did not change, the
 * result of the build before is used again.
 */
export class Evaluations {
  readonly #steps: Steps;
  readonly #same = new SameValues();
  #before: Results = new Map();
  #now: Results = new Map();
  #values: Record<string, Json> = {};

  constructor(steps = UNWATCHED) {
    this.#steps = steps;
  }

  /** The evaluation of the next build. Builds share its results: they must not be changed. */
  of(tables: BuildTables): Evaluation {
    this.#before = this.#now;
    this.#now = new Map();
    const plain = plainEvaluation(tables, this.#steps);
    const traced = new TracedTables(plain.values);
    const { values } = traced;
    const joins = new Joins();
    const before = this.#values;
    this.#values = plain.values;
    /** What data are made of is read once, so it is in no record of reads. */
    const areSame = (names: Iterable<string>) =>
      [...names].every((name) => this.#same.compare(ownValue(before, name), ownValue(plain.values, name)));
    return {
      values,
      joins,
      evaluate: (expression, context, bindings, place, findings) => {
        const row = context === values ? undefined : (context as Json);
        const { key } = bindings;
        const { sharedData } = expression;
        if (sharedData) expression.prepare(bindings);
        const isStale =
          sharedData && !areSame(sharedData.tables ?? Object.keys({ ...before, ...plain.values }));
        const evaluated = isStale ? undefined : this.#before.get(expression)?.get(key);
        if (evaluated && this.#same.compare(evaluated.row, row) && traced.hold(evaluated.reads, this.#same)) {
          this.#keep(expression, key, evaluated);
          joins.add(expression, evaluated.reads);
          return evaluated.value;
        }
        const findingsBefore = findings.length;
        traced.begin();
        const value = plain.evaluate(expression, context, bindings, place, findings);
        const { reads } = traced;
        if (reads) joins.add(expression, reads);
        // A result with a finding is not kept: the finding names this build.
        if (reads && findings.length === findingsBefore) this.#keep(expression, key, { row, reads, value });
        return value;
      },
    };
  }

  #keep(expression: Expression, key: unknown, result: Result): void {
    const results = this.#now.get(expression) ?? new Map<unknown, Result>();
    this.#now.set(expression, results);
    results.set(key, result);
  }
}
