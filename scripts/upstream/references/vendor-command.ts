import path from 'node:path';
import { Command } from 'commander';
import { CommandError, orCommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { type VendoredBuild, vendorGame } from './vendor.ts';
import { addUpstreamOptions, chooseGames, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';

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
  const { data, build: names = [] } = options;
  const games = await chooseGames(slugs, data);
  if (names.length > 0 && slugs.length !== 1)
    throw new CommandError('--build needs one game: gamedata vendor my-game --build 1.0', 2);
  let failed = 0;
  for (const slug of games) {
    try {
      await vendorOne(slug, names, options);
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode === 2) throw error;
      process.stderr.write(`${slug}: ${error.message}\n`);
      failed++;
    }
  }
  if (failed > 0) throw new CommandError(`${countOf(failed, 'game')} not copied completely`);
}

async function vendorOne(slug: string, names: readonly string[], options: VendorOptions): Promise<void> {
  const folder = path.posix.join(options.data, slug);
  let done = 0;
  const report = ({ build, files }: VendoredBuild) => {
    process.stdout.write(`${folder}/${build}: ${countOf(files, 'file')} copied\n`);
    done++;
  };
  await orCommandError(
    vendorGame(folder, names, upstreamOf(options), report),
    (reason) => `${folder}/ or ${options.upstream} cannot be written: ${reason}`,
  );
  if (done === 0) process.stdout.write(`${slug}: no references\n`);
}
