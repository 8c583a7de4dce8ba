import { constants } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { addUpstreamOptions, chooseGames, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';
import { removeCopy } from '../../read/files.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import { CommandError, makeFolder, orCommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { readOrRefuse, replaceFolder, setReferences, withStaging } from './add-build.ts';
import { hashFile } from './files.ts';
import { fetchReferences } from './references.ts';

/**
 * Copies the files that builds of a game name by reference into the folders of the builds, and removes `from` from their build.json. A build is
 * replaced as a whole, oldest first.
 *
 * @param names the builds; empty for all
 * @param report is called with each build that had references, after it was replaced
 * @throws CommandError if a file cannot be fetched or the definitions have errors; the builds that were reported stay replaced
 */
export async function vendorGame(
  folder: string,
  names: readonly string[],
  options: UpstreamOptions,
  report: (build: string, files: number) => void,
): Promise<void> {
  // A build that a killed run was replacing is put back before the builds are read.
  await withStaging(folder, async (staging) => {
    const { builds } = await readOrRefuse(folder, options.cache);
    const unknown = names.filter((name) => builds.every(({ build }) => build !== name));
    if (unknown.length > 0) {
      const present = builds.map(({ build }) => build).join(', ') || 'none';
      throw new CommandError(`no build ${unknown.join(', ')} in ${folder}; it has ${present}`, 2);
    }
    for (const { build, folder: own, references } of builds) {
      if (references.length === 0 || (names.length > 0 && !names.includes(build))) continue;
      await fetchReferences(references, options);
      const staged = path.join(staging, build);
      await cp(own, staged, { recursive: true, verbatimSymlinks: true });
      for (const { file, cached, sha256 } of references) {
        if ((await hashFile(cached)) !== sha256)
          throw new CommandError(
            `${cached} has another content than build.json names: ${removeCopy(cached)}`,
          );
        await makeFolder(path.dirname(path.join(staged, file)));
        await copyFile(cached, path.join(staged, file), constants.COPYFILE_EXCL);
      }
      await setReferences(staged, []);
      await replaceFolder(staged, own, staging);
      report(build, references.length);
    }
  });
}

interface VendorOptions extends UpstreamChoice {
  data: string;
  build?: string[];
}

/** `gamedata vendor`. */
export function vendorCommand(): Command {
  return addUpstreamOptions(new Command('vendor'))
    .description(
      'copy files into data/ that builds name by reference, so that they no longer depend on upstream',
    )
    .argument('[slug...]', 'the games (default: all)')
    .option('--build <name...>', 'only these builds of one game')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
Fetches the files that are not in the cache, compares each with its SHA-256, copies them into the folders of their builds, and removes "from" from
the build.json. What the builds have stays the same, so nothing is compiled differently.

Exit code: 0 done, 1 a file cannot be fetched or has another content; builds before it and other games are done. 2 wrong usage.

Examples:
  gamedata vendor                                every build of every game
  gamedata vendor my-game --build 1.0 1.1        two builds`,
    )
    .action(vendor);
}

async function vendor(slugs: string[], options: VendorOptions): Promise<void> {
  const { data, build: names = [], upstream } = options;
  const games = await chooseGames(slugs, data);
  if (names.length > 0 && slugs.length !== 1)
    throw new CommandError('--build needs one game: gamedata vendor my-game --build 1.0', 2);
  let failed = 0;
  for (const slug of games) {
    const folder = path.posix.join(data, slug);
    let done = 0;
    const report = (build: string, files: number) => {
      process.stdout.write(`${folder}/${build}: ${countOf(files, 'file')} copied\n`);
      done++;
    };
    try {
      await orCommandError(
        vendorGame(folder, names, upstreamOf(options), report),
        (reason) => `${folder}/ or ${upstream} cannot be written: ${reason}`,
      );
      if (done === 0) process.stdout.write(`${slug}: no references\n`);
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode === 2) throw error;
      process.stderr.write(`${slug}: ${error.message}\n`);
      failed++;
    }
  }
  if (failed > 0) throw new CommandError(`${countOf(failed, 'game')} not copied completely`);
}
