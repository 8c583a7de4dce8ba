import { Command } from 'commander';
import { DamagedFile, readIndex, readManifest, readWhole } from '../../dist/read-dist.ts';
import { type BuildEntry, type FileRef, INDEX_FILE, parseDictionary } from '../../format/dist-format.ts';
import { CommandError } from '../../lib/command-error.ts';
import { type Contents, tablesOf } from '../tables.ts';

/** `gamedata contents`. */
export function contentsCommand(): Command {
  return new Command('contents')
    .description('print what each game in dist/ has: builds, records, languages, pictures, datasets')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .addHelpText(
      'after',
      `
Two tables in Markdown, about the newest build of each game: a row for each game, and a row for each dataset.

Exit code: 0 done, 1 no dist/ or damaged files, 2 wrong usage.

Example:
  gamedata contents`,
    )
    .action(async ({ out }: { out: string }) => {
      const index = await readIndex(out);
      if (index === undefined || index.games.length === 0)
        throw new CommandError(`no game in ${out}/${INDEX_FILE}: run gamedata build`);
      const games = await Promise.all(index.games.map(({ manifest }) => readContents(out, manifest)));
      const ended = (game: Contents) => Number(game.manifest.successor !== undefined);
      process.stdout.write(
        tablesOf(
          games.toSorted((a, b) => ended(a) - ended(b)),
          Date.now(),
        ),
      );
    });
}

async function readContents(out: string, ref: FileRef): Promise<Contents> {
  const manifest = await readManifest(out, ref);
  const entry: BuildEntry | undefined = manifest?.builds.at(-1);
  if (manifest === undefined || entry === undefined) throw new DamagedFile(out, ref);
  const { attributes } = entry;
  if (attributes === undefined) return { manifest, entry, dictionary: {} };
  const bytes = await readWhole(out, attributes);
  if (bytes === undefined) throw new DamagedFile(out, attributes);
  return { manifest, entry, dictionary: parseDictionary(bytes) };
}
