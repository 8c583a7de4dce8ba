import path from 'node:path';
import { Command } from 'commander';
import { editJsonFile } from '../../check/recorded.ts';
import * as common from '../../commands/options.ts';
import type { StartWorkers } from '../../compile/workers.ts';
import { RENAMED_FOLDER, readGame } from '../../read/game.ts';
import { CommandError, createProgress, makeFolder, orCommandError, replaceFile } from '../../system.ts';
import { countOf } from '../../text.ts';
import { compileBuilds } from '../review/diff.ts';

type Options = common.UpstreamChoice & { data: string };

/** `gamedata renumber`. @param start starts the workers that compile */
export function renumberCommand(start?: StartWorkers): Command {
  return common
    .addUpstreamOptions(new Command('renumber'))
    .description(
      'record that records of a build have other ids than in the build before, so that they keep their history',
    )
    .argument('<slug>', 'the game', common.slugArgument)
    .argument('<build>', 'the build that has the new ids', common.buildArgument)
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
Writes the pairs of ids that gamedata check proposes for the build to <slug>/renamed/<build>.json, and names this file as "renamed" in the
build.json. Look at the file: records are matched by name, or by everything else in them.

Exit code: 0 done, 1 there is nothing to record, 2 wrong usage.`,
    )
    .action((slug: string, build: string, options: Options) => renumber(slug, build, options, start));
}

async function renumber(slug: string, build: string, options: Options, start?: StartWorkers) {
  const { data } = options;
  await common.chooseGames([slug], data);
  const folder = path.posix.join(data, slug);
  const { value: game } = await readGame(folder, slug);
  const source = game?.builds.find((candidate) => candidate.build === build);
  if (game && source === undefined) {
    const names = game.builds.map((candidate) => candidate.build).join(', ');
    throw new CommandError(`no build ${build} of ${slug}; it has ${names}`, 2);
  }
  const how = { progress: createProgress(process.stderr), upstream: common.upstreamOf(options), start };
  const { findings } = await compileBuilds(data, slug, how);
  const proposed = findings.flatMap(({ renamed = {}, build: of }) =>
    of === build ? Object.entries(renamed) : [],
  );
  const pairs = proposed.flatMap(([, renames]) => Object.keys(renames));
  if (source === undefined || pairs.length === 0)
    throw new CommandError(
      `no records of ${slug} have other ids in build ${build}, as far as can be seen: gamedata check ${slug} shows all findings`,
    );
  // Existing entries stay.
  const all: Record<string, Record<string, string>> = { ...source.renamed };
  for (const [list, renames] of proposed) all[list] = { ...all[list], ...renames };
  const name = `${RENAMED_FOLDER}/${build}.json`;
  const file = path.posix.join(folder, name);
  const write = async () => {
    await makeFolder(path.dirname(file));
    await replaceFile(file, Buffer.from(`${JSON.stringify(all, null, 1)}\n`));
    await editJsonFile(path.posix.join(folder, build, 'build.json'), 'renamed', name);
  };
  await orCommandError(write(), (why) => `${folder}/ cannot be written: ${why}`);
  const lists = [...new Set(proposed.map(([list]) => list))].join(', ');
  process.stdout.write(`${file}: ${countOf(pairs.length, 'pair')} of ids of ${lists}\n`);
}
