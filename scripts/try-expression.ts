import path from 'node:path';
import { CommandError } from './command-error.ts';
import { evaluate, selectRows, tableValues } from './compile/evaluate-rows.ts';
import { compileExpression, type Expression } from './compile/expression.ts';
import { countOf } from './count-of.ts';
import type { Json } from './dist-format.ts';
import { describeFields, describeShape, shapeOf } from './dump/table-shape.ts';
import type { Finding } from './findings.ts';
import { findBuildFiles } from './read/build-files.ts';
import { type GameSource, readGame } from './read/read-game.ts';
import type { BuildTables } from './read/read-tables.ts';
import { countFindings, locateFindings, renderFindings } from './report.ts';

/** What to evaluate, and on what. */
export interface Trial {
  data: string;
  slug: string;
  /** Undefined: the tables are described. */
  text: string | undefined;
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
export async function tryExpression(trial: Trial): Promise<TrialResult> {
  const told: string[] = [];
  try {
    const { printed, errors } = await evaluateTrial(trial, (text) => told.push(text));
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
  tell: (text: string) => void,
): Promise<{ printed: string; errors: number }> {
  const { game, tables, errors } = await readBuildTables(trial, tell);
  const { text } = trial;
  if (text === undefined) return { printed: `${describeTables(tables)}\n`, errors };
  const expression = parseExpression(text);
  const findings: Finding[] = [];
  const from = trial.from ?? (trial.row === undefined ? undefined : rosterTable(tables, game));
  const value =
    from === undefined
      ? await evaluate(
          expression,
          tableValues(tables),
          { tables: tableValues(tables) },
          expression.place,
          findings,
        )
      : await evaluateRows(expression, from, tables, trial, findings, tell);
  await stopAtErrors(findings, tell);
  if (value !== undefined) return { printed: `${JSON.stringify(value, null, 2)}\n`, errors };
  tell('nothing: the expression selects nothing here\n');
  return { printed: '', errors };
}

/** Reads the tables of one build; what is wrong with its files is told, and what can be read is used. */
async function readBuildTables(
  { data, slug, build }: Trial,
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
  for await (const files of findBuildFiles(game)) {
    if (files.source.build !== (build ?? newest.build)) continue;
    const { value: tables, findings: ofTables } = await files.read();
    const ofFiles = [...files.findings, ...ofTables];
    if (ofFiles.length > 0) tell(`${renderFindings(await locateFindings(ofFiles))}\n`);
    return { game, tables, errors: countFindings(ofFiles).errors };
  }
  throw new Error(`no files of ${slug} ${build}`);
}

function parseExpression(text: string): Expression {
  const outcome = compileExpression(text, { file: 'the expression', pointer: '', line: 1 });
  if ('value' in outcome) return outcome.value;
  const { place, found, expected } = outcome.finding;
  throw new CommandError(`line ${place.line} of the expression: ${found}; expected ${expected}`);
}

function rosterTable({ source }: BuildTables, { folder }: GameSource): string {
  const from = source.definition.roster?.from.table;
  if (from !== undefined) return from;
  throw new CommandError(`${folder}/game.json maps no roster: name the table of the row by --from`, 2);
}

/** What the expression gives for rows of a table, by their keys. */
async function evaluateRows(
  entry: Expression,
  from: string,
  tables: BuildTables,
  { row, limit }: Trial,
  findings: Finding[],
  tell: (text: string) => void,
): Promise<Json | undefined> {
  if (!tables.tables.has(from)) {
    const known = [...tables.tables.keys()].join(', ') || 'none';
    throw new CommandError(`no table ${from} in build ${tables.source.build}; it has ${known}`, 2);
  }
  const results: Record<string, Json> = Object.create(null);
  let found = 0;
  let evaluated = 0;
  for await (const selected of selectRows({ from, place: entry.place, entry }, tables, findings)) {
    found++;
    if (row === undefined ? evaluated === limit : selected.key !== row) continue;
    evaluated++;
    const value = await evaluate(entry, selected.row, selected.bindings, selected.place, findings);
    if (value !== undefined) results[selected.key] = value;
  }
  if (row !== undefined && evaluated === 0 && findings.length === 0)
    throw new CommandError(`no row "${row}" in table ${from} of build ${tables.source.build}`);
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
  return `  ${name}: ${describeShape(shape)}${fields ? `\n    ${fields}` : ''}`;
}
