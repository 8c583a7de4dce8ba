import path from 'node:path';
import { coverList } from '../check/coverage.ts';
import { type Evaluation, plainEvaluation, selectRows } from '../compile/evaluate-rows.ts';
import { compileExpression, type Expression } from '../compile/expression.ts';
import { compileMappings, type MappedRows, type Mapping } from '../compile/mapping.ts';
import { findWrapped } from '../dump/find-tables.ts';
import { describeFields, describeShape, shapeOf } from '../dump/table-shape.ts';
import { BoundedFindings } from '../findings/bounded-findings.ts';
import type { Finding } from '../findings/findings.ts';
import { type Steps, UNWATCHED } from '../findings/steps.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import { jsonataEngine } from '../jsonata/load-engine.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';
import { findBuildFiles } from '../read/build-files.ts';
import { type GameSource, readGame } from '../read/read-game.ts';
import type { BuildTables } from '../read/read-tables.ts';
import { type CoverageChoice, renderCollection } from '../report/render-coverage.ts';
import { countFindings, locateFindings, renderFindings } from '../report/report.ts';

/** What to evaluate, and on which tables. */
export interface Trial {
  data: string;
  slug: string;
  /** The expression; undefined to evaluate `mapped`, or to describe the tables. */
  text: string | undefined;
  /** `characters` or the key of a dataset, to evaluate its mapping in game.json. */
  mapped?: string;
  /** The newest if undefined. */
  build?: string;
  /** The table for whose rows the expression is evaluated; undefined for all tables at once. */
  from?: string;
  row?: string;
  limit: number;
  /** Which attributes of all results are listed. */
  coverage: CoverageChoice;
}

/** The outcome of a trial. */
export interface TrialResult {
  /** For standard output. */
  printed?: string;
  /** For standard error. */
  messages: string[];
  failure?: { message: string; exitCode: number };
}

/**
 * Evaluates an expression on the tables of one build of a game.
 *
 * @returns the outcome; a CommandError becomes a `failure`, which can be sent between processes
 */
