import path from 'node:path';
import { countFindings, locateFindings, renderFindings } from '../../check/report.ts';
import { type Evaluation, plainEvaluation, selectRows } from '../../compile/compile-build.ts';
import { type Expression, compileExpression } from '../../compile/expression.ts';
import {
  type MappedRows,
  type Mapping,
  type TableNames,
  compileGameHelpers,
  compileMappings,
  tableOfRows,
  tablesOfRows,
} from '../../compile/mapping.ts';
import { BoundedFindings, type Finding, type Steps, UNWATCHED } from '../../findings.ts';
import { type Json, isObject } from '../../format/dist-format.ts';
import { type GameSource, readGame } from '../../read/game.ts';
import { type BuildTables, findBuildFiles } from '../../read/tables.ts';
import { type CoverageChoice, coverList, renderCollection } from '../../check/coverage.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { describeShape, shapeOf, wrappedIn } from '../new/tables.ts';

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
  /** The folder with copies of files that builds name by reference. */
  upstream?: string;
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
    mapped === undefined
      ? await parseTrial(trial, tables, game, report)
      : await findMapped(mapped, tables, game, report);
  if (!('from' in subject) && trial.row !== undefined)
    throw new CommandError(`${mapped} comes from one expression over all tables: leave out --row`, 2);
  const findings: Finding[] = [];
  const evaluation = plainEvaluation(tables, steps);
  const value =
    'from' in subject
      ? await evaluateRows(
          subject,
          tables,
          evaluation,
          await withKeyOfRow(trial, subject, tables, game, evaluation),
          findings,
          report,
        )
      : await evaluateOnce(subject.expression, evaluation, findings);
  await stopAtErrors(findings, report);
  if (value !== undefined) return { printed: `${JSON.stringify(value, null, 2)}\n`, errors };
  report('nothing: the expression selects nothing here\n');
  return { printed: '', errors };
}

/** Reads the tables of one build. Errors in its files are reported, and readable tables are used. */
export async function readBuildTables(
  { data, slug, build, upstream }: Pick<Trial, 'data' | 'slug' | 'build' | 'upstream'>,
  steps: Steps,
  report: (text: string) => void,
): Promise<{ game: GameSource; tables: BuildTables; errors: number }> {
  const { value: game, findings } = await readGame(path.posix.join(data, slug), slug, upstream);
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
    const ofFiles = [...files.findings, ...ofTables];
    if (ofFiles.length > 0) report(`${renderFindings(await locateFindings(ofFiles))}\n`);
    return { game, tables, errors: countFindings(ofFiles).errors };
  }
  throw new Error(`no files of ${slug} ${build}`);
}

/** What to evaluate: expressions for each row (a roster also has `record`), or one expression for all tables. */
type Subject = (MappedRows & { record?: Expression }) | { expression: Expression };

async function parseTrial(
  { text = '', from, row }: Trial,
  tables: BuildTables,
  game: GameSource,
  report: (text: string) => void,
): Promise<Subject> {
  const place = { file: 'the expression', pointer: '', line: 1 };
  const { value: helpers, findings } = compileGameHelpers(game);
  await stopAtErrors(findings, report);
  const outcome = compileExpression(text, place, helpers);
  if ('finding' in outcome) {
    const { place, found, expected } = outcome.finding;
    throw new CommandError(`line ${place.line} of the expression: ${found}; expected ${expected}`);
  }
  const table =
    from === undefined ? (row === undefined ? undefined : rosterTables(tables, game)) : { from, others: [] };
  return table === undefined ? { expression: outcome.value } : { ...table, place, entry: outcome.value };
}

/** Returns the mapping of the roster or a dataset for the build. */
async function findMapped(
  name: string,
  { source }: BuildTables,
  game: GameSource,
  report: (text: string) => void,
): Promise<Subject> {
  const { value: mappings, findings } = compileMappings(game);
  await stopAtErrors(findings, report);
  const { roster, datasets } = mappings.get(source.definition) as Mapping;
  const subject = name === 'characters' ? roster : datasets.get(name);
  if (subject) return subject;
  const names = [...(roster ? ['characters'] : []), ...datasets.keys()].join(', ') || 'nothing';
  throw new CommandError(
    `${game.folder}/game.json maps no ${name} for build ${source.build}; it maps ${names}`,
    2,
  );
}

/** The tables of the roster's rows. */
function rosterTables({ source }: BuildTables, { folder }: GameSource): TableNames {
  const { definition } = source;
  if (definition.roster) return tablesOfRows(definition.roster, definition);
  throw new CommandError(`${folder}/game.json maps no roster: pass the table of the row with --from`, 2);
}

async function evaluateOnce(
  expression: Expression,
  { values, evaluate }: Evaluation,
  findings: Finding[],
): Promise<Json | undefined> {
  return await evaluate(expression, values, { tables: values }, expression.place, findings);
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
  const lines = [...tables].map(([name, { value }]) => describeOne(name, value));
  const datasets = [...served].map(([name, { value }]) => describeOne(name, value));
  return [
    `build ${source.build}, released at ${source.released_at}`,
    ...(lines.length > 0 ? ['tables:', ...lines] : ['no tables: game.json declares none']),
    ...(datasets.length > 0 ? ['files without a table, served unchanged:', ...datasets] : []),
  ].join('\n');
}

function describeOne(name: string, value: Json): string {
  const shape = shapeOf(value);
  const inner = shape.kind === 'object' ? wrappedIn(value).map(({ at }) => at) : [];
  const within = inner.length > 0 ? `; records at ${inner.join(', ')}` : '';
  return `  ${name}: ${describeShape(shape)}${within}`;
}

/** Replaces the id of a record by the key of the row that it is made of, if no row has that key. */
async function withKeyOfRow(
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
async function evaluateRows(
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
