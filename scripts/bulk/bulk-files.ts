import { hash } from 'node:crypto';
import path from 'node:path';
import { readManifestOf } from '../dist/read-dist.ts';
import {
  compressBrotli,
  compressGzip,
  type FileKeeper,
  hasSize,
  type Keeping,
  nameOfDataset,
  readPlanned,
} from '../dist/stage.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import { type BuildContent, contentReader } from '../format/build-content.ts';
import {
  BULK_TRAITS,
  type BuildEntry,
  type BulkFormat,
  type BulkRefs,
  type CollectionRef,
  type CompressedRef,
  type FileRef,
  parseDictionary,
  partsOf,
  type StoredRef,
  storedFilesOf,
  type TableFormat,
  type ZipRef,
} from '../format/dist-format.ts';
import { once } from '../system.ts';
import type { BulkCollection } from './tables.ts';

type Source = {
  content: BuildContent;
  dictionary: AttributeDictionary;
  collections: readonly BulkCollection[];
};

/** The game whose builds are written in formats besides JSON. */
interface BulkOptions {
  game: { slug: string; title: string; language?: string | undefined };
  formats: readonly BulkFormat[];
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
  readonly #collections = new Map<string, StoredRef>();

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
    entries: readonly BuildEntry[],
    kept: ReadonlySet<string>,
    onBegin: (build: string) => void,
  ): Promise<BuildEntry[]> {
    const { game, formats, newest } = this.#options;
    const manifest = this.#out === '' ? undefined : await readManifestOf(this.#out, game.slug);
    const added: BuildEntry[] = entries.slice(0, Math.max(0, entries.length - newest));
    for (const entry of entries.slice(added.length)) {
      const known = manifest?.builds.find((each) => each.build === entry.build);
      const isSame = known && keyOf(known, manifest?.language) === keyOf(entry, game.language);
      const before = (isSame && kept.has(entry.build) && known.bulk) || {};
      const source = once(() => {
        onBegin(entry.build);
        return this.#readSource(entry);
      });
      const bulk: BulkRefs = {};
      for (const format of formats) {
        if (format === 'sqlite')
          bulk.sqlite = (await this.#ifThere(before.sqlite)) ?? (await this.#makeDatabase(await source()));
        else
          bulk[format] =
            (await this.#ifThere(before[format])) ?? (await this.#makeZip(await source(), format));
      }
      added.push({ ...entry, bulk });
    }
    return added;
  }

  async #readSource(entry: BuildEntry) {
    const read = (ref: FileRef) => readPlanned(this.#options.files.planned, this.#out, ref);
    const dictionary = parseDictionary(await read(entry.attributes));
    const content = await contentReader(this.#options.game, read)(entry);
    // Most runs write no such files.
    const { collectionsOf } = await import('./tables.ts');
    return { content, dictionary, collections: collectionsOf(content, dictionary) };
  }

  async #makeZip({ content, collections }: Source, format: TableFormat): Promise<ZipRef> {
    const { makeBulk } = await import('./tables.ts');
    const { zip, collections: files } = await makeBulk(content, collections, format);
    const refs: CollectionRef[] = [];
    for (const [key, { bytes, gzip }] of files) {
      const ref = this.#refer(key === 'characters' ? key : nameOfDataset(key), format, bytes);
      const make = BULK_TRAITS[format].isCompressed
        ? () => this.#compress(ref, bytes, gzip)
        : () => this.#add(ref, bytes);
      const stored = this.#collections.get(ref.file) ?? (await make());
      this.#collections.set(ref.file, stored);
      refs.push({ key, ...stored });
    }
    const ref = await this.#add(this.#refer(`bulk.${format}`, 'zip', zip), zip);
    return { ...ref, collections: refs };
  }

  async #makeDatabase({ content, collections, dictionary }: Source): Promise<CompressedRef> {
    const { makeDatabase } = await import('./database.ts');
    const bytes = await makeDatabase(content, collections, dictionary, this.#options.game.language);
    return await this.#compress(this.#refer('bulk', 'sqlite', bytes), bytes);
  }

  async #compress(ref: FileRef, bytes: Uint8Array, gzip?: Buffer): Promise<CompressedRef> {
    const [gzipped, brotli] = await Promise.all([gzip ?? compressGzip(bytes), compressBrotli(bytes)]);
    const add = (suffix: string, compressed: Buffer) => {
      const sha256 = hash('sha256', compressed);
      return this.#add({ file: ref.file + suffix, bytes: compressed.length, sha256 }, compressed);
    };
    return { ...ref, gzip: await add('.gz', gzipped), brotli: await add('.br', brotli) };
  }

  async #add(ref: FileRef, bytes: Uint8Array): Promise<FileRef> {
    await this.#options.files.add(ref, bytes);
    return ref;
  }

  #refer(name: string, extension: string, bytes: Uint8Array): FileRef {
    const sha256 = hash('sha256', bytes);
    const file = `${this.#options.game.slug}/${name}.${sha256.slice(0, 32)}.${extension}`;
    return { file, bytes: bytes.length, sha256 };
  }

  /** Returns what a build has in a format if dist/ has all of its files. */
  async #ifThere<Ref extends StoredRef | ZipRef>(ref: Ref | undefined): Promise<Ref | undefined> {
    for (const { file, bytes } of ref ? partsOf(ref).flatMap(storedFilesOf) : [])
      if (!(await hasSize(path.join(this.#out, file), bytes))) return undefined;
    return ref;
  }
}

/** A key of the inputs of a build's files. */
function keyOf({ snapshot, attributes }: BuildEntry, language: string | undefined): string {
  return [snapshot.sha256, attributes?.sha256, language].join(' ');
}
