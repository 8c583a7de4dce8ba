import { hash } from 'node:crypto';
import path from 'node:path';
import { readManifestOf } from '../dist/read-dist.ts';
import {
  compress,
  type FileKeeper,
  hasSize,
  type Keeping,
  nameOfDataset,
  readPlanned,
} from '../dist/stage.ts';
import { contentReader } from '../format/build-content.ts';
import * as dist from '../format/dist-format.ts';
import { once } from '../system.ts';
import { makeDatabase } from './database.ts';
import { type BulkBuild, collectionsOf, WRITERS, writeZip, type ZippedFile, zippedFile } from './tables.ts';

/** The game whose builds are written in formats besides JSON. */
interface BulkOptions {
  game: { slug: string; title: string; language?: string | undefined };
  formats: readonly dist.BulkFormat[];
  /** How many of the newest builds are written in these formats. */
  newest: number;
  keeping: Keeping;
  /** Receives the files, and has those of the plan. */
  files: FileKeeper;
}

/** Writes the builds of a plan in formats besides JSON. */
export class BulkFiles {
  readonly #options: BulkOptions;
  readonly #out: string;
  /** The collections that were made, by file: all builds name the same compressed bytes. */
  readonly #collections = new Map<string, dist.StoredRef>();

  constructor(options: BulkOptions) {
    this.#options = options;
    this.#out = options.keeping.in === 'stage' ? options.keeping.place.out : '';
  }

  /**
   * Returns the builds with references to their files.
   *
   * @param kept the names of the builds that were not compiled again: their files in dist/ are not rewritten
   * @param onBegin called with each build that is written
   * @throws CommandError if a file of a build cannot be read
   */
  async addTo(
    entries: readonly dist.BuildEntry[],
    kept: ReadonlySet<string>,
    onBegin: (build: string) => void,
  ): Promise<dist.BuildEntry[]> {
    const { game, formats, newest } = this.#options;
    const manifest = this.#out === '' ? undefined : await readManifestOf(this.#out, game.slug);
    const known = manifest?.language === game.language ? (manifest?.builds ?? []) : [];
    const added: dist.BuildEntry[] = entries.slice(0, Math.max(0, entries.length - newest));
    for (const entry of entries.slice(added.length)) {
      const before = kept.has(entry.build) ? known.find((each) => isSame(each, entry))?.bulk : undefined;
      const build = once(() => {
        onBegin(entry.build);
        return this.#read(entry);
      });
      const bulk: dist.BulkRefs = {};
      for (const format of formats) {
        const made = (await this.#ifThere(before?.[format])) ?? (await this.#make(await build(), format));
        Object.assign(bulk, { [format]: made });
      }
      added.push({ ...entry, bulk });
    }
    return added;
  }

  async #read(entry: dist.BuildEntry): Promise<BulkBuild> {
    const read = (ref: dist.FileRef) => readPlanned(this.#options.files.planned, this.#out, ref);
    const dictionary = dist.parseDictionary(await read(entry.attributes));
    const content = await contentReader(this.#options.game, read)(entry);
    return { content, dictionary, collections: collectionsOf(content, dictionary) };
  }

  async #make(build: BulkBuild, format: dist.BulkFormat): Promise<dist.CompressedRef | dist.ZipRef> {
    if (format === 'sqlite') {
      const bytes = await makeDatabase(build, this.#options.game.language);
      return await this.#compress(this.#refer('bulk', format, bytes), bytes);
    }
    const { game, title, build: name, released_at } = build.content;
    const about = `${JSON.stringify({ game, title, build: name, released_at })}\n`;
    const files = [await zippedFile('build.json', about)];
    const collections: dist.ZipRef['collections'][number][] = [];
    for (const collection of build.collections) {
      const { key, texts } = collection;
      const content = WRITERS[format](collection);
      if (content === undefined) continue;
      const file = await zippedFile(`${key}.${format}`, content);
      files.push(file);
      if (texts.length > 0) collections.push({ key, ...(await this.#store(key, format, file)) });
    }
    const zip = writeZip(files);
    return { ...this.#add(this.#refer(`bulk.${format}`, 'zip', zip), zip), collections };
  }

  async #store(key: string, format: dist.TableFormat, { bytes, gzip }: ZippedFile): Promise<dist.StoredRef> {
    const ref = this.#refer(key === 'characters' ? key : nameOfDataset(key), format, bytes);
    const known = this.#collections.get(ref.file);
    if (known) return known;
    const { isCompressed } = dist.BULK_TRAITS[format];
    const stored = isCompressed ? await this.#compress(ref, bytes, gzip) : this.#add(ref, bytes);
    this.#collections.set(ref.file, stored);
    return stored;
  }

  async #compress(ref: dist.FileRef, bytes: Uint8Array, known?: Buffer): Promise<dist.CompressedRef> {
    const { gzip, brotli } = await compress(bytes, known);
    const add = (suffix: string, content: Buffer) =>
      this.#add({ file: ref.file + suffix, bytes: content.length, sha256: hash('sha256', content) }, content);
    return { ...ref, gzip: add('.gz', gzip), brotli: add('.br', brotli) };
  }

  #add(ref: dist.FileRef, bytes: Uint8Array): dist.FileRef {
    this.#options.files.add(ref, bytes);
    return ref;
  }

  #refer(name: string, extension: string, bytes: Uint8Array): dist.FileRef {
    const sha256 = hash('sha256', bytes);
    const file = `${this.#options.game.slug}/${name}.${sha256.slice(0, 32)}.${extension}`;
    return { file, bytes: bytes.length, sha256 };
  }

  /** Returns what a build has in a format if dist/ has all of its files. */
  async #ifThere<Ref extends dist.StoredRef | dist.ZipRef>(ref: Ref | undefined): Promise<Ref | undefined> {
    for (const { file, bytes } of ref ? dist.partsOf(ref).flatMap(dist.storedFilesOf) : [])
      if (!(await hasSize(path.join(this.#out, file), bytes))) return undefined;
    return ref;
  }
}

/** Whether the files of two builds are made of the same content. */
function isSame(one: dist.BuildEntry, other: dist.BuildEntry): boolean {
  return one.snapshot.sha256 === other.snapshot.sha256 && one.attributes.sha256 === other.attributes.sha256;
}
