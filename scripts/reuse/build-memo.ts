import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SeenRarities } from '../check/steps/step.ts';
import type { Finding } from '../findings/findings.ts';
import { type BuildEntry, filesOf } from '../format/dist-format.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { BuildFiles } from '../read/build-files.ts';
import type { GameDefinition } from '../read/definition.ts';
import type { DatasetSchemas } from '../read/schema-files.ts';
import { hashCode } from './code-hash.ts';
import { FileHashes, type KnownHashes, statOf } from './file-hashes.ts';

/** Where compiled builds are looked for. */
export interface ReuseFolders {
  /** The folder with compiled files, dist/. */
  out: string;
  /** The folder of what is remembered from run to run; it can be deleted at any time. */
  cache: string;
}

/** What compiling a build gave: its entry in the manifest, the rarities up to it, and warnings, with their lines. */
export interface Remembered {
  entry: BuildEntry;
  rarities: SeenRarities;
  findings: Finding[];
}

interface CacheFile {
  code: string;
  files: KnownHashes;
  builds: Record<string, Remembered>;
}

/**
 * What builds were compiled to, by everything that went into them. A build is taken from here only where dist/ has all its files, so
 * that a lost or foreign cache costs time and nothing else.
 */
export class BuildMemo {
  readonly #out: string;
  readonly #file: string;
  readonly #code: string;
  readonly #hashes: FileHashes;
  readonly #known: Record<string, Remembered>;
  readonly #used: Record<string, Remembered> = Object.create(null);
  readonly #new: Record<string, Remembered> = Object.create(null);
  readonly #described = new Map<GameDefinition, string>();
  /** Sizes of files of dist/: what did not change between two builds is one file. */
  readonly #sizes = new Map<string, number>();

  private constructor(out: string, file: string, code: string, cached: CacheFile | undefined) {
    this.#out = out;
    this.#file = file;
    this.#code = code;
    this.#hashes = new FileHashes(cached?.files ?? {});
    this.#known = cached?.code === code ? cached.builds : {};
  }

  /**
   * @param folder the game's folder
   * @param trust whether what is remembered may be used
   */
  static async open(
    { out, cache }: ReuseFolders,
    folder: string,
    slug: string,
    trust: boolean,
  ): Promise<BuildMemo> {
    const place = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 8);
    const file = path.join(cache, `${slug}.${place}.json`);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const cached = trust && text !== undefined ? parse(text) : undefined;
    return new BuildMemo(out, file, await hashCode(), cached);
  }

  /**
   * Stands for all that goes into a build.
   *
   * @param title the game's
   * @param before the entry of the build before it: gates and the diff depend on what that build holds
   * @param rarities those of all builds before it
   */
  keyOf(
    title: string,
    { source, overlays }: BuildFiles,
    before: BuildEntry | undefined,
    rarities: SeenRarities,
  ): string {
    const content = before && [before.build, before.characters, before.datasets];
    const { definition, schemas, ...own } = source;
    const hash = createHash('sha256').update(this.#describe(definition, schemas));
    hash.update(JSON.stringify([title, own, content ?? null, rarities]));
    for (const [pattern, overlay] of overlays) {
      hash.update(JSON.stringify(pattern));
      for (const [file, fullPath] of overlay) {
        hash.update(JSON.stringify([file, fullPath, this.#hashes.hash(fullPath) ?? null]));
      }
    }
    return hash.digest('hex');
  }

  /** A definition and the schemas of a game as a text: most builds share them. */
  #describe(definition: GameDefinition, schemas: DatasetSchemas): string {
    const known = this.#described.get(definition);
    if (known !== undefined) return known;
    const described = JSON.stringify([definition, [...schemas].map(([key, { text }]) => [key, text])]);
    this.#described.set(definition, described);
    return described;
  }

  /** The build with this key, if it was compiled before and its files are there. */
  find(key: string): Remembered | undefined {
    const found = Object.hasOwn(this.#known, key) ? this.#known[key] : undefined;
    if (found === undefined) return undefined;
    for (const { file, bytes } of filesOf(found.entry)) {
      if (this.#sizeOf(file) !== bytes) return undefined;
    }
    this.#used[key] = found;
    return found;
  }

  /** NaN where there is no such file. */
  #sizeOf(file: string): number {
    const size = this.#sizes.get(file) ?? Number(statOf(path.join(this.#out, file))?.size);
    this.#sizes.set(file, size);
    return size;
  }

  /** Remembers a build, from the next `save` on. */
  remember(key: string, remembered: Remembered): void {
    this.#new[key] = remembered;
  }

  /** Writes what was found or remembered, and forgets all else. A cache that cannot be written only costs time. */
  async save(): Promise<void> {
    // What a file that was edited meanwhile was compiled to is not known to be of the one content or the other.
    const isNew = Object.keys(this.#new).length > 0 && this.#hashes.areSteady();
    const builds = isNew ? { ...this.#used, ...this.#new } : this.#used;
    const content: CacheFile = { code: this.#code, files: this.#hashes.seen, builds };
    await mkdir(path.dirname(this.#file), { recursive: true })
      .then(() => replaceFile(this.#file, Buffer.from(JSON.stringify(content))))
      .catch(() => {});
  }
}

function parse(text: string): CacheFile | undefined {
  try {
    const { code, files, builds } = JSON.parse(text) as Partial<CacheFile>;
    return code && files && builds ? { code, files, builds } : undefined;
  } catch {
    return undefined;
  }
}
