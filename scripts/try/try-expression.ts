import path from 'node:path';
import { type Evaluation, plainEvaluation, selectRows } from '../compile/evaluate-rows.ts';
import { compileExpression, type Expression } from '../compile/expression.ts';
import { compileMappings, type MappedRows, type Mapping } from '../compile/mapping.ts';
import { findWrapped } from '../dump/find-tables.ts';
import { describeFields, describeShape, shapeOf } from '../dump/table-shape.ts';
import type { Finding } from '../findings/findings.ts';
import { type Steps, UNWATCHED } from '../findings/steps.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import { jsonataEngine } from '../jsonata/load-engine.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';
import { findBuildFiles } from '../read/build-files.ts';
import { type GameSource, readGame } from '../read/read-game.ts';
import type { BuildTables } from '../read/read-tables.ts';
import { countFindings, locateFindings, renderFindings } from '../report/report.ts';

/** What to evaluate, and on what. */
export interface Trial {
  data: string;
  slug: string;
  /** Undefined where nothing is to be evaluated but what game.json maps, or the tables are to be described. */
  text: string | undefined;
  /** `characters` or the key of a dataset: what game.json maps to it is evaluated. */
  mapped?: string;
  /** Undefined: the newest. */
  build?: string;
  /** The table whose rows it is evaluated for; undefined: for all tables at once. */
  from?: string;
  row?: string;
  limit: number;
}

/** What came of a trial. */
export interface TrialResult {
  /** For standard output. */
  printed?: string;
  /** For people, on standard error. */
  told: string[];
  failure?: { message: string; exitCode: number };
}

/**
 * Evaluates an expression on the tables of one build of a game.
 *
 * @returns what to print; a CommandError is a result too, so that it survives the way between processes
 */
