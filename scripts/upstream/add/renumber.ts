import path from 'node:path';
import { Command } from 'commander';
import type { Finding } from '../../findings.ts';
import type { Renames } from '../../format/dist-format.ts';
import { CommandError, createProgress, orCommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { readGame } from '../../read/game.ts';
import { recordRenamed } from './record-renamed.ts';
import { DEFAULT_LIMITS, startCompiler, type StartWorkers } from '../../compile/workers.ts';
import {
  addUpstreamOptions,
  buildArgument,
  chooseGames,
  slugArgument,
  type UpstreamChoice,
  upstreamOf,
} from '../../commands/options.ts';

interface RenumberOptions extends UpstreamChoice {
  data: string;
}

/** `gamedata renumber`, by workers that `start` starts. */
export function renumberCommand(start?: StartWorkers): Command {
  return addUpstreamOptions(new Command('renumber'))
    .description(
      'record that records of a build have other ids than in the build before, so that they keep their history',
    )
    .argument('<slug>', 'the game', slugArgument)
    .argument('<build>', 'the build that has the new ids', buildArgument)
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
Writes the pairs of ids that gamedata check proposes for the build to <slug>/renamed/<build>.json, and names this file as "renamed" in the
build.json. Look at the file: records are matched by name, or by everything else in them.

Exit code: 0 done, 1 there is nothing to record, 2 wrong usage.

Example:
  gamedata renumber arknights 2020-06-28`,
    )
    .action((slug: string, build: string, options: RenumberOptions) => renumber(slug, build, options, start));
}

async function renumber(
  slug: string,
  build: string,
  options: RenumberOptions,
  start?: StartWorkers,
): Promise<void> {
  const { data } = options;
  await chooseGames([slug], data);
  const folder = path.posix.join(data, slug);
  const { value: game } = await readGame(folder, slug);
  const source = game?.builds.find((candidate) => candidate.build === build);
  if (game && source === undefined) {
    const names = game.builds.map((candidate) => candidate.build).join(', ');
    throw new CommandError(`no build ${build} of ${slug}; it has ${names}`, 2);
  }
  const renamed = collectRenamed(await findAll(slug, options, start), build);
  const pairs = Object.values(renamed).flatMap((renames) => Object.keys(renames));
  if (source === undefined || pairs.length === 0) {
    throw new CommandError(
      `no records of ${slug} have other ids in build ${build}, as far as can be seen: gamedata check ${slug} shows all findings`,
    );
  }
  const writing = recordRenamed(folder, source, renamed);
  const file = await orCommandError(writing, (why) => `${folder}/ cannot be written: ${why}`);
  process.stdout.write(
    `${file}: ${countOf(pairs.length, 'pair')} of ids of ${Object.keys(renamed).join(', ')}\n`,
  );
}

/** All findings about a game. */
async function findAll(slug: string, options: RenumberOptions, start?: StartWorkers): Promise<Finding[]> {
  const progress = createProgress(process.stderr);
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  const how = { lenient: true, upstream: upstreamOf(options) };
  const compiling = compiler.compile(options.data, [slug], { ...progress, done() {} }, how);
  const { findings } = await compiling.finally(() => compiler.close());
  progress.clear();
  return findings;
}

/** The renumbered records that findings propose for a build. */
function collectRenamed(findings: readonly Finding[], build: string): Renames {
  const byCollection: Record<string, Record<string, string>> = {};
  for (const { renamed = {}, build: of } of findings) {
    if (of !== build) continue;
    for (const [collection, renames] of Object.entries(renamed))
      byCollection[collection] = { ...byCollection[collection], ...renames };
  }
  return byCollection;
}
