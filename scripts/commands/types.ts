import { Command } from 'commander';
import { damagedFile, readIndex, readManifest, readSound } from '../dist/read-dist.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import { listReader } from '../format/build-content.ts';
import { type FileRef, INDEX_FILE, type JsonObject, ownValue } from '../format/dist-format.ts';
import { CommandError } from '../system.ts';
import { printTypes } from '../types/types.ts';
import { slugArgument } from './options.ts';

interface TypesOptions {
  out: string;
  from?: string;
  build?: string;
}

/** `gamedata types`. */
export function typesCommand(): Command {
  return new Command('types')
    .description("print the TypeScript types of a game's records")
    .argument('<slug>', 'the game', slugArgument)
    .option('--from <address>', 'a gateway to read the types from, which needs no key (default: dist/)')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .option('--build <name>', 'a build in dist/ (default: the newest one that is released)')
    .addHelpText(
      'after',
      `
The types are for the client game-data-read-api-client. A gateway has them at /types/{game}.d.ts.

Exit code: 0 done, 1 the game, the build or the gateway was not found, 2 wrong usage.

Examples:
  gamedata types arknights > arknights.d.ts
  gamedata types arknights --from https://api.example.org > arknights.d.ts`,
    )
    .action(async (slug: string, options: TypesOptions) => {
      process.stdout.write(
        options.from ? await fetchTypes(slug, options.from) : await readTypes(slug, options),
      );
    });
}

async function fetchTypes(slug: string, address: string): Promise<string> {
  const url = `${address.replace(/\/+$/, '')}/types/${slug}.d.ts`;
  const response = await fetch(url).catch((error: Error & { cause?: Error }) => {
    throw new CommandError(`${url} cannot be read: ${error.cause?.message ?? error.message}`);
  });
  const text = await response.text();
  if (!response.ok) throw new CommandError(`${url} responds with ${response.status}: ${text.slice(0, 300)}`);
  if (!response.headers.get('content-type')?.startsWith('application/typescript'))
    throw new CommandError(`${url} is not TypeScript: check --from`);
  return text;
}

async function readTypes(slug: string, { out, build }: TypesOptions): Promise<string> {
  const index = await readIndex(out);
  const ref = index?.games.find((game) => game.slug === slug)?.manifest;
  if (ref === undefined) {
    const missing = index ? `no game ${slug} in ${out}/` : `no ${out}/${INDEX_FILE}`;
    throw new CommandError(`${missing}: run gamedata build, or name a gateway with --from`);
  }
  const manifest = await readManifest(out, ref);
  if (manifest === undefined) throw damagedFile(out, ref);
  const { builds } = manifest;
  const entry = build
    ? builds.find((each) => each.build === build)
    : (builds.findLast(({ released_at }) => Date.parse(released_at) <= Date.now()) ?? builds.at(-1));
  if (entry === undefined) {
    throw new CommandError(
      `no build ${build} of ${slug} in ${out}/; it has ${builds.map((each) => each.build).join(', ')}`,
    );
  }
  if (entry.attributes === undefined)
    throw new CommandError(`${out}/ has no attribute dictionary of ${slug}: run gamedata build`);
  const readOwn = listReader(entry, (file) => readSound(out, file));
  const read = async <T>(file: FileRef) => JSON.parse((await readOwn(file)).toString()) as T;
  const dictionary = await read<AttributeDictionary>(entry.attributes);
  const roster = await read<JsonObject[]>(entry.roster);
  const of = (collection: string) => ownValue(dictionary, collection) ?? { records: 0, attributes: [] };
  const datasets = entry.datasets.map(({ key, kind }) => ({ key, kind, attributes: of(key) }));
  const { title, language } = manifest;
  return printTypes({
    slug,
    title,
    language,
    build: entry.build,
    characters: of('characters'),
    datasets,
    roster,
  });
}
