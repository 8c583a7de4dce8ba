import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type AddedBuild, addBuild } from '../add/add-build.ts';
import { type Dump, describeSkipped } from '../dump/list-files.ts';
import { countOf, megabytes } from '../lib/count-of.ts';
import { orCommandError } from '../lib/system-error.ts';
import { buildSchema } from '../read/definition-schemas.ts';
import { readInstant } from '../schemas/instant.ts';
import { chooseGames } from './games.ts';
import { buildArgument, slugArgument, subFolderArgument } from './names.ts';

interface AddOptions {
  from: string;
  into: string;
  partial: boolean;
  releasedAt?: string;
  note?: string;
  data: string;
}

/** `gamedata add`. */
export function addCommand(): Command {
  return new Command('add')
    .description('take a dump as a new build: what is new or changed is stored, what is gone is recorded')
    .argument('<slug>', 'the game', slugArgument)
    .argument('<build>', 'the name of the build', buildArgument)
    .requiredOption('--from <folder>', 'the dump')
    .option(
      '--into <sub-folder>',
      'replace one sub-folder, as that of a region, and inherit the others',
      subFolderArgument,
      '',
    )
    .option('--partial', 'the dump is a part: what it lacks is not gone', false)
    .option(
      '--released-at <time>',
      'when the build is out, as 2026-06-01T10:00:00Z; now, if not given',
      instant,
    )
    .option('--note <text>', 'what the build brings', note)
    .option('--data <folder>', 'where the game folders are', 'data')
    .addHelpText(
      'after',
      `
Stored are only the files that a table of game.json names, or that are in the served form by their name; keep the dump, for tables that
you declare later. Files that no table names, as a pull_planner.json of your own, are inherited. Builds are added oldest first.

Exit code: 0 done, 1 it cannot be added and nothing was, 2 wrong usage.

Examples:
  gamedata add my-game 1.1 --from ~/dumps/1.1 --released-at 2026-06-01T10:00:00Z
  gamedata add my-game 1.2 --from ~/dumps/en-1.2 --into en     only en/ is replaced; ja/ stays the build before's
  gamedata add my-game 1.2 --from ~/dumps/ja-1.2 --into ja     the same build takes the next region
  gamedata add my-game 1.3 --from ~/dumps/hotfix --partial     nothing is gone`,
    )
    .action(add);
}

async function add(slug: string, build: string, options: AddOptions): Promise<void> {
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
}

/** What is said of a dump that changes nothing, which is most likely the one that was added before. */
function describeIdle({ builds, existing, addition }: AddedBuild, folder: string): string | undefined {
  const { added, changed, removed } = addition;
  if (added.length + changed.length + removed.length > 0) return undefined;
  const before = (existing ?? builds.at(-1))?.build;
  const undo = existing
    ? `nothing was added to ${folder}`
    : `if it is not the one that was meant, remove ${folder}`;
  return `warning: the dump holds what build ${before} holds already; ${undo}`;
}

const SHOWN = 5;

function describeAdded(
  { builds, existing, released_at, dump, addition, target }: AddedBuild,
  { game, into, assumed }: { game: string; into: string; assumed: boolean },
): string {
  const { added, changed, unchanged, removed, kept, leftOut } = addition;
  const bytes = [...added, ...changed].reduce((sum, file) => sum + file.bytes, 0);
  const before = existing ?? builds.at(-1);
  const lines = [
    `${target}: ${added.length} new, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged${before ? ` (inherited from ${before.build})` : ''}; ${megabytes(bytes)} stored`,
    `released at ${released_at}${assumed ? ', which is now; --released-at says another time' : ''}`,
    ...(removed.length > 0 ? [`removed: ${listFew(removed)}`] : []),
    ...(into === '' ? goneFolders(removed, dump) : []).map(
      (folder) =>
        `all of ${folder}/ is gone: if the dump is one region's, remove ${target} and add it again by --into`,
    ),
    ...(kept.length > 0 ? [`kept, since no table names them: ${listFew(kept)}`] : []),
    ...(leftOut.length > 0
      ? [
          `left out, since neither a table of ${game}/game.json nor its name makes it data: ${listFew(leftOut)}`,
        ]
      : []),
    ...[describeSkipped(dump) ?? []].flat(),
  ];
  return lines.join('\n');
}

/** The top folders of removed files that the dump does not have at all. */
function goneFolders(removed: readonly string[], { files }: Dump): string[] {
  const topOf = (file: string) => (file.includes('/') ? [file.split('/')[0] as string] : []);
  const left = new Set(files.flatMap((file) => topOf(file.path)));
  return [...new Set(removed.flatMap(topOf))].filter((folder) => !left.has(folder));
}

function listFew(files: readonly string[]): string {
  const more = files.length - SHOWN;
  return `${countOf(files.length, 'file')} (${files.slice(0, SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''})`;
}

function instant(text: string): string {
  const read = readInstant(text);
  if (read === undefined)
    throw new InvalidArgumentError(`expected ${buildSchema.properties.released_at.description}.`);
  return read;
}

function note(text: string): string {
  const { minLength, maxLength } = buildSchema.properties.note;
  // As JSON Schema counts: characters, not UTF-16 units.
  const length = [...text].length;
  if (length >= minLength && length <= maxLength) return text;
  throw new InvalidArgumentError(`expected a text of ${minLength} to ${maxLength} characters.`);
}
