import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { addBuild } from './add-build.ts';
import { CommandError, orCommandError } from '../../system.ts';
import { buildSchema } from '../../read/game-schema.ts';
import { readInstant } from '../../read/schema.ts';
import { checkAdded, describeAdded, describeIdle } from './describe-added.ts';
import {
  addCoverageOption,
  addUpstreamOptions,
  buildArgument,
  chooseGames,
  type CoverageOptions,
  slugArgument,
  subFolderArgument,
  type UpstreamChoice,
} from '../../commands/options.ts';
import type { StartWorkers } from '../../compile/workers.ts';

interface AddOptions extends CoverageOptions, UpstreamChoice {
  from: string;
  into: string;
  partial: boolean;
  replace: boolean;
  releasedAt?: string;
  note?: string;
  data: string;
}

/** `gamedata add`, which compiles the game by workers that `start` starts. */
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

/** The name of a dump's folder, as that of a build. */
function nameOf(from: string): string {
  const name = path.basename(path.resolve(from));
  try {
    return buildArgument(name);
  } catch {
    throw new CommandError(
      `the folder ${from} cannot name a build: name it after the slug, such as gamedata add my-game 1.1 --from ${from}`,
      2,
    );
  }
}

async function add(slug: string, build: string, options: AddOptions, start?: StartWorkers): Promise<void> {
  const { from, into, partial, replace, data } = options;
  await chooseGames([slug], data);
  const game = path.posix.join(data, slug);
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const wanted = { game, build, into, released_at: options.releasedAt, note: options.note, replace };
  const added = await orCommandError(
    addBuild(from, wanted, { into, partial }, now),
    (reason) => `${game}/${build} cannot be written: ${reason}; nothing was added`,
  );
  const idle = describeIdle(added, path.posix.join(game, build));
  if (idle !== undefined) process.stderr.write(`${idle}\n`);
  const assumed = options.releasedAt === undefined && added.existing === undefined;
  process.stdout.write(`${describeAdded(added, { game, into, assumed })}\n`);
  if (options.coverage !== 'none') process.stdout.write((await checkAdded(slug, options, start)).text);
}

/** Reads an option that is a date or a date-time. Returns it in UTC. */
export function instant(text: string): string {
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
