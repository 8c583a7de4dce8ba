import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildEntry, filesOf } from '../format/dist-format.ts';
import type { BuildMemo, Remembered, Remembrance, ReuseFolders } from '../game/reuse.ts';
import { makePrivateFolder, replacePrivateFile } from '../lib/private-files.ts';
import type { BuildFiles } from '../read/build-files.ts';
import type { GameDefinition } from '../read/game/definition.ts';
import type { DatasetSchemas } from '../read/game/schema-files.ts';
import { hashCode } from './code-hash.ts';
import { FileHashes, type KnownHashes, statOf } from './file-hashes.ts';

interface CacheFile {
  code: string;
  files: KnownHashes;
  builds: Record<string, Remembered>;
}

/** The results of compiling builds, in a file of the cache folder. */
export class FileMemo implements BuildMemo {
  readonly #out: string;
  readonly #file: string;
  readonly #code: string;
  readonly #hashes: FileHashes;
  readonly #known: Record<string, Remembered>;
  readonly #used: Record<string, Remembered> = Object.create(null);
  readonly #new: Record<string, Remembered> = Object.create(null);
  readonly #described = new Map<GameDefinition, string>();
  /** Sizes of files of dist/, which several builds may share. */
  readonly #sizes = new Map<string, number>();

  private constructor(
    out: string,
    file: string,
    code: string,
    cached: CacheFile | undefined,
  ) {
    this.#out = out;
    this.#file = file;
    this.#code = code;
    this.#hashes = new FileHashes(cached?.files ?? {});
    this.#known = cached?.code === code ? cached.builds : {};
  }

  /**
   * @param folder the game's folder
   * @param trust whether remembered results may be used
   */
  static async open(
    { out, cache }: ReuseFolders,
    folder: string,
    slug: string,
    trust: boolean,
  ): Promise<FileMemo> {
    const place = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 8);
    const file = path.join(cache, `${slug}.${place}.json`);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const cached = trust && text !== undefined ? parse(text) : undefined;
    return new FileMemo(out, file, await hashCode(), cached);
  }

  keyOf(
    title: string,
    { source, overlays }: BuildFiles,
    before: BuildEntry | undefined,
    state: Remembrance,
  ): string {
    const content = before && [before.build, before.characters, before.datasets];
    const { definition, schemas, ...own } = source;
    const hash = createHash('sha256').update(this.#describe(definition, schemas));
    hash.update(JSON.stringify([title, own, content ?? null, state]));
    for (const [pattern, overlay] of overlays) {
      const hashed = [...overlay].map(([file, full]) => [file, full, this.#hashes.hash(full) ?? null]);
      hash.update(JSON.stringify([pattern, hashed]));
    }
    return hash.digest('hex');
  }

  /** A definition and the schemas of a game as text, made once because most builds share them. */
  #describe(definition: GameDefinition, schemas: DatasetSchemas): string {
    const description = this.#described.get(definition);
    if (description !== undefined) return description;
    const described = JSON.stringify([definition, [...schemas].map(([key, { text }]) => [key, text])]);
    this.#described.set(definition, described);
    return described;
  }

  find(key: string, isNewest: boolean): Remembered | undefined {
    const kept = Object.hasOwn(this.#known, key) ? this.#known[key] : undefined;
    if (kept === undefined) return undefined;
    // As it was remembered, it has files for all of its lists.
    const asPast: BuildEntry = { ...kept.entry, in_snapshot: true };
    const entry = [kept.entry, ...(isNewest ? [] : [asPast])].find((each) => this.#isThere(each));
    if (entry === undefined) return undefined;
    this.#used[key] = kept;
    return { ...kept, entry };
  }

  #isThere(entry: BuildEntry): boolean {
    return filesOf(entry).every(({ file, bytes }) => this.#sizeOf(file) === bytes);
  }

  /** The size of a file of dist/; NaN if it does not exist. */
  #sizeOf(file: string): number {
    const size = this.#sizes.get(file) ?? Number(statOf(path.join(this.#out, file))?.size);
    this.#sizes.set(file, size);
    return size;
  }

  remember(key: string, remembered: Remembered): void {
    this.#new[key] = remembered;
  }

  async save(): Promise<void> {
    // If a file was edited during the run, it is not known which content the results are of.
    const isNew = Object.keys(this.#new).length > 0 && this.#hashes.areSteady();
    const builds = isNew ? { ...this.#used, ...this.#new } : this.#used;
    const content: CacheFile = { code: this.#code, files: this.#hashes.seen, builds };
    await makePrivateFolder(path.dirname(this.#file))
      .then(() => replacePrivateFile(this.#file, Buffer.from(JSON.stringify(content))))
      .catch(() => {});
  }
}

function parse(text: string): CacheFile | undefined {
  try {
    const { code, files, builds }: Partial<CacheFile> = JSON.parse(text);
    return code && files && builds ? { code, files, builds } : undefined;
  } catch {
    return undefined;
  }
}