export async function tryExpression(trial: Trial, steps = UNWATCHED): Promise<TrialResult> {
  const told: string[] = [];
  try {
    const { printed, errors } = await evaluateTrial(trial, steps, (text) => told.push(text));
    const failure = { message: `${countOf(errors, 'error')} found in the tables`, exitCode: 1 };
    return { printed, told, ...(errors > 0 && { failure }) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { told, failure: { message: error.message, exitCode: error.exitCode } };
  }
}

/** @returns what to print, and how many errors the tables have: what can be read is used */
async function evaluateTrial(
  trial: Trial,
  steps: Steps,
  tell: (text: string) => void,
): Promise<{ printed: string; errors: number }> {
  const { game, tables, errors } = await readBuildTables(trial, steps, tell);
  const { text, mapped } = trial;
  if (text === undefined && mapped === undefined) return { printed: `${describeTables(tables)}\n`, errors };
  const tried =
    mapped === undefined ? parseTrial(trial, tables, game) : await findMapped(mapped, tables, game, tell);
  if (!('from' in tried) && trial.row !== undefined)
    throw new CommandError(`${mapped} is made by one expression over all tables: leave out --row`, 2);
  const findings: Finding[] = [];
  const evaluation = plainEvaluation(tables, steps);
  const value =
    'from' in tried
      ? await evaluateRows(tried, tables, evaluation, trial, findings, tell)
      : await evaluateOnce(tried.expression, evaluation, findings);
  await stopAtErrors(findings, tell);
  if (value !== undefined) return { printed: `${JSON.stringify(value, null, 2)}\n`, errors };
  tell('nothing: the expression selects nothing here\n');
  return { printed: '', errors };
}

/** Reads the tables of one build; what is wrong with its files is told, and what can be read is used. */
async function readBuildTables(
  { data, slug, build }: Trial,
  steps: Steps,
  tell: (text: string) => void,
): Promise<{ game: GameSource; tables: BuildTables; errors: number }> {
  const { value: game, findings } = await readGame(path.posix.join(data, slug), slug);
  const newest = game?.builds.at(-1);
  if (game === undefined || newest === undefined) {
    await stopAtErrors(findings, tell);
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
    if (ofFiles.length > 0) tell(`${renderFindings(await locateFindings(ofFiles))}\n`);
    return { game, tables, errors: countFindings(ofFiles).errors };
  }
  throw new Error(`no files of ${slug} ${build}`);
}

/** What is evaluated: for rows, of which a roster has a part of its own, or once for all tables. */
type Tried = (MappedRows & { record?: Expression }) | { expression: Expression };

function parseTrial({ text = '', from, row }: Trial, tables: BuildTables, game: GameSource): Tried {
  const place = { file: 'the expression', pointer: '', line: 1 };
  const outcome = compileExpression(text, place, jsonataEngine());
  if ('finding' in outcome) {
    const { place, found, expected } = outcome.finding;
    throw new CommandError(`line ${place.line} of the expression: ${found}; expected ${expected}`);
  }
  const table = from ?? (row === undefined ? undefined : rosterTable(tables, game));
  return table === undefined ? { expression: outcome.value } : { from: table, place, entry: outcome.value };
}

/** What game.json maps to a list, as it holds for the build. */
async function findMapped(
  name: string,
  { source }: BuildTables,
  game: GameSource,
  tell: (text: string) => void,
): Promise<Tried> {
  const { value: mappings, findings } = compileMappings(game, jsonataEngine());
  await stopAtErrors(findings, tell);
  const { roster, datasets } = mappings.get(source.definition) as Mapping;
  const tried = name === 'characters' ? roster : datasets.get(name);
  if (tried) return tried;
  const known = [...(roster ? ['characters'] : []), ...datasets.keys()].join(', ') || 'nothing';
  throw new CommandError(
    `${game.folder}/game.json maps no ${name} for build ${source.build}; it maps ${known}`,
    2,
  );
}

function rosterTable({ source }: BuildTables, { folder }: GameSource): string {
  const from = source.definition.roster?.from.table;
  if (from !== undefined) return from;
  throw new CommandError(`${folder}/game.json maps no roster: name the table of the row by --from`, 2);
}

async function evaluateOnce(
  expression: Expression,
  { values, evaluate }: Evaluation,
  findings: Finding[],
): Promise<Json | undefined> {
  return await evaluate(expression, values, { tables: values }, expression.place, findings);
}

/** What comes of rows of a table, by their keys. */
async function evaluateRows(
  rows: MappedRows & { record?: Expression },
  tables: BuildTables,
  evaluation: Evaluation,
  { row, limit }: Trial,
  findings: Finding[],
  tell: (text: string) => void,
): Promise<Json | undefined> {
  const { from, entry, record } = rows;
  if (!tables.tables.has(from)) {
    const known = [...tables.tables.keys()].join(', ') || 'none';
    throw new CommandError(`no table ${from} in build ${tables.source.build}; it has ${known}`, 2);
  }
  const results: Record<string, Json> = Object.create(null);
  let found = 0;
  let evaluated = 0;
  for await (const selected of selectRows(rows, tables, findings, evaluation)) {
    found++;
    if (row === undefined ? evaluated === limit : selected.key !== row) continue;
    evaluated++;
    const give = (expression: Expression) =>
      evaluation.evaluate(expression, selected.row, selected.bindings, selected.place, findings);
    const value = await give(entry);
    const more = record && (await give(record));
    const whole = isObject(value) && isObject(more) ? { ...value, ...more } : value;
    if (whole !== undefined) results[selected.key] = whole;
  }
  if (row !== undefined && evaluated === 0 && findings.length === 0) {
    const kept = rows.where ? ' that "where" keeps' : '';
    throw new CommandError(`no row "${row}"${kept} in table ${from} of build ${tables.source.build}`);
  }
  if (found > evaluated && row === undefined)
    tell(`${evaluated} of ${countOf(found, 'row')} of ${from}; more by --limit\n`);
  return Object.keys(results).length > 0 ? results : undefined;
}

async function stopAtErrors(findings: Finding[], tell: (text: string) => void): Promise<void> {
  const { errors } = countFindings(findings);
  if (errors === 0) return;
  tell(`${renderFindings(await locateFindings(findings))}\n`);
  throw new CommandError(`${countOf(errors, 'error')} found`);
}

function describeTables({ source, tables, served }: BuildTables): string {
  const lines = [...tables].map(([name, { value }]) => describeTable(name, value));
  const datasets = [...served].map(([name, { value }]) => describeTable(name, value));
  return [
    `build ${source.build}, released at ${source.released_at}`,
    ...(lines.length > 0 ? ['tables:', ...lines] : ['no tables: game.json declares none']),
    ...(datasets.length > 0 ? ['in the served form, and no tables:', ...datasets] : []),
  ].join('\n');
}

function describeTable(name: string, value: Json): string {
  const shape = shapeOf(value);
  const fields = describeFields(shape);
  const inner = shape.kind === 'object' ? findWrapped(value).map(({ at }) => at) : [];
  const within = inner.length > 0 ? `; records at ${inner.join(', ')}` : '';
  return `  ${name}: ${describeShape(shape)}${within}${fields ? `\n    ${fields}` : ''}`;
}
