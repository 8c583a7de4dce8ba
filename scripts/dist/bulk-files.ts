import { createHash } from 'node:crypto';
import path from 'node:path';
import type { AttributeDictionary } from '../format/attributes.ts';
import { type BuildContent, contentReader } from '../format/build-content.ts';
import { BULK_FORMATS, type BuildEntry, type BulkFormat, type FileRef } from '../format/dist-format.ts';
import { type FileKeeper, type Keeping, readPlanned } from './planned-files.ts';
import { DamagedFile, readIndex, readManifest } from './read-dist.ts';
import { hasSize } from './stage.ts';

/** Options of `BulkFiles`. */
export interface BulkOptions {
  game: { slug: string; title: string };
  formats: readonly BulkFormat[];
  keeping: Keeping;
  /** Takes the files that are made, and has those of the plan. */
  files: FileKeeper;
}

/** Writes the builds of a plan in other formats. A build whose files dist/ has already is not written again. */
export class BulkFiles {
  readonly #options: BulkOptions;
  readonly #out: string;

  constructor(options: BulkOptions) {
    this.#options = options;
    this.#out = options.keeping.in === 'stage' ? options.keeping.place.out : '';
  }

  /** Returns the builds with references to their files. @throws DamagedFile if a file of a build cannot be read */
  async addTo(entries: readonly BuildEntry[]): Promise<BuildEntry[]> {
    const { game, formats } = this.#options;
    const known = await this.#readKnown();
    const readContent = contentReader(game, async (ref) => (await this.#read(ref)).toString());
    const added: BuildEntry[] = [];
    for (const entry of entries) {
      const before = known.get(keyOf(entry)) ?? {};
      const bulk: NonNullable<BuildEntry['bulk']> = {};
      let content: Promise<BuildContent> | undefined;
      for (const format of formats) {
        const ref = before[format];
        content = ref ? content : (content ?? readContent(entry));
        bulk[format] = ref ?? (await this.#make(entry, await (content as Promise<BuildContent>), format));
      }
      added.push({ ...entry, bulk });
    }
    return added;
  }

  async #make({ attributes }: BuildEntry, content: BuildContent, format: BulkFormat): Promise<FileRef> {
    const dictionary = attributes
      ? (JSON.parse((await this.#read(attributes)).toString()) as AttributeDictionary)
      : {};
    // Loaded here, because most runs write no such files.
    const { makeBulk } = await import('../bulk/make-bulk.ts');
    const bytes = makeBulk(content, dictionary, format);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = `${this.#options.game.slug}/bulk.${format}.${sha256.slice(0, 32)}.zip`;
    const ref = { file, bytes: bytes.length, sha256 };
    await this.#options.files.add(ref, bytes);
    return ref;
  }

  async #read(ref: FileRef): Promise<Buffer> {
    const bytes = await readPlanned(this.#options.files.planned, this.#out, ref);
    if (bytes === undefined) throw new DamagedFile(this.#out, ref);
    return Buffer.from(bytes);
  }

  /** The files of the builds that dist/ has now, as far as they are there. */
  async #readKnown(): Promise<Map<string, NonNullable<BuildEntry['bulk']>>> {
    const known = new Map<string, NonNullable<BuildEntry['bulk']>>();
    if (this.#out === '') return known;
    const index = await readIndex(this.#out).catch(() => undefined);
    const ref = index?.games.find(({ slug }) => slug === this.#options.game.slug)?.manifest;
    const manifest = ref && (await readManifest(this.#out, ref));
    for (const entry of manifest?.builds ?? []) {
      const bulk: NonNullable<BuildEntry['bulk']> = {};
      for (const format of this.#options.formats) {
        const file = entry.bulk?.[format];
        if (file && (await hasSize(path.join(this.#out, file.file), file.bytes))) bulk[format] = file;
      }
      known.set(keyOf(entry), bulk);
    }
    return known;
  }
}

/** Returns the formats in which dist/ has the newest build of a game. */
export async function readFormats(out: string, slug: string): Promise<BulkFormat[]> {
  const index = await readIndex(out).catch(() => undefined);
  const ref = index?.games.find((game) => game.slug === slug)?.manifest;
  const bulk = ref && (await readManifest(out, ref))?.builds.at(-1)?.bulk;
  return BULK_FORMATS.filter((format) => bulk?.[format] !== undefined);
}

/** What the files of a build are made from. */
function keyOf({ build, snapshot, attributes }: BuildEntry): string {
  return [build, snapshot.sha256, attributes?.sha256].join(' ');
}
