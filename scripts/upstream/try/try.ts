import path from 'node:path';
import { Command } from 'commander';
import { countFindings, locateFindings, renderFindings } from '../../check/report.ts';
import * as common from '../../commands/options.ts';
import { beginEvaluation, type Evaluation, evaluate, selectRows } from '../../compile/compile-build.ts';
import { compileExpression, type Expression } from '../../compile/expression.ts';
import { compileGameHelpers } from '../../compile/mapping.ts';
import { type StartWorkers, startWorkers } from '../../compile/workers.ts';
import { BoundedFindings, type Finding, NO_REPORTER, type StepReporter } from '../../findings.ts';
import type { Json } from '../../format/dist-format.ts';
import { type GameSource, readGame } from '../../read/game.ts';
import { type BuildTables, findBuildFiles } from '../../read/tables.ts';
import { CommandError, DEFAULT_LIMITS } from '../../system.ts';
import { countOf } from '../../text.ts';
import { provideReferences } from '../add/references.ts';
import { describeShape } from '../new/tables.ts';

/** What to evaluate, and on which tables. */
export interface Trial {
  data: string;
  slug: string;
  /** The expression; undefined to describe the tables. */
  text: string | undefined;
  /** The newest by default. */
  build?: string;
  /** The table for whose rows the expression is evaluated; undefined for all tables at once. */
  from?: string;
  row?: string;
  /** The folder with copies of referenced files. */
  upstream?: string;
  limit: number;
}

interface TryOptions extends common.UpstreamChoice, Omit<Trial, 'slug' | 'text' | 'upstream'> {
  timeLimit: number;
}

export interface TrialResult {
  /** For standard output. */
  printed: string;
  /** For standard error. */
  said: string;
  failure?: { message: string; exitCode: number };
}

/** `gamedata try`. @param start starts the worker */
export function tryCommand(start: StartWorkers = startWorkers): Command {
  return common
    .addUpstreamOptions(new Command('try'))
    .description("print the result of a JSONata expression on the tables of a game's newest build")
    .argument('<slug>', 'the game', common.slugArgument)
    .argument('[expression]', 'an expression as in game.json; without it, the tables are listed')
    .option('--build <name>', 'a build (default: the newest)')
    .option(
      '--from <table>',
      'evaluate the expression for each row of a table, like an "entry": $ is the row, $key its key',
    )
    .option('--row <key>', 'only the row with this key')
    .option('--limit <number>', 'how many rows are printed', common.positiveInteger, 5)
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .option('--time-limit <seconds>', 'the maximum time', common.positiveInteger, DEFAULT_LIMITS.seconds)
    .addHelpText(
      'after',
      `
Exit code: 0 done, 1 the expression or the tables have errors, 2 wrong usage.`,
    )
    .action((slug: string, text: string | undefined, options: TryOptions) =>
      run({ slug, text, ...options }, start),
    );
}

async function run(trial: Trial & TryOptions, start: StartWorkers): Promise<void> {
  const { slug, data, from, row } = trial;
  if (row !== undefined && from === undefined)
    throw new CommandError('--row is the key of a row: pass its table with --from', 2);
  await common.chooseGames([slug], data);
  const folder = path.posix.join(data, slug);
  await refuseErrors(await provideReferences(folder, common.upstreamOf(trial)));
  const workers = start(1, { ...DEFAULT_LIMITS, seconds: trial.timeLimit });
  const outcome = await workers.run<TrialResult>('evaluate', trial, folder).finally(() => workers.close());
  if ('findings' in outcome) return await refuseErrors(outcome.findings);
  const { printed, said, failure } = outcome.value;
  process.stderr.write(said);
  process.stdout.write(printed);
  if (failure) throw new CommandError(failure.message, failure.exitCode);
}

/**
 * Evaluates an expression on the tables of one build of a game. Readable tables are used in spite of errors.
 *
 * @returns the result; a CommandError becomes a `failure`, which can be sent between processes
 */
