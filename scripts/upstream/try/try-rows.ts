import type { CoverageChoice } from '../../check/coverage.ts';
import { type Evaluation, selectRows } from '../../compile/compile-build.ts';
import type { Expression } from '../../compile/expression.ts';
import { compileMappings, type MappedRows, tableOfRows } from '../../compile/mapping.ts';
import type { Finding } from '../../findings.ts';
import { isObject, type Json } from '../../format/dist-format.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import type { GameSource } from '../../read/game.ts';
import type { BuildTables } from '../../read/tables.ts';
import { coverList, renderCollection } from '../../report/coverage.ts';
import type { Trial } from './trial.ts';

/** Replaces the id of a record by the key of the row that it is made of, if no row has that key. */
export async function withKeyOfRow(
  trial: Trial,
  rows: MappedRows,
  tables: BuildTables,
  game: GameSource,
  evaluation: Evaluation,
): Promise<Trial> {
  const value = tableOfRows(rows, tables)?.value;
  if (trial.row === undefined || !(isObject(value) || Array.isArray(value))) return trial;
  if (Object.hasOwn(value, trial.row)) return trial;
  const mapping = compileMappings(game).value.get(tables.source.definition);
  const mapped = [...(mapping?.roster ? [mapping.roster] : []), ...(mapping?.datasets.values() ?? [])];
  for (const candidate of [rows, ...mapped]) {
    if (!('from' in candidate) || candidate.from !== rows.from) continue;
    for await (const { key, row, bindings, place } of selectRows(candidate, tables, [], evaluation)) {
      const record = await evaluation.evaluate(candidate.entry, row, bindings, place, []);
      if (isObject(record) && String(record.id) === trial.row) return { ...trial, row: key };
    }
  }
  return trial;
}

/** Evaluates all rows of a table, or one. Returns the first results by the keys of the rows. */
export async function evaluateRows(
  rows: MappedRows & { record?: Expression },
  tables: BuildTables,
  evaluation: Evaluation,
  { row, limit, coverage }: Trial,
  findings: Finding[],
  report: (text: string) => void,
): Promise<Json | undefined> {
  const { from, entry, record } = rows;
  if (tableOfRows(rows, tables) === undefined) {
    const names = [...tables.tables.keys()].join(', ') || 'none';
    throw new CommandError(`no table ${from} in build ${tables.source.build}; it has ${names}`, 2);
  }
  const results = new Map<string, Json>();
  let evaluated = 0;
  for await (const selected of selectRows(rows, tables, findings, evaluation)) {
    if (row !== undefined && selected.key !== row) continue;
    evaluated++;
    const evaluateRow = (expression: Expression) =>
      evaluation.evaluate(expression, selected.row, selected.bindings, selected.place, findings);
    const value = await evaluateRow(entry);
    const more = record && (await evaluateRow(record));
    const whole = isObject(value) && isObject(more) ? { ...value, ...more } : value;
    if (whole !== undefined) results.set(selected.key, whole);
  }
  if (row !== undefined && evaluated === 0 && findings.length === 0) {
    const selected = rows.where ? ' that "where" selects' : '';
    throw new CommandError(
      `no row "${row}"${selected} in table ${from} of build ${tables.source.build}, nor a record with that id`,
    );
  }
  if (findings.length === 0 && row === undefined)
    report(await describeResults(from, [...results.values()], coverage));
  if (evaluated > limit)
    report(`${limit} of ${countOf(evaluated, 'row')} of ${from}; for more, pass --limit\n`);
  return results.size > 0 ? Object.fromEntries([...results].slice(0, limit)) : undefined;
}

/** What the results of all rows have, if they are records. */
async function describeResults(
  from: string,
  results: readonly Json[],
  choice: CoverageChoice,
): Promise<string> {
  const records = results.filter(isObject);
  if (records.length === 0 || choice === 'none') return '';
  const lines = renderCollection(coverList({ list: from, records }), choice);
  return `${lines.join('\n').trimStart()}\n`;
}
