import path from 'node:path';
import { countFindings, locateFindings, renderFindings } from '../../check/report.ts';
import { beginEvaluation, type Evaluation, evaluate, selectRows } from '../../compile/compile-build.ts';
import { compileExpression, type Expression } from '../../compile/expression.ts';
import {
  compileGameHelpers,
  compileMappings,
  type MappedRows,
  type Mapping,
  tableOfRows,
} from '../../compile/mapping.ts';
import { BoundedFindings, type Finding, NO_REPORTER, type StepReporter } from '../../findings.ts';
import { isObject, type Json } from '../../format/dist-format.ts';
import { type GameSource, readGame } from '../../read/game.ts';
import { type BuildTables, findBuildFiles } from '../../read/tables.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { describeShape } from '../new/tables.ts';

/** What to evaluate, and on which tables. */
export interface Trial {
  data: string;
  slug: string;
  /** The expression; undefined to evaluate `mapped`, or to describe the tables. */
  text: string | undefined;
  /** `characters` or the key of a dataset, to evaluate its mapping in game.json. */
  mapped?: string;
  /** The newest by default. */
  build?: string;
  /** The table for whose rows the expression is evaluated; undefined for all tables at once. */
  from?: string;
  row?: string;
  /** The folder with copies of referenced files. */
  upstream?: string;
  limit: number;
}

export interface TrialResult {
  /** For standard output. */
  printed: string;
  /** For standard error. */
  messages: string[];
  failure?: { message: string; exitCode: number };
}

/**
 * Evaluates an expression on the tables of one build of a game. Readable tables are used in spite of errors.
 *
 * @returns the result; a CommandError becomes a `failure`, which can be sent between processes
 */
export async function tryExpression(trial: Trial, steps = NO_REPORTER): Promise<TrialResult> {
  const result: TrialResult = { printed: '', messages: [] };
  const report = (text: string) => result.messages.push(text);
  try {
    const { game, tables, errors } = await readBuildTables(trial, steps, report);
    if (trial.text === undefined && trial.mapped === undefined) result.printed = describeTables(tables);
    else {
      const subject = await findSubject(trial, tables, game, report);
      const run = beginEvaluation(tables, [], steps);
      const { values } = run;
      const value =
        'from' in subject
          ? evaluateRows(run, subject, trial, report)
          : evaluate(run, subject.expression, values, { tables: values }, subject.expression.place);
      await stopAtErrors(run.findings, report);
      if (value === undefined) report('nothing: the expression selects nothing here\n');
      else result.printed = `${JSON.stringify(value, null, 2)}\n`;
    }
    if (errors > 0) throw new CommandError(`${countOf(errors, 'error')} found in the tables`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    result.failure = { message: error.message, exitCode: error.exitCode };
  }
  return result;
}

/** Reads the tables of a build. Errors in its files are reported; readable tables are used. */
export async function readBuildTables(
  { data, slug, build, upstream }: Pick<Trial, 'data' | 'slug' | 'build' | 'upstream'>,
  steps: StepReporter,
  report: (text: string) => void,
): Promise<{ game: GameSource; tables: BuildTables; errors: number }> {
  const { value: game, findings } = await readGame(path.posix.join(data, slug), slug, upstream);
  const names = game?.builds.map((source) => source.build) ?? [];
  const wanted = build ?? names.at(-1);
  if (game === undefined || wanted === undefined) {
    await stopAtErrors(findings, report);
    throw new CommandError(`${data}/${slug} has no build that can be read`);
  }
  for await (const files of findBuildFiles(game, steps)) {
    if (files.source.build !== wanted) continue;
    const { value: tables, findings: ofTables } = await files.read();
    const ofFiles = [...files.findings, ...ofTables];
    if (ofFiles.length > 0) report(`${renderFindings(await locateFindings(ofFiles))}\n`);
    return { game, tables, errors: countFindings(ofFiles).errors };
  }
  throw new CommandError(`no build ${wanted} of ${slug}; it has ${names.join(', ')}`, 2);
}

/** Expressions for each row (a roster also has `record`), or one expression for all tables. */
type Subject = (MappedRows & { record?: Expression }) | { expression: Expression };

/** Returns the expression of a trial, or the mapping of the roster or of a dataset in its build. */
async function findSubject(
  { text = '', mapped, from, row }: Trial,
  { source: { build, definition } }: BuildTables,
  game: GameSource,
  report: (text: string) => void,
): Promise<Subject> {
  if (mapped !== undefined) {
    const { value: mappings, findings } = compileMappings(game);
    await stopAtErrors(findings, report);
    const { roster, datasets } = mappings.get(definition) as Mapping;
    const subject = mapped === 'characters' ? roster : datasets.get(mapped);
    const names = [...(roster ? ['characters'] : []), ...datasets.keys()].join(', ') || 'nothing';
    const what = `${game.folder}/game.json maps no ${mapped} for build ${build}; it maps ${names}`;
    if (subject === undefined) throw new CommandError(what, 2);
    if ('from' in subject || row === undefined) return subject;
    throw new CommandError(`${mapped} comes from one expression over all tables: leave out --row`, 2);
  }
  const { value: helpers, findings } = compileGameHelpers(game);
  await stopAtErrors(findings, report);
  const place = { file: 'the expression', pointer: '', line: 1 };
  const outcome = compileExpression(text, place, helpers);
  if ('finding' in outcome) {
    const { found, expected, place: at } = outcome.finding;
    throw new CommandError(`line ${at.line} of the expression: ${found}; expected ${expected}`);
  }
  if (from !== undefined) return { from, others: [], place, entry: outcome.value };
  return { expression: outcome.value };
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
  rows: MappedRows & { record?: Expression },
  { row, limit }: Trial,
  report: (text: string) => void,
): Json | undefined {
  const { tables, findings } = run;
  const { from } = rows;
  const { build } = tables.source;
  if (tableOfRows(rows, tables) === undefined) {
    const names = [...tables.tables.keys()].join(', ') || 'none';
    throw new CommandError(`no table ${from} in build ${build}; it has ${names}`, 2);
  }
  const selected = [...selectRows(run, rows)].filter(({ key }) => key === (row ?? key));
  if (row !== undefined && selected.length === 0 && findings.length === 0)
    throw new CommandError(`no row "${row}" is selected in table ${from} of build ${build}`);
  const results = selected.flatMap(({ key, row: value, bindings, place }) => {
    const [entry, more] = [rows.entry, rows.record].map(
      (each) => each && evaluate(run, each, value, bindings, place),
    );
    const whole = isObject(entry) && isObject(more) ? { ...entry, ...more } : entry;
    return whole === undefined ? [] : [[key, whole] as const];
  });
  if (selected.length > limit)
    report(`${limit} of ${countOf(selected.length, 'row')} of ${from}; for more, pass --limit\n`);
  return results.length > 0 ? Object.fromEntries(results.slice(0, limit)) : undefined;
}
