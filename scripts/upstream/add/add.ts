import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { renderCoverage } from '../../check/coverage.ts';
import { countFindings } from '../../check/report.ts';
import {
  addCoverageOption,
  addUpstreamOptions,
  buildArgument,
  type CoverageOptions,
  chooseGames,
  slugArgument,
  type UpstreamChoice,
  upstreamOf,
} from '../../commands/options.ts';
import { type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { NOTE_LENGTH, RELATIVE_PATH, relativePath } from '../../read/game-schema.ts';
import { instant as instantSchema, readInstant } from '../../read/schema.ts';
import { CommandError, DEFAULT_LIMITS, orCommandError } from '../../system.ts';
import { countOf, megabytes } from '../../text.ts';
import { type AddedBuild, addBuild } from './add-build.ts';
import { describeMissed, describeSkipped, findMissed, listFew } from './files.ts';

interface AddOptions extends CoverageOptions, UpstreamChoice {
  from: string;
  into: string;
  partial: boolean;
  replace: boolean;
  releasedAt?: string;
  note?: string;
  data: string;
}

/** `gamedata add`. @param start starts the workers that compile the game */
export function addCommand(start?: StartWorkers): Command {
  return addUpstreamOptions(addCoverageOption(new Command('add')))
    .description('add a dump as a new build: stores new and changed files, and records removed ones')
    .argument('<slug>', 'the game', slugArgument)
    .argument('[build]', "the name of the build (default: that of the dump's folder)", buildArgument)
    .requiredOption('--from <folder>', 'the dump')
    .option(
      '--into <sub-folder>',
      'replace one sub-folder, such as that of a region, and inherit the others',
      subFolderArgument,
      '',
    )
    .option('--partial', 'the dump is incomplete: files that it lacks are inherited, not removed', false)
    .option(
      '--replace',
      'take the dump of an existing build anew; build.json with its acknowledgements, and files of your own, stay',
      false,
    )
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
later. Files that no table names, such as a pull_planner.json of your own, are inherited. Add builds oldest first. With --replace, also
one in the middle: the output lists what later builds inherit from it.

Exit code: 0 done, 1 failed and nothing was added, 2 wrong usage.

Examples:
  gamedata add my-game 1.1 --from ~/dumps/1.1 --released-at 2026-06-01T10:00:00Z
  gamedata add my-game --from ~/dumps/1.1                      the folder names the build
  gamedata add my-game 1.2 --from ~/dumps/en-1.2 --into en     replaces only en/; ja/ is inherited
  gamedata add my-game 1.2 --from ~/dumps/ja-1.2 --into ja     adds the next region to the same build
  gamedata add my-game 1.3 --from ~/dumps/hotfix --partial     removes no file
  gamedata add my-game 1.1 --from ~/dumps/1.1-fixed --replace  in place of the dump of 1.1
  gamedata add my-game 1.4 --from ~/dumps/1.4 --coverage none  does not compile it`,
    )
    .action((slug: string, build: string | undefined, options: AddOptions) =>
      add(slug, build ?? nameOf(options.from), options, start),
    );
}

/** The build name that a dump's folder suggests. */
function nameOf(from: string): string {
  try {
    return buildArgument(path.basename(path.resolve(from)));
  } catch {
    throw new CommandError(
      `the folder ${from} cannot name a build: name it after the slug, such as gamedata add my-game 1.1 --from ${from}`,
      2,
    );
  }
}

async function add(slug: string, build: string, options: AddOptions, start?: StartWorkers): Promise<void> {
  const { from, into, partial, replace, data, releasedAt: released_at, note: text } = options;
  await chooseGames([slug], data);
  const game = path.posix.join(data, slug);
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const added = await orCommandError(
    addBuild(from, { game, build, into, partial, replace, released_at, note: text, now }),
    (reason) => `${game}/${build} cannot be written: ${reason}; nothing was added`,
  );
  const idle = describeIdle(added, path.posix.join(game, build));
  if (idle !== undefined) process.stderr.write(`${idle}\n`);
  const assumed = released_at === undefined && added.existing === undefined;
  process.stdout.write(`${describeAdded(added, { game, into, assumed })}\n`);
  if (options.coverage === 'none') return;
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  const progress = { step() {}, done() {}, clear() {} };
  const { findings, coverage } = await compiler
    .compile(data, [slug], progress, { now: Date.now(), upstream: upstreamOf(options) })
    .finally(() => compiler.close());
  const { errors, warnings } = countFindings(findings);
  const found = [
    ...(errors > 0 ? [countOf(errors, 'error')] : []),
    ...(warnings > 0 ? [countOf(warnings, 'warning')] : []),
  ];
  const next = found.length === 0 ? '' : `${found.join(' and ')}: see gamedata check ${slug}\n`;
  process.stdout.write(renderCoverage(coverage, options.coverage) + next);
}

/** Reads an option that is a date or a date-time. @returns UTC */
export function instant(text: string): string {
  const read = readInstant(text);
  if (read !== undefined) return read;
  throw new InvalidArgumentError(`expected ${instantSchema.description}.`);
}

function note(text: string): string {
  const { minLength, maxLength } = NOTE_LENGTH;
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...text].length;
  if (length >= minLength && length <= maxLength) return text;
  throw new InvalidArgumentError(`expected a text of ${minLength} to ${maxLength} characters.`);
}

/** A warning for a dump that changes nothing, and was probably added before; undefined for other dumps. */
export function describeIdle(
  { builds, existing, addition, inherited }: AddedBuild,
  folder: string,
): string | undefined {
  const { added, changed, removed } = addition;
  if (inherited || added.length + changed.length + removed.length > 0) return undefined;
  const before = (existing ?? builds.at(-1))?.build;
  const undo = existing ? `nothing was added to ${folder}` : `if it is the wrong dump, remove ${folder}`;
  return `warning: the dump has the same content as build ${before}; ${undo}`;
}

/**
 * Describes what was added, in several lines.
 *
 * @param how whether the release time is the present, and whether the build references its files instead of holding copies
 */
export function describeAdded(
  { builds, existing, released_at, dump, addition, target, inherited }: AddedBuild,
  {
    game,
    into,
    assumed = false,
    isNamed = false,
  }: { game: string; into: string; assumed?: boolean; isNamed?: boolean },
): string {
  const { added, changed, unchanged, removed, kept, leftOut } = addition;
  const bytes = [...added, ...changed].reduce((sum, file) => sum + file.bytes, 0);
  const before = inherited ? builds.at(-1) : (existing ?? builds.at(-1));
  const unread = new Set(leftOut);
  const missed = findMissed(
    dump.files.map((file) => file.path),
    (file) => !unread.has(file),
  );
  // The top folders of removed files that the dump lacks.
  const topOf = (file: string) => (file.includes('/') ? [file.split('/')[0] ?? ''] : []);
  const left = new Set(dump.files.flatMap((file) => topOf(file.path)));
  const missing = [...new Set(into === '' ? removed.flatMap(topOf) : [])].filter(
    (folder) => !left.has(folder),
  );
  const lines = [
    `${target}: ${added.length} new, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged${before ? ` (inherited from ${before.build})` : ''}; ${megabytes(bytes)} ${isNamed ? 'named by reference' : 'stored'}`,
    `released at ${released_at}${assumed ? ', which is now; set another time with --released-at' : ''}`,
    removed.length > 0 && `removed: ${listFew(removed)}`,
    ...missing.map(
      (folder) =>
        `the dump has no folder ${folder}/: if it is the dump of one region, remove ${target} and add it again with --into`,
    ),
    kept.length > 0 && `kept, because they are not from such a dump: ${listFew(kept)}`,
    leftOut.length > 0 &&
      `left out, because no table of ${game}/game.json names them, nor are they datasets by their name: ${listFew(leftOut)}`,
    missed.length > 0 && describeMissed(missed, game),
    describeSkipped(dump),
    inherited?.length === 0 && 'replaced; no later build inherits what is different now',
    inherited &&
      inherited.length > 0 &&
      `replaced; the builds after it inherit what is different now: ${listFew(inherited)}; if one of them had the files as they were before, take its dump anew too (--replace)`,
  ];
  return lines.filter((line) => line !== false && line !== undefined).join('\n');
}

/** A path of a folder inside a build's folder. */
function subFolderArgument(text: string): string {
  const folder = text.replace(/\/$/, '');
  const hidden = folder.split('/').some((step) => step.startsWith('.'));
  if (new RegExp(RELATIVE_PATH).test(folder) && !hidden && folder !== 'build.json') return folder;
  throw new InvalidArgumentError(`expected ${relativePath.description}, without hidden folders.`);
}
