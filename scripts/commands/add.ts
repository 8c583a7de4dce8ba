import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type AddedBuild, addBuild } from '../add/add-build.ts';
import { type Dump, describeSkipped } from '../dump/list-files.ts';
import { countOf, megabytes } from '../lib/count-of.ts';
import { orCommandError } from '../lib/system-error.ts';
import { buildSchema } from '../read/definition-schemas.ts';
import { renderCoverage } from '../report/render-coverage.ts';
import { countFindings } from '../report/report.ts';
import { readInstant } from '../schemas/instant.ts';
import { addCoverageOption, type CoverageOptions, chooseGames } from './games.ts';
import { DEFAULT_LIMITS } from '../watchdog/limits.ts';
import { startCompiler } from '../workers/compiler.ts';
import type { StartWorkers } from '../workers/workers.ts';
import { buildArgument, slugArgument, subFolderArgument } from './names.ts';

interface AddOptions extends CoverageOptions {
  from: string;
  into: string;
  partial: boolean;
  releasedAt?: string;
  note?: string;
  data: string;
}

/** `gamedata add`, which compiles the game by workers that `start` starts. */
export function addCommand(start?: StartWorkers): Command {
  return addCoverageOption(new Command('add'))
    .description('add a dump as a new build: stores new and changed files, and records removed ones')
    .argument('<slug>', 'the game', slugArgument)
    .argument('<build>', 'the name of the build', buildArgument)
    .requiredOption('--from <folder>', 'the dump')
    .option(
      '--into <sub-folder>',
      'replace one sub-folder, such as that of a region, and inherit the others',
      subFolderArgument,
      '',
    )
    .option('--partial', 'the dump is incomplete: files that it lacks are inherited, not removed', false)
    .option(
      '--released-at <time>',
      'when the build is released, for example 2026-06-01T10:00:00Z (default: now)',
      instant,
    )
    .option('--note <text>', 'what the build adds', note)
    .option('--data <folder>', 'where the game folders are', 'data')
    .addHelpText(
      'after',
      `
Only files are stored that a table of game.json names, or that are datasets by their name. Keep the dump for tables that you declare
later. Files that no table names, such as a pull_planner.json of your own, are inherited. Add builds oldest first.

Exit code: 0 done, 1 failed and nothing was added, 2 wrong usage.

Examples:
  gamedata add my-game 1.1 --from ~/dumps/1.1 --released-at 2026-06-01T10:00:00Z
  gamedata add my-game 1.2 --from ~/dumps/en-1.2 --into en     replaces only en/; ja/ is inherited
  gamedata add my-game 1.2 --from ~/dumps/ja-1.2 --into ja     adds the next region to the same build
  gamedata add my-game 1.3 --from ~/dumps/hotfix --partial     removes no file
  gamedata add my-game 1.4 --from ~/dumps/1.4 --coverage none  does not compile it`,
    )
    .action((slug: string, build: string, options: AddOptions) => add(slug, build, options, start));
}

async function add(slug: string, build: string, options: AddOptions, start?: StartWorkers): Promise<void> {
  const { from, into, partial, data } = options;
  await chooseGames([slug], data);
  const game = path.posix.join(data, slug);
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const wanted = { game, build, into, released_at: options.releasedAt, note: options.note };
  const added = await orCommandError(
    addBuild(from, wanted, { into, partial }, now),
    (reason) => `${game}/${build} cannot be written: ${reason}; nothing was added`,
  );
  const idle = describeIdle(added, path.posix.join(game, build));
  if (idle !== undefined) process.stderr.write(`${idle}\n`);
  const assumed = options.releasedAt === undefined && added.existing === undefined;
  process.stdout.write(`${describeAdded(added, { game, into, assumed })}\n`);
  if (options.coverage !== 'none') process.stdout.write(await describeCompiled(slug, options, start));
}

const SILENT = { step() {}, done() {}, clear() {} };

/** What the new build has, and how many findings there are: to correct them is the next step. */
async function describeCompiled(
  slug: string,
  { data, coverage: choice }: AddOptions,
  start?: StartWorkers,
): Promise<string> {
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  const { findings, coverage } = await compiler
    .compile(data, [slug], SILENT, { now: Date.now() })
    .finally(() => compiler.close());
  const { errors, warnings } = countFindings(findings);
  const found = [
    errors > 0 ? countOf(errors, 'error') : [],
    warnings > 0 ? countOf(warnings, 'warning') : [],
  ].flat();
  const next = found.length === 0 ? '' : `${found.join(' and ')}: see gamedata check ${slug}\n`;
  return renderCoverage(coverage, choice) + next;
}

/** The warning about a dump that changes nothing, and is probably the one that was added before; undefined for other dumps. */
function describeIdle({ builds, existing, addition }: AddedBuild, folder: string): string | undefined {
  const { added, changed, removed } = addition;
  if (added.length + changed.length + removed.length > 0) return undefined;
  const before = (existing ?? builds.at(-1))?.build;
  const undo = existing ? `nothing was added to ${folder}` : `if it is the wrong dump, remove ${folder}`;
  return `warning: the dump has the same content as build ${before}; ${undo}`;
}

const MAX_SHOWN = 5;

function describeAdded(
  { builds, existing, released_at, dump, addition, target }: AddedBuild,
  { game, into, assumed }: { game: string; into: string; assumed: boolean },
): string {
  const { added, changed, unchanged, removed, kept, leftOut } = addition;
  const bytes = [...added, ...changed].reduce((sum, file) => sum + file.bytes, 0);
  const before = existing ?? builds.at(-1);
  const lines = [
    `${target}: ${added.length} new, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged${before ? ` (inherited from ${before.build})` : ''}; ${megabytes(bytes)} stored`,
    `released at ${released_at}${assumed ? ', which is now; set another time with --released-at' : ''}`,
    ...(removed.length > 0 ? [`removed: ${listFew(removed)}`] : []),
    ...(into === '' ? missingFolders(removed, dump) : []).map(
      (folder) =>
        `the dump has no folder ${folder}/: if it is the dump of one region, remove ${target} and add it again with --into`,
    ),
    ...(kept.length > 0 ? [`kept, because no table names them: ${listFew(kept)}`] : []),
    ...(leftOut.length > 0
      ? [
          `left out, because no table of ${game}/game.json names them, nor are they datasets by their name: ${listFew(leftOut)}`,
        ]
      : []),
    ...[describeSkipped(dump) ?? []].flat(),
  ];
  return lines.join('\n');
}

/** The top folders of removed files that the dump does not have. */
function missingFolders(removed: readonly string[], { files }: Dump): string[] {
  const topOf = (file: string) => (file.includes('/') ? [file.split('/')[0] as string] : []);
  const left = new Set(files.flatMap((file) => topOf(file.path)));
  return [...new Set(removed.flatMap(topOf))].filter((folder) => !left.has(folder));
}

function listFew(files: readonly string[]): string {
  const more = files.length - MAX_SHOWN;
  return `${countOf(files.length, 'file')} (${files.slice(0, MAX_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''})`;
}

function instant(text: string): string {
  const read = readInstant(text);
  if (read === undefined)
    throw new InvalidArgumentError(`expected ${buildSchema.properties.released_at.description}.`);
  return read;
}

function note(text: string): string {
  const { minLength, maxLength } = buildSchema.properties.note;
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...text].length;
  if (length >= minLength && length <= maxLength) return text;
  throw new InvalidArgumentError(`expected a text of ${minLength} to ${maxLength} characters.`);
}
