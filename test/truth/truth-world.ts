import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type CompiledBuild, compileBuild } from '../../scripts/compile/compile-build.ts';
import { compileMappings } from '../../scripts/compile/mapping.ts';
import { planIndex } from '../../scripts/dist/plan.ts';
import { writeDist } from '../../scripts/dist/write-dist.ts';
import type { Finding } from '../../scripts/findings/findings.ts';
import { compileGame } from '../../scripts/game/compile-game.ts';
import { jsonataEngine } from '../../scripts/jsonata/load-engine.ts';
import { findBuildFiles } from '../../scripts/read/build-files.ts';
import { readGame } from '../../scripts/read/read-game.ts';
import { layOut } from '../upstream/lay-out.ts';
import type { TruthGame } from './games.ts';
import { type RawFile, type RawTable, readRawTables, writeRawFile } from './raw-tables.ts';

/** The two newest builds of a game in a temporary folder: together, and the newest one alone as a first build. */
export class TruthWorld {
  readonly slug: string;
  readonly #folder: string;
  readonly #newest: string;
  /** The texts of raw files, by their paths in the folder of the first build. */
  readonly #originals = new Map<string, string>();

  /** The names of the tables that the earlier build has. */
  #tablesBefore = new Set<string>();

  private constructor(slug: string, folder: string, newest: string) {
    this.slug = slug;
    this.#folder = folder;
    this.#newest = newest;
  }

  /** Lays out the last two of some builds of a game, and compiles the earlier one. */
  static async open({ slug, folder: dumps, builds }: TruthGame, folder: string): Promise<TruthWorld> {
    const [before, newest] = builds.slice(-2);
    if (before === undefined || newest === undefined) throw new Error(`${slug} has fewer than two builds`);
    const lay = (builds: readonly (typeof newest)[], target: string) => {
      const plain = builds.map((build) => ({ ...build, overrides: [] }));
      return layOut(slug, { folder: dumps, builds: plain, datasets: {}, values: [], records: [] }, target);
    };
    await mkdir(path.join(folder, 'step'), { recursive: true });
    await lay([before], path.join(folder, 'step', slug));
    await lay([newest], path.join(folder, 'first', slug));
    const world = new TruthWorld(slug, folder, newest.build);
    await world.#keepBefore();
    await lay([before, newest], path.join(folder, 'step', slug));
    return world;
  }

  /** Compiles the earlier build, so that it is not compiled again for each mutation. */
  async #keepBefore(): Promise<void> {
    const { value: game } = await readGame(this.#gameIn('step'), this.slug);
    if (game)
      this.#tablesBefore = new Set((await readRawTables(game)).map(({ definition }) => definition.name));
    const { value, findings } = await compileGame(this.#gameIn('step'), this.slug, { reuse: this.#reuse });
    if (value === undefined) throw new Error(`${this.slug} does not compile: ${JSON.stringify(findings[0])}`);
    await writeDist(this.#reuse.out, [value], planIndex([value], []), undefined);
  }

  get #reuse() {
    return { out: path.join(this.#folder, 'dist'), cache: path.join(this.#folder, 'cache') };
  }

  #gameIn(part: 'step' | 'first'): string {
    return path.join(this.#folder, part, this.slug);
  }

  /** The raw tables of the newest build, as values that mutations may change. */
  async readTables(): Promise<RawTable[]> {
    const { value: game } = await readGame(this.#gameIn('first'), this.slug);
    if (game === undefined) throw new Error(`the definition of ${this.slug} cannot be read`);
    const tables = await readRawTables(game);
    for (const { file } of tables.flatMap(({ files }) => files)) {
      if (!this.#originals.has(file)) this.#originals.set(file, await readFile(file, 'utf8'));
    }
    return tables;
  }

  /** Whether the earlier build has a table. */
  hadTable(name: string): boolean {
    return this.#tablesBefore.has(name);
  }

  /** The names of identifiers in the mapping. */
  async readNames(): Promise<Set<string>> {
    const { value: game } = await readGame(this.#gameIn('first'), this.slug);
    const definition = game?.builds[0]?.definition;
    const texts = JSON.stringify([definition?.roster, definition?.datasets]);
    return new Set(texts.match(/[\p{L}_$][\p{L}\p{N}_]*/gu));
  }

  /** Writes mutated files into both folders. */
  async write(files: readonly RawFile[]): Promise<void> {
    for (const raw of files) {
      await writeRawFile(raw);
      await cp(raw.file, this.#twinOf(raw.file));
    }
  }

  /** Writes a text in the place of a file, or removes the file. */
  async writeText(file: string, text: string | undefined): Promise<void> {
    for (const target of [file, this.#twinOf(file)]) {
      if (text === undefined) await rm(target);
      else await writeFile(target, text);
    }
  }

  /** The text of a raw file before all mutations. */
  originalOf(file: string): string {
    return this.#originals.get(file) ?? '';
  }

  /** Restores files after a mutation. */
  async restore(files: readonly string[]): Promise<void> {
    for (const file of files) await this.writeText(file, this.originalOf(file));
  }

  #twinOf(file: string): string {
    return file.replace(`${this.#gameIn('first')}/`, `${this.#gameIn('step')}/`);
  }

  /** All findings about the newest build after the one before, or as a first build. */
  async findings(part: 'step' | 'first'): Promise<Finding[]> {
    const options = part === 'step' ? { reuse: this.#reuse } : {};
    const { findings } = await compileGame(this.#gameIn(part), this.slug, options);
    return findings;
  }

  /** Compiles the newest build without checking it; undefined if it cannot be read. */
  async compile(): Promise<CompiledBuild | undefined> {
    const { value: game } = await readGame(this.#gameIn('first'), this.slug);
    if (game === undefined) return undefined;
    const { value: mappings } = compileMappings(game, jsonataEngine());
    for await (const files of findBuildFiles(game)) {
      const mapping = mappings.get(files.source.definition);
      if (files.source.build !== this.#newest || mapping === undefined) continue;
      const { value: tables } = await files.read();
      return (await compileBuild(tables, mapping)).value;
    }
    return undefined;
  }
}
