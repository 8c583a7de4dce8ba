import { causeOf, type Finding, type Place, quoteValue } from '../findings/findings.ts';
import { UNWATCHED } from '../findings/steps.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import type { BuildTables } from '../read/read-tables.ts';
import { canonicalise } from './canonical.ts';
import { describePlace, type Expression, ExpressionError } from './expression.ts';
import type { Joins } from './joins.ts';
import type { MappedRows } from './mapping.ts';
import { findUnkeyed, tableOfRows } from './union-table.ts';

/** A row that a mapping keeps, and the variables for its expressions. */
interface SelectedRow {
  key: string;
  row: Json;
  place: Place;
  bindings: Record<string, unknown>;
}

/** How expressions are evaluated on the tables of a build. */
export interface Evaluation {
  /** The tables by name, as expressions see them. */
  values: Record<string, Json>;
  evaluate: typeof evaluate;
  /** What expressions looked up in the tables, if that is recorded. */
  joins?: Joins;
}

/** How many rows a mapping saw, and how many its `where` kept. */
export interface Selection {
  rows: number;
  kept: number;
}

/** Evaluates every expression each time, and reports each expression as a step when it is begun. */
export function plainEvaluation(tables: BuildTables, steps = UNWATCHED): Evaluation {
  let last: Expression | undefined;
  return {
    values: tableValues(tables),
    evaluate(expression, context, bindings, place, findings) {
      if (expression !== last) steps.beginStep(`evaluating ${describePlace(expression)}`, expression.place);
      last = expression;
      return evaluate(expression, context, bindings, place, findings);
    },
  };
}

/** The rows of a mapping's table that its `where` keeps. Failures are added to `findings`, and rows are counted in `selection`. */
export function* selectRows(
  mapping: MappedRows,
  tables: BuildTables,
  findings: Finding[],
  evaluation: Evaluation,
  selection: Selection = { rows: 0, kept: 0 },
): Generator<SelectedRow> {
  const table = tableOfRows(mapping, tables);
  // An absent table is either optional or has its finding already.
  if (table === undefined) return;
  if (!isObject(table.value) && !Array.isArray(table.value)) {
    findings.push(
      shapeFinding(
        table.place,
        quoteValue(table.value),
        `rows: table "${table.name}" must be a list or an object`,
      ),
    );
    return;
  }
  findings.push(...findUnkeyed(mapping, tables));
  for (const [key, row] of Object.entries<Json>(table.value)) {
    const bindings = { key, tables: evaluation.values };
    const place = table.placeOfRow(key);
    selection.rows++;
    if (mapping.where) {
      const isSelected = evaluation.evaluate(mapping.where, row, bindings, place, findings);
      if (isSelected !== true && isSelected !== false && isSelected !== undefined) {
        findings.push(resultFinding(mapping.where, place, quoteValue(isSelected), 'true or false'));
      }
      if (isSelected !== true) continue;
    }
    selection.kept++;
    yield { key, row, place, bindings };
  }
}

/** All tables of a build by name, as expressions see them. */
function tableValues({ tables }: BuildTables): Record<string, Json> {
  return Object.fromEntries([...tables].map(([name, { value }]) => [name, value]));
}

/** Evaluates an expression that must return an object; if it does not, adds a finding and returns undefined. */
export function evaluateRecord(
  expression: Expression,
  row: Json,
  bindings: Record<string, unknown>,
  place: Place,
  findings: Finding[],
  evaluation: Evaluation,
): JsonObject | undefined {
  const before = findings.length;
  const value = evaluation.evaluate(expression, row, bindings, place, findings);
  if (isObject(value)) return value;
  if (findings.length === before)
    findings.push(resultFinding(expression, place, quoteValue(value), 'an object'));
  return undefined;
}

/** Evaluates an expression to a canonical JSON value. A failure is a finding at `place`. */
function evaluate(
  expression: Expression,
  context: unknown,
  bindings: Record<string, unknown>,
  place: Place,
  findings: Finding[],
): Json | undefined {
  try {
    const { value, problems } = canonicalise(expression.evaluate(context, bindings));
    for (const { pointer, found } of problems) {
      findings.push(
        resultFinding(expression, place, `${found} at "${pointer}" of the result`, 'JSON values'),
      );
    }
    return value;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    findings.push(
      resultFinding(expression, place, error.message, 'an expression that works for this row', error),
    );
    return undefined;
  }
}

function resultFinding(
  expression: Expression,
  place: Place,
  found: string,
  expected: string,
  { line, helper }: Partial<Pick<ExpressionError, 'line' | 'helper'>> = {},
): Finding {
  const of = describePlace(expression, line);
  const fix = `correct ${helper ? `${describePlace({ place: helper })}, which ${of} calls` : of}`;
  const cause = `${fix} ${causeOf(found)}`;
  const { tables } = expression;
  return {
    ...{ check: 'expression-result', severity: 'error', place, found, expected, fix, cause },
    ...(tables && { tables: [...tables] }),
  };
}

/** A finding about a value of the wrong shape. */
export function shapeFinding(place: Place, found: string, expected: string): Finding {
  return { check: 'shape', severity: 'error', place, found, expected };
}
