import { createHash } from 'node:crypto';
import type { CompiledBuild, CompiledDataset } from './compile/compile-build.ts';
import {
  type BuildEntry,
  type DatasetRef,
  encodeList,
  type FileRef,
  FORMAT,
  type Index,
  type JsonObject,
  type ListRef,
  type Manifest,
} from './dist-format.ts';

/** A game in the form dist/ should hold it: its manifest, and the bytes of every file that the manifest names. */
export interface GamePlan {
  slug: string;
  manifest: FileRef;
  /** By path in dist/, the manifest's own among them. */
  files: Map<string, Buffer>;
  /** What the newest build holds, for people. */
  newest: { characters: number; datasets: number };
  builds: number;
}

/** Gathers a game's builds, oldest first, into a plan; each build is only held in its encoded form. */
export class GamePlanner {
  readonly #slug: string;
  readonly #title: string;
  readonly #files = new Map<string, Buffer>();
  readonly #builds: BuildEntry[] = [];

  constructor(slug: string, title: string) {
    this.#slug = slug;
    this.#title = title;
  }

  /** Adds the next build. */
  addBuild({ source, roster, characters, datasets }: CompiledBuild): void {
    this.#builds.push({
      build: source.build,
      released_at: source.released_at,
      note: source.note,
      roster: this.#addList('roster', roster),
      characters: this.#addList(
        'characters',
        characters.map(({ record }) => record),
      ),
      datasets: datasets.map((dataset) => this.#addDataset(dataset)),
    });
  }

  /** The plan of all builds added. */
  finish(): GamePlan {
    const manifest: Manifest = { slug: this.#slug, title: this.#title, builds: this.#builds };
    const newest = this.#builds.at(-1);
    return {
      slug: this.#slug,
      manifest: this.#addFile('manifest', `${JSON.stringify(manifest, null, 1)}\n`),
      files: this.#files,
      newest: { characters: newest?.characters.count ?? 0, datasets: newest?.datasets.length ?? 0 },
      builds: this.#builds.length,
    };
  }

  #addDataset(dataset: CompiledDataset): DatasetRef {
    const name = `dataset.${dataset.key}`;
    const file =
      dataset.kind === 'list'
        ? this.#addList(
            name,
            dataset.records.map(({ record }) => record),
          )
        : { ...this.#addFile(name, `${JSON.stringify(dataset.object)}\n`), count: 1 };
    return { key: dataset.key, kind: dataset.kind, ...file };
  }

  #addList(name: string, records: JsonObject[]): ListRef {
    return { ...this.#addFile(name, encodeList(records)), count: records.length };
  }

  #addFile(name: string, text: string): FileRef {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = `${this.#slug}/${name}.${sha256.slice(0, 32)}.json`;
    this.#files.set(file, bytes);
    return { file, bytes: bytes.length, sha256 };
  }
}

/**
 * The index that names the planned games.
 *
 * @param kept games of the present index that were not built and stay as they are
 */
export function planIndex(plans: GamePlan[], kept: Index['games']): Index {
  const games = [...kept, ...plans.map(({ slug, manifest }) => ({ slug, manifest }))];
  return { format: FORMAT, games: games.sort((a, b) => (a.slug < b.slug ? -1 : 1)) };
}
