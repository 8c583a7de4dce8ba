import { createHash } from 'node:crypto';
import type { BuildEntry, DatasetRef, FileRef, ListRef, Manifest } from '../../scripts/dist-format.ts';
import { ATTRIBUTION, TERMS } from '../about.ts';
import { Collection } from '../query/collection.ts';
import { describeFacets } from '../query/facets.ts';
import { DistError, readDistFile, readIndex, readManifest } from './dist-folder.ts';

/** A dataset of a build: a list to query, or one object as JSON bytes. `tag` stands for its content. */
export type Dataset = { key: string; tag: string } & (
  | { kind: 'list'; list: Collection }
  | { kind: 'object'; json: Buffer }
);

/** One build of a game, ready to be served. */
export interface GameBuild {
  slug: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  /** How many builds there are up to this one. */
  builds: number;
  /** Stands for the content of the roster, in ETags. */
  tag: string;
  roster: Collection;
  /** Those that the compiler wrote, in order of their keys. */
  datasets: ReadonlyMap<string, Dataset>;
  /** The generated dataset: every facet of the roster with its values. */
  facets: Dataset;
}

/** What can be seen at a moment: of each game its current build. */
export interface View {
  games: ReadonlyMap<string, GameBuild>;
  /** The answer to /api/games, and what stands for it in ETags. */
  gamesJson: Buffer;
  gamesTag: string;
  /** The moment in ms since 1970 from which on more is visible. */
  until: number;
}

/** A whole state of dist/ in memory. */
export interface Catalog {
  /** What is visible at a moment, in ms since 1970; moments never go back. */
  viewAt(now: number): View;
}

/**
 * Loads a dist/ folder: of each game the current build and those yet to be released.
 *
 * @param now ms since 1970
 * @throws DistError
 */
export async function openCatalog(folder: string, now: number): Promise<Catalog> {
  const index = await readIndex(folder);
  const games: GameBuild[][] = [];
  for (const { manifest: ref } of index.games) {
    const manifest = await readManifest(folder, ref);
    games.push(await loadBuilds(folder, manifest, now));
  }
  let view: View | undefined;
  return {
    viewAt(moment) {
      if (view === undefined || moment >= view.until) view = makeView(games, moment);
      return view;
    },
  };
}

async function loadBuilds(folder: string, manifest: Manifest, now: number): Promise<GameBuild[]> {
  const released = manifest.builds.filter(({ released_at }) => Date.parse(released_at) <= now).length;
  const first = Math.max(0, released - 1);
  const loaded: GameBuild[] = [];
  const open = openFiles(folder);
  for (const [at, entry] of manifest.builds.entries()) {
    if (at >= first) loaded.push(await loadBuild(manifest, entry, at + 1, open));
  }
  return loaded;
}

/** What was made of the files of one game, each read once however many builds name it. */
interface OpenFiles {
  roster(roster: ListRef, characters: ListRef): Promise<Collection>;
  dataset(ref: DatasetRef): Promise<Dataset>;
}

function openFiles(folder: string): OpenFiles {
  const made = new Map<string, unknown>();
  const once = async <T>(refs: FileRef[], make: (files: Buffer[]) => T): Promise<T> => {
    const name = refs.map(({ file }) => file).join();
    if (!made.has(name)) {
      const files = await Promise.all(refs.map((ref) => readDistFile(folder, ref)));
      made.set(
        name,
        explain(refs[0]?.file, () => make(files)),
      );
    }
    return made.get(name) as T;
  };
  return {
    roster: (roster, characters) =>
      once([roster, characters], ([entries, records]) => new Collection(entries as Buffer, records)),
    dataset: (ref) => once([ref], ([file]) => openDataset(ref, file as Buffer)),
  };
}

function explain<T>(file: string | undefined, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new DistError(`${file} cannot be loaded: ${(error as Error).message}`);
  }
}

function openDataset({ key, kind, sha256 }: DatasetRef, file: Buffer): Dataset {
  if (kind === 'object') return { key, kind, tag: sha256, json: file.subarray(0, file.length - 1) };
  return { key, tag: sha256, kind, list: new Collection(file) };
}

async function loadBuild(
  { slug, title }: Manifest,
  entry: BuildEntry,
  builds: number,
  open: OpenFiles,
): Promise<GameBuild> {
  const roster = await open.roster(entry.roster, entry.characters);
  const datasets = await Promise.all(entry.datasets.map((ref) => open.dataset(ref)));
  const tag = `${entry.build} ${entry.roster.sha256}${entry.characters.sha256}`;
  return {
    slug,
    title,
    build: entry.build,
    released_at: entry.released_at,
    builds,
    tag,
    roster,
    datasets: new Map(datasets.map((dataset) => [dataset.key, dataset])),
    facets: { key: 'facets', tag, kind: 'list', list: describeFacets(roster) },
  };
}

function makeView(games: readonly GameBuild[][], now: number): View {
  const visible: GameBuild[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const builds of games) {
    const current = builds.findLast(({ released_at }) => Date.parse(released_at) <= now);
    if (current) visible.push(current);
    const next = builds.find(({ released_at }) => Date.parse(released_at) > now);
    if (next) until = Math.min(until, Date.parse(next.released_at));
  }
  const gamesJson = listGames(visible);
  const gamesTag = createHash('sha256').update(gamesJson).digest('hex');
  return { games: new Map(visible.map((game) => [game.slug, game])), gamesJson, gamesTag, until };
}

function listGames(games: readonly GameBuild[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      total: games.length,
      attribution: ATTRIBUTION,
      terms: TERMS,
      games: games.map(({ slug, title, build, released_at, builds, roster, datasets }) => ({
        slug,
        title,
        build,
        released_at,
        counts: { characters: roster.count, datasets: datasets.size, builds },
        datasets: [...datasets.keys()],
      })),
    }),
  );
}
