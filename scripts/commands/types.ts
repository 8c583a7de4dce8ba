import { Command } from 'commander';
import { damagedFile, needIndex, readManifest, readSound } from '../dist/read-dist.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import { listReader } from '../format/build-content.ts';
import { type BuildEntry, type FileRef, type JsonObject, ownValue } from '../format/dist-format.ts';
import { CommandError } from '../system.ts';
import { printTypes } from '../types/types.ts';
import { slugArgument } from './options.ts';

/** `gamedata types`. */
export function typesCommand(): Command {
  return new Command('types')
    .description("print the TypeScript types of a game's records")
    .argument('<slug>', 'the game', slugArgument)
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .addHelpText(
      'after',
      `
The types are of the newest released build, for the client game-data-read-api-client. A gateway has them at /types/{game}.d.ts.

Exit code: 0 done, 1 the game was not found, 2 wrong usage.

Example:
  gamedata types arknights > arknights.d.ts`,
    )
    .action(async (slug: string, { out }: { out: string }) => {
      process.stdout.write(await readTypes(slug, out));
    });
}

async function readTypes(slug: string, out: string): Promise<string> {
  const ref = (await needIndex(out)).games.find((game) => game.slug === slug)?.manifest;
  if (ref === undefined) throw new CommandError(`no game ${slug} in ${out}/: run gamedata build`);
  const manifest = await readManifest(out, ref);
  if (manifest === undefined) throw damagedFile(out, ref);
  const { builds, title, language } = manifest;
  const released = builds.findLast(({ released_at }) => Date.parse(released_at) <= Date.now());
  const entry = released ?? (builds.at(-1) as BuildEntry);
  const readOwn = listReader(entry, (file) => readSound(out, file));
  const read = async <T>(file: FileRef) => JSON.parse((await readOwn(file)).toString()) as T;
  const dictionary = await read<AttributeDictionary>(entry.attributes);
  const roster = await read<JsonObject[]>(entry.roster);
  const attributesOf = (collection: string) =>
    ownValue(dictionary, collection) ?? { records: 0, attributes: [] };
  const { build, datasets } = entry;
  return printTypes({ slug, title, language, build, datasets, roster, attributesOf });
}
