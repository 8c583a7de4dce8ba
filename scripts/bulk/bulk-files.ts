import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  compressBrotli,
  compressGzip,
  type FileKeeper,
  hasSize,
  type Keeping,
  nameOfDataset,
  readPlanned,
} from '../dist/stage.ts';
import { readManifestOf } from '../dist/read-dist.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import { type BuildContent, contentReader } from '../format/build-content.ts';
import {
  type BuildEntry,
  BULK_TRAITS,
  type BulkFormat,
  type BulkRefs,
  type CollectionRef,
  type CompressedRef,
  type FileRef,
  parseDictionary,
  partsOf,
  storedFilesOf,
  type StoredRef,
  type TableFormat,
  type ZipRef,
} from '../format/dist-format.ts';
import type { BulkCollection, Gzipped } from './tables.ts';

/** What the files of a build are made from. */
interface Source {
  content: BuildContent;
  dictionary: AttributeDictionary;
  collections: readonly BulkCollection[];
}

/** The game whose builds are written in other formats than JSON. */
interface BulkOptions {
  game: { slug: string; title: string; language?: string | undefined };
  formats: readonly BulkFormat[];
  /** How many of the newest builds are written in them. */
  newest: number;
  keeping: Keeping;
  /** Takes the files that are made, and has those of the plan. */
  files: FileKeeper;
}

/** Writes the builds of a plan in other formats. */
export class BulkFiles {
  readonly #options: BulkOptions;
  readonly #out: string;
  /** The collections that dist/ has or that were made, by file: all builds name the same compressed bytes. */
  readonly #collections = new Map<string, StoredRef>();

  constructor(options: BulkOptions) {
    this.#options = options;
    this.#out = options.keeping.in === 'stage' ? options.keeping.place.out : '';
  }

  /**
   * Returns the builds with references to their files.
   *
   * @param kept the names of the builds that were not compiled again: their files in dist/ are not written again
   * @param onBegin called with each build that is written
   * @throws CommandError if a file of a build cannot be read
   */
  async addTo(
    entries: readonly BuildEntry[],
    kept: ReadonlySet<string>,
    onBegin: (build: string) => void,
  ): Promise<BuildEntry[]> {
    const { game, formats, newest } = this.#options;
    const refs = await this.#readKnown();
    const readContent = contentReader(game, (ref) => this.#read(ref));
    const first = Math.max(0, entries.length - newest);
    const added = entries.slice(0, first);
    for (const entry of entries.slice(first)) {
      const before = (kept.has(entry.build) && refs.get(keyOf(entry, game.language))) || {};
      const bulk: BulkRefs = {};
      let source: Promise<Source> | undefined;
      const read = () => {
        if (source === undefined) onBegin(entry.build);
        source ??= this.#readSource(entry, readContent);
        return source;
      };
      for (const format of formats) {
        if (format === 'sqlite') bulk.sqlite = before.sqlite ?? (await this.#makeDatabase(await read()));
        else bulk[format] = before[format] ?? (await this.#makeZip(await read(), format));
      }
      added.push({ ...entry, bulk });
    }
    return added;
  }

  async #readSource(
    entry: BuildEntry,
    readContent: (entry: BuildEntry) => Promise<BuildContent>,
  ): Promise<Source> {
    const { attributes } = entry;
    const dictionary = attributes ? parseDictionary(await this.#read(attributes)) : {};
    const content = await readContent(entry);
    // Loaded here, because most runs write no such files.
    const { collectionsOf } = await import('./tables.ts');
    return { content, dictionary, collections: collectionsOf(content, dictionary) };
  }

  async #makeZip(source: Source, format: TableFormat): Promise<ZipRef> {
    const { makeBulk } = await import('./tables.ts');
    const { zip, collections } = await makeBulk(source.content, source.collections, format);
    const refs: CollectionRef[] = [];
    for (const [key, file] of collections)
      refs.push({ key, ...(await this.#storeCollection(key, format, file)) });
    const ref = this.#refer(`bulk.${format}`, 'zip', zip);
    await this.#options.files.add(ref, zip);
    return { ...ref, collections: refs };
  }

  async #makeDatabase({ content, collections, dictionary }: Source): Promise<CompressedRef> {
    const { makeDatabase } = await import('./database.ts');
    const bytes = await makeDatabase(content, collections, dictionary, this.#options.game.language);
    return await this.#compress(this.#refer('bulk', 'sqlite', bytes), bytes);
  }

  async #storeCollection(key: string, format: TableFormat, { bytes, gzip }: Gzipped): Promise<StoredRef> {
    const ref = this.#refer(key === 'characters' ? key : nameOfDataset(key), format, bytes);
    const store = async () => {
      if (BULK_TRAITS[format].isCompressed) return await this.#compress(ref, bytes, gzip);
      await this.#options.files.add(ref, bytes);
      return ref;
    };
    const stored = this.#collections.get(ref.file) ?? (await store());
    this.#collections.set(ref.file, stored);
    return stored;
  }

  async #compress(ref: FileRef, bytes: Uint8Array, gzip?: Buffer): Promise<CompressedRef> {
    const [gzipped, brotli] = await Promise.all([gzip ?? compressGzip(bytes), compressBrotli(bytes)]);
    const add = async (suffix: string, compressed: Buffer): Promise<FileRef> => {
      const file = { file: ref.file + suffix, bytes: compressed.length, sha256: sha256Of(compressed) };
      await this.#options.files.add(file, compressed);
      return file;
    };
    return { ...ref, gzip: await add('.gz', gzipped), brotli: await add('.br', brotli) };
  }

  #refer(name: string, extension: string, bytes: Uint8Array): FileRef {
    const sha256 = sha256Of(bytes);
    const file = `${this.#options.game.slug}/${name}.${sha256.slice(0, 32)}.${extension}`;
    return { file, bytes: bytes.length, sha256 };
  }

  async #read(ref: FileRef): Promise<Buffer> {
    return await readPlanned(this.#options.files.planned, this.#out, ref);
  }

  /** The files of the builds that dist/ has now, as far as they are there. */
  async #readKnown(): Promise<Map<string, BulkRefs>> {
    const refs = new Map<string, BulkRefs>();
    if (this.#out === '') return refs;
    const manifest = await readManifestOf(this.#out, this.#options.game.slug);
    for (const entry of manifest?.builds ?? []) {
      const there: [format: string, ref: StoredRef | ZipRef][] = [];
      for (const [format, ref] of Object.entries<StoredRef | ZipRef>(entry.bulk ?? {}))
        if (await this.#noteThere(ref)) there.push([format, ref]);
      refs.set(keyOf(entry, manifest?.language), Object.fromEntries(there) as BulkRefs);
    }
    return refs;
  }

  /** Returns whether dist/ has all files of a build in a format, and notes the collections that it has. */
  async #noteThere(ref: StoredRef | ZipRef): Promise<boolean> {
    let isWhole = true;
    for (const part of partsOf(ref)) {
      const isThere = await this.#isThere(part);
      isWhole &&= isThere;
      if (isThere && part !== ref) this.#collections.set(part.file, part);
    }
    return isWhole;
  }

  async #isThere(ref: StoredRef): Promise<boolean> {
    for (const { file, bytes } of storedFilesOf(ref))
      if (!(await hasSize(path.join(this.#out, file), bytes))) return false;
    return true;
  }
}

/** What the files of a build are made from. */
function keyOf({ build, snapshot, attributes }: BuildEntry, language: string | undefined): string {
  return [build, snapshot.sha256, attributes?.sha256, language].join(' ');
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
