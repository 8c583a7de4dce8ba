import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type GameSource, readGame } from '../../scripts/read/game.ts';
import { findBuildFiles } from '../../scripts/read/tables.ts';
import { layOut } from '../upstream/lay-out.ts';
import type { TruthGame } from './games.ts';
import { NewestBuild } from './newest-build.ts';
import { type RawFile, RawTables, writeRawFile } from './raw-tables.ts';
import { LAST_CHECKS } from './recall.ts';

/** The two newest builds of a game in a temporary folder, whose files mutations replace. */
export class TruthWorld {
  readonly slug: string;
  readonly newest: NewestBuild;
  readonly tables: RawTables;
  /** The texts of raw files, by path. */
  readonly #originals: ReadonlyMap<string, string>;

  private constructor(newest: NewestBuild, tables: RawTables, originals: ReadonlyMap<string, string>) {
    this.slug = newest.game.slug;
    this.newest = newest;
    this.tables = tables;
    this.#originals = originals;
  }

  /** Lays out the last two of the builds of a game, and compiles the earlier one. */
  static async open({ slug, folder: dumps, builds }: TruthGame, folder: string): Promise<TruthWorld> {
    const last = builds.slice(-2).map((build) => ({ ...build, overrides: [] }));
    const target = path.join(folder, slug);
    await layOut(slug, { folder: dumps, builds: last, datasets: {} }, target);
    return await TruthWorld.of(target, slug);
  }

  /** Compiles all builds of the game in a folder, except for the newest one. The folder is changed. */
  static async of(folder: string, slug: string): Promise<TruthWorld> {
    const { value: game, findings } = await readGame(folder, slug);
    if (!game?.usable)
      throw new Error(`the definition of ${slug} has errors: ${JSON.stringify(findings[0])}`);
    await completeNewest(game);
    const tables = await RawTables.read(game);
    const originals = new Map<string, string>();
    for (const file of tables.files) originals.set(file, await readFile(file, 'utf8'));
    return new TruthWorld(await NewestBuild.open(game), tables, originals);
  }

  /** The names of identifiers in the mapping. */
  get names(): Set<string> {
    const definition = this.newest.game.builds.at(-1)?.definition;
    const texts = JSON.stringify([definition?.roster, definition?.datasets]);
    return new Set(texts.match(/[\p{L}_$][\p{L}\p{N}_]*/gu));
  }

  /** The text of a raw file before all mutations. */
  originalOf(file: string): string {
    return this.#originals.get(file) ?? '';
  }

  async write(files: readonly RawFile[]): Promise<void> {
    for (const file of files) await writeRawFile(file);
  }

  /** Writes a text in the place of a file, or removes the file. */
  async writeText(file: string, text: string | undefined): Promise<void> {
    if (text === undefined) await rm(file);
    else await writeFile(file, text);
  }

  /** Restores files after a mutation. */
  async restore(files: Iterable<string>): Promise<void> {
    for (const file of files) await writeFile(file, this.originalOf(file));
  }
}

/**
 * Makes the newest build the dump that a first build would be: with the files that it inherits, which can then be mutated too, and without the
 * overrides of findings that stop no measurement, as a first build needs other ones.
 */
async function completeNewest(game: GameSource): Promise<void> {
  const newest = game.builds.at(-1);
  if (newest === undefined) return;
  newest.overrides = newest.overrides.filter(({ check }) => !LAST_CHECKS.has(check));
  const inherited = new Map<string, string>();
  for await (const { source, overlays } of findBuildFiles(game)) {
    if (source !== newest) continue;
    for (const [name, file] of [...overlays.values()].flatMap((overlay) => [...overlay]))
      if (!file.startsWith(`${newest.folder}/`)) inherited.set(name, file);
  }
  const named = new Set(newest.references.map(({ file }) => file));
  for (const [name, file] of inherited) if (!named.has(name)) await cp(file, path.join(newest.folder, name));
}