export async function tryExpression(trial: Trial, steps = UNWATCHED): Promise<TrialResult> {
  const messages: string[] = [];
  try {
    const { printed, errors } = await evaluateTrial(trial, steps, (text) => messages.push(text));
    const failure = { message: `${countOf(errors, 'error')} found in the tables`, exitCode: 1 };
    return { printed, messages, ...(errors > 0 && { failure }) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { messages, failure: { message: error.message, exitCode: error.exitCode } };
  }
}

/** @returns the text to print, and the number of errors in the tables: readable tables are used in spite of errors */
async function evaluateTrial(
  trial: Trial,
  steps: Steps,
  report: (text: string) => void,
): Promise<{ printed: string; errors: number }> {
  const { game, tables, errors } = await readBuildTables(trial, steps, report);
  const { text, mapped } = trial;
  if (text === undefined && mapped === undefined) return { printed: `${describeTables(tables)}\n`, errors };
  const subject =
    mapped === undefined ? parseTrial(trial, tables, game) : await findMapped(mapped, tables, game, report);
  if (!('from' in subject) && trial.row !== undefined)
    throw new CommandError(`${mapped} comes from one expression over all tables: leave out --row`, 2);
  const findings: Finding[] = [];
  const evaluation = plainEvaluation(tables, steps);
  const value =
    'from' in subject
      ? await evaluateRows(subject, tables, evaluation, trial, findings, report)
      : await evaluateOnce(subject.expression, evaluation, findings);
  await stopAtErrors(findings, report);
  if (value !== undefined) return { printed: `${JSON.stringify(value, null, 2)}\n`, errors };
  report('nothing: the expression selects nothing here\n');
  return { printed: '', errors };
}

/** Reads the tables of one build. Errors in its files are reported, and readable tables are used. */
async function readBuildTables(
  { data, slug, build }: Trial,
  steps: Steps,
  report: (text: string) => void,
): Promise<{ game: GameSource; tables: BuildTables; errors: number }> {
  const { value: game, findings } = await readGame(path.posix.join(data, slug), slug);
  const newest = game?.builds.at(-1);
  if (game === undefined || newest === undefined) {
    await stopAtErrors(findings, report);
    throw new CommandError(`${data}/${slug} has no build that can be read`);
  }
  const names = game.builds.map((source) => source.build);
  if (build !== undefined && !names.includes(build))
    throw new CommandError(`no build ${build} of ${slug}; it has ${names.join(', ')}`, 2);
  for await (const files of findBuildFiles(game, steps)) {
    if (files.source.build !== (build ?? newest.build)) continue;
    const { value: tables, findings: ofTables } = await files.read();
    for (const { value } of tables.tables.values()) jsonataEngine().guardTable(value);
    const ofFiles = [...files.findings, ...ofTables];
    if (ofFiles.length > 0) report(`${renderFindings(await locateFindings(ofFiles))}\n`);
    return { game, tables, errors: countFindings(ofFiles).errors };
  }
  throw new Error(`no files of ${slug} ${build}`);
}

/** What to evaluate: expressions for each row (a roster also has `record`), or one expression for all tables. */
type Subject = (MappedRows & { record?: Expression }) | { expression: Expression };

function parseTrial({ text = '', from, row }: Trial, tables: BuildTables, game: GameSource): Subject {
  const place = { file: 'the expression', pointer: '', line: 1 };
  const outcome = compileExpression(text, place, jsonataEngine());
  if ('finding' in outcome) {
    const { place, found, expected } = outcome.finding;
    throw new CommandError(`line ${place.line} of the expression: ${found}; expected ${expected}`);
  }
  const table = from ?? (row === undefined ? undefined : rosterTable(tables, game));
  return table === undefined ? { expression: outcome.value } : { from: table, place, entry: outcome.value };
}

/** Returns the mapping of the roster or a dataset for the build. */
async function findMapped(
  name: string,
  { source }: BuildTables,
  game: GameSource,
  report: (text: string) => void,
): Promise<Subject> {
  const { value: mappings, findings } = compileMappings(game, jsonataEngine());
  await stopAtErrors(findings, report);
  const { roster, datasets } = mappings.get(source.definition) as Mapping;
  const subject = name === 'characters' ? roster : datasets.get(name);
  if (subject) return subject;
  const known = [...(roster ? ['characters'] : []), ...datasets.keys()].join(', ') || 'nothing';
  throw new CommandError(
    `${game.folder}/game.json maps no ${name} for build ${source.build}; it maps ${known}`,
    2,
  );
}

function rosterTable({ source }: BuildTables, { folder }: GameSource): string {
  const from = source.definition.roster?.from.table;
  if (from !== undefined) return from;
  throw new CommandError(`${folder}/game.json maps no roster: pass the table of the row with --from`, 2);
}

async function evaluateOnce(
  expression: Expression,
  { values, evaluate }: Evaluation,
  findings: Finding[],
): Promise<Json | undefined> {
  return await evaluate(expression, values, { tables: values }, expression.place, findings);
}

/** Evaluates all rows of a table, or one. Returns the first results by the keys of the rows. */
async function evaluateRows(
  rows: MappedRows & { record?: Expression },
  tables: BuildTables,
  evaluation: Evaluation,
  { row, limit, coverage }: Trial,
  findings: Finding[],
  report: (text: string) => void,
): Promise<Json | undefined> {
  const { from, entry, record } = rows;
  if (!tables.tables.has(from)) {
    const known = [...tables.tables.keys()].join(', ') || 'none';
    throw new CommandError(`no table ${from} in build ${tables.source.build}; it has ${known}`, 2);
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
    throw new CommandError(`no row "${row}"${selected} in table ${from} of build ${tables.source.build}`);
  }
  if (findings.length === 0 && row === undefined)
    report(describeResults(from, [...results.values()], coverage));
  if (evaluated > limit)
    report(`${limit} of ${countOf(evaluated, 'row')} of ${from}; for more, pass --limit\n`);
  return results.size > 0 ? Object.fromEntries([...results].slice(0, limit)) : undefined;
}

/** What the results of all rows have, if they are records. */
function describeResults(from: string, results: readonly Json[], coverage: CoverageChoice): string {
  const records = results.filter(isObject);
  if (records.length === 0 || coverage === 'none') return '';
  return `${renderCollection(coverList({ list: from, records }), coverage)
    .join('\n')
    .trimStart()}\n`;
}

async function stopAtErrors(findings: Finding[], report: (text: string) => void): Promise<void> {
  const { errors } = countFindings(findings);
  if (errors === 0) return;
  const grouped = new BoundedFindings();
  grouped.add(findings);
  report(`${renderFindings(await locateFindings(grouped.list()))}\n`);
  throw new CommandError(`${countOf(errors, 'error')} found`);
}

function describeTables({ source, tables, served }: BuildTables): string {
  const lines = [...tables].map(([name, { value }]) => describeTable(name, value));
  const datasets = [...served].map(([name, { value }]) => describeTable(name, value));
  return [
    `build ${source.build}, released at ${source.released_at}`,
    ...(lines.length > 0 ? ['tables:', ...lines] : ['no tables: game.json declares none']),
    ...(datasets.length > 0 ? ['files without a table, served unchanged:', ...datasets] : []),
  ].join('\n');
}

function describeTable(name: string, value: Json): string {
  const shape = shapeOf(value);
  const fields = describeFields(shape);
  const inner = shape.kind === 'object' ? findWrapped(value).map(({ at }) => at) : [];
  const within = inner.length > 0 ? `; records at ${inner.join(', ')}` : '';
  return `  ${name}: ${describeShape(shape)}${within}${fields ? `\n    ${fields}` : ''}`;
}