export async function tryExpression(trial: Trial, steps = NO_REPORTER): Promise<TrialResult> {
  const result: TrialResult = { printed: '', said: '' };
  try {
    const { game, tables, findings } = await readBuildTables(trial, steps);
    if (findings.length > 0) result.said = `${renderFindings(await locateFindings(findings))}\n`;
    if (trial.text === undefined) result.printed = describeTables(tables);
    else {
      const expression = await parseExpression(trial.text, game);
      const run = beginEvaluation(tables, [], steps);
      const value =
        trial.from === undefined
          ? evaluate(run, expression, run.values, { tables: run.values }, expression.place)
          : evaluateRows(run, expression, trial.from, trial, result);
      await refuseErrors(run.findings);
      if (value === undefined) result.said += 'nothing: the expression selects nothing here\n';
      else result.printed = `${JSON.stringify(value, null, 2)}\n`;
    }
    const { errors } = countFindings(findings);
    if (errors > 0) throw new CommandError(`${countOf(errors, 'error')} found in the tables`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    result.failure = { message: error.message, exitCode: error.exitCode };
  }
  return result;
}

/** Reads the tables of a build, in spite of errors in its files. */
export async function readBuildTables(
  { data, slug, build, upstream }: Pick<Trial, 'data' | 'slug' | 'build' | 'upstream'>,
  steps: StepReporter,
): Promise<{ game: GameSource; tables: BuildTables; findings: Finding[] }> {
  const { value: game, findings } = await readGame(path.posix.join(data, slug), slug, upstream);
  const names = game?.builds.map((source) => source.build) ?? [];
  const wanted = build ?? names.at(-1);
  if (game === undefined || wanted === undefined) {
    await refuseErrors(findings);
    throw new CommandError(`${data}/${slug} has no build that can be read`);
  }
  for await (const files of findBuildFiles(game, steps)) {
    if (files.source.build !== wanted) continue;
    const { value: tables, findings: ofTables } = await files.read();
    return { game, tables, findings: [...files.findings, ...ofTables] };
  }
  throw new CommandError(`no build ${wanted} of ${slug}; it has ${names.join(', ')}`, 2);
}

/** Parses the expression of a trial, with the functions of its game. */
async function parseExpression(text: string, game: GameSource): Promise<Expression> {
  const { value: helpers, findings } = compileGameHelpers(game);
  await refuseErrors(findings);
  const place = { file: 'the expression', pointer: '', line: 1 };
  const outcome = compileExpression(text, place, helpers);
  if ('value' in outcome) return outcome.value;
  const { found, expected, place: at } = outcome.finding;
  throw new CommandError(`line ${at.line} of the expression: ${found}; expected ${expected}`);
}

async function refuseErrors(findings: Finding[]): Promise<void> {
  const { errors } = countFindings(findings);
  if (errors === 0) return;
  const grouped = new BoundedFindings();
  grouped.add(findings);
  const shown = renderFindings(await locateFindings(grouped.list()));
  throw new CommandError(`${countOf(errors, 'error')} found\n\n${shown}`);
}

function describeTables({ source, tables, served }: BuildTables): string {
  const describe = ([name, { value }]: [string, { value: Json }]) => `  ${name}: ${describeShape(value)}\n`;
  const [lines, datasets] = [[...tables].map(describe), [...served].map(describe)];
  return [
    `build ${source.build}, released at ${source.released_at}\n`,
    ...(lines.length > 0 ? ['tables:\n', ...lines] : ['no tables: game.json declares none\n']),
    ...(datasets.length > 0 ? ['files without a table, served unchanged:\n', ...datasets] : []),
  ].join('');
}

/** Evaluates all rows of a table, or the one with a key. @returns the first results by the keys of the rows */
function evaluateRows(
  run: Evaluation,
  entry: Expression,
  from: string,
  { row, limit }: Trial,
  result: TrialResult,
): Json | undefined {
  const { source, tables } = run.tables;
  if (!tables.has(from)) {
    const names = [...tables.keys()].join(', ') || 'none';
    throw new CommandError(`no table ${from} in build ${source.build}; it has ${names}`, 2);
  }
  const rows = [...selectRows(run, { from, others: [], place: entry.place, entry })];
  const selected = rows.filter(({ key }) => key === (row ?? key));
  if (selected.length === 0 && row !== undefined)
    throw new CommandError(`no row "${row}" is selected in table ${from} of build ${source.build}`);
  const results = selected.flatMap(({ key, row: value, bindings, place }) => {
    const evaluated = evaluate(run, entry, value, bindings, place);
    return evaluated === undefined ? [] : [[key, evaluated] as const];
  });
  if (results.length > limit)
    result.said += `${limit} of ${countOf(results.length, 'result')} in ${from}; for more, pass --limit\n`;
  return results.length > 0 ? Object.fromEntries(results.slice(0, limit)) : undefined;
}
