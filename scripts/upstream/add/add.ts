import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { buildArgument, chooseGames, slugArgument } from '../../commands/options.ts';
import { RELATIVE_PATH, relativePath } from '../../read/game-schema.ts';
import { instant as instantSchema, readInstant } from '../../read/schema.ts';
import { orCommandError } from '../../system.ts';
import { megabytes } from '../../text.ts';
import { type AddedBuild, type AddOptions, addBuild } from './add-build.ts';
import { describeSkipped, listFew } from './files.ts';

type Options = Pick<AddOptions, 'into' | 'partial' | 'replace' | 'note'> &
  Record<'from' | 'data', string> & { releasedAt?: string };

/** `gamedata add`. */
export function addCommand(): Command {
  return new Command('add')
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
      '--replace',
      'take the dump of an existing build anew; build.json with its acknowledgements, and files of your own, stay',
      false,
    )
    .option(
      '--released-at <time>',
      'when the build is released, for example 2026-06-01T10:00:00Z (default: now)',
      instant,
    )
    .option('--note <text>', 'what the build adds')
    .option('--data <folder>', 'where the game folders are', 'data')
    .addHelpText(
      'after',
      `
Only files are stored that a table of game.json names, or that are datasets by their name. Keep the dump for tables that you declare
later. Files that no table names, such as a pull_planner.json of your own, are inherited. Add builds oldest first.

Exit code: 0 done, 1 failed and nothing was added, 2 wrong usage.`,
    )
    .action(add);
}

async function add(slug: string, build: string, options: Options): Promise<void> {
  const { from, data, releasedAt: released_at, ...chosen } = options;
  await chooseGames([slug], data);
  const game = path.posix.join(data, slug);
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const added = await orCommandError(
    addBuild(from, { game, build, released_at, now, ...chosen }),
    (reason) => `${game}/${build} cannot be written: ${reason}; nothing was added`,
  );
  process.stdout.write(`${describeAdded(added, { game })}\n`);
}

/** Reads an option that is a date or a date-time. @returns UTC */
function instant(text: string): string {
  const read = readInstant(text);
  if (read !== undefined) return read;
  throw new InvalidArgumentError(`expected ${instantSchema.description}.`);
}

/** Describes what was added, in several lines. @param how whether the build references its files instead of holding copies */
export function describeAdded(
  { builds, released_at, dump, addition, target }: AddedBuild,
  { game, isNamed = false }: { game: string; isNamed?: boolean },
): string {
  const { added, changed, unchanged, removed, leftOut } = addition;
  const bytes = [...added, ...changed].reduce((sum, file) => sum + file.bytes, 0);
  const before = builds.at(-1);
  const lines = [
    `${target}: ${added.length} new, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged${before ? ` (inherited from ${before.build})` : ''}; ${megabytes(bytes)} ${isNamed ? 'named by reference' : 'stored'}`,
    `released at ${released_at}`,
    removed.length > 0 &&
      `removed: ${listFew(removed)}; if the dump is that of one region, add it with --into`,
    leftOut.length > 0 &&
      `left out, because no table of ${game}/game.json names them, nor are they datasets by their name: ${listFew(leftOut)}`,
    describeSkipped(dump),
  ];
  return lines.filter(Boolean).join('\n');
}

/** A path of a folder inside a build's folder. */
function subFolderArgument(text: string): string {
  const folder = text.replace(/\/$/, '');
  const hidden = folder.split('/').some((step) => step.startsWith('.'));
  if (new RegExp(RELATIVE_PATH).test(folder) && !hidden && folder !== 'build.json') return folder;
  throw new InvalidArgumentError(`expected ${relativePath.description}, without hidden folders.`);
}
