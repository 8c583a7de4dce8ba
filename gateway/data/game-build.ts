import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { listReader, type ReadFile } from '../../scripts/format/build-content.ts';
import * as dist from '../../scripts/format/dist-format.ts';
import { HOUR_MS, TIERS } from '../access/account.ts';
import { Collection } from '../query/collection.ts';
import { findLanguages, type Languages } from '../query/translation.ts';
import { countGaps, Dictionary } from './dictionary.ts';
import { DistError, readDistFile, readManifest } from './dist-files.ts';

/** A dataset that is a list to query. `tag` identifies its content. */
export interface ListDataset {
  kind: 'list';
  key: string;
  tag: string;
  list: Collection;
}

/** A dataset: a list, or one object as JSON bytes. `tag` identifies its content. */
export type Dataset = ListDataset | { kind: 'object'; key: string; tag: string; json: Buffer };

/** A build of a game that can be served as the current one. */
export interface GameBuild extends dist.GameDescription {
  slug: string;
  build: string;
  /** The start of its responses as JSON: slug and build, without the closing brace. */
  opening: string;
  /** Its element in the response of /api/games, as JSON. */
  listing: string;
  /** ISO 8601 UTC. */
  released_at: string;
  /** The builds up to this one, oldest first: all that a view may show whose current build is this one. */
  builds: readonly dist.BuildEntry[];
  /** The manifest's entry of this build, the last of `builds`. */
  entry: dist.BuildEntry;
  /** The removed builds that a view may show whose current build is this one. */
  withdrawn: readonly dist.Withdrawal[];
  /** Earlier ids of renumbered records → current ids, by collection. */
  currentIds: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Identifies the content of the roster in ETags. */
  tag: string;
  /** Identifies everything in `builds` and `withdrawn`, and `cadence_days`, in ETags. */
  historyTag: string;
  roster: Collection;
  /** The languages of the texts in this build. */
  languages: Languages;
  /** The datasets that the compiler wrote, in order of their keys. */
  datasets: ReadonlyMap<string, Dataset>;
  /** The meaning of the attributes, and the generated dataset of facets. */
  dictionary: Dictionary;
  /** Roster, datasets and dictionary by what identifies their content: builds with the same ones share them. */
  parts: ReadonlyMap<string, unknown>;
}

/** A game with a larger build is refused: its records need several times as much memory. */
const MAX_BUILD_BYTES = 256 * 1024 * 1024;

/** @param loaded builds whose parts are reused @returns what loads the build at a position of a manifest, or rejects with a DistError */
function buildLoader(folder: string, loaded: readonly GameBuild[]) {
  const known = new Map(loaded.flatMap(({ parts }) => [...parts]));
  return async (manifest: dist.Manifest, at: number): Promise<GameBuild> => {
    const builds = manifest.builds.slice(0, at + 1);
    const entry = builds[at] as dist.BuildEntry;
    const bytes = dist.listFilesOf(entry).reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > MAX_BUILD_BYTES)
      throw new DistError(
        `build ${entry.build} of ${manifest.slug} has ${bytes} bytes of records, expected at most ${MAX_BUILD_BYTES}: make its mapping smaller`,
      );
    const parts = new Map<string, unknown>();
    const part = async <Part>(content: string, open: () => Promise<Part>): Promise<Part> => {
      const made = (known.get(content) as Part | undefined) ?? (await open());
      for (const map of [known, parts]) map.set(content, made);
      return made;
    };
    const read = listReader(entry, (ref) => readDistFile(folder, ref));
    const aliases: dist.Aliases = entry.aliases
      ? JSON.parse(String(await readDistFile(folder, entry.aliases)))
      : {};
    const namesOf = (collection: string) => dist.ownValue(aliases, collection);
    const aliasesTag = (collection: string) =>
      namesOf(collection) ? hash('sha256', JSON.stringify(namesOf(collection))) : '';
    const tag = entry.roster.sha256 + entry.characters.sha256 + aliasesTag(CHARACTERS);
    const roster = await part(tag, () => openList(read, entry.roster, entry.characters, namesOf(CHARACTERS)));
    const openDataset = async (ref: dist.DatasetRef, tag: string): Promise<Dataset> => {
      const { key, kind } = ref;
      if (kind === 'list') return { key, kind, tag, list: await openList(read, ref, ref, namesOf(key)) };
      const file = await read(ref);
      return { key, kind, tag, json: file.subarray(0, file.length - 1) };
    };
    const datasets = await Promise.all(
      entry.datasets.map((ref) => {
        const tag = ref.sha256 + aliasesTag(ref.key);
        // The file is included too: two datasets may have the same records.
        return part(`${ref.file} ${tag}`, () => openDataset(ref, tag));
      }),
    );
    const { sha256 } = entry.attributes;
    const dictionary = await part(
      sha256,
      async () => new Dictionary(sha256, await readDistFile(folder, entry.attributes)),
    );
    // If it is not the newest build, builds that were removed after it stay hidden.
    const withdrawn = (manifest.withdrawn ?? []).filter(
      (each) => entry === manifest.builds.at(-1) || isReleased(each, Date.parse(entry.released_at)),
    );
    // The positions of a build's lists would reveal whether there is a later build.
    const shown = builds.map((each) => ({
      ...each,
      in_snapshot: undefined,
      roster: { ...each.roster, gzip: undefined },
    }));
    const lists = [CHARACTERS, ...entry.datasets.flatMap(({ key, kind }) => (kind === 'list' ? key : []))];
    const attributes = lists.flatMap((key) => dictionary.of(key).attributes.map((each) => each.key));
    return {
      ...dist.descriptionOf(manifest),
      slug: manifest.slug,
      build: entry.build,
      entry,
      opening: JSON.stringify({ game: manifest.slug, build: entry.build }).slice(0, -1),
      listing: listGame(manifest, builds, dictionary),
      released_at: entry.released_at,
      builds,
      withdrawn,
      currentIds: currentIdsOf(builds),
      tag: `${entry.build} ${tag}`,
      historyTag: hash('sha256', JSON.stringify([shown, withdrawn, manifest.cadence_days])),
      roster,
      languages: findLanguages(attributes, manifest.language),
      datasets: new Map(datasets.map((dataset) => [dataset.key, dataset])),
      dictionary,
      parts,
    };
  };
}

/** Returns the element of /api/games for the last of some builds. @param builds oldest first */
function listGame(
  { slug, title, images }: dist.Manifest,
  builds: readonly dist.BuildEntry[],
  dictionary: Dictionary,
) {
  const entry = builds.at(-1) as dist.BuildEntry;
  const { build, released_at, roster } = entry;
  const datasets = entry.datasets.map(({ key }) => key);
  const counts = { characters: roster.count, datasets: datasets.length, builds: builds.length };
  const gaps = countGaps(dictionary, [CHARACTERS, ...datasets]);
  // Each format with the first of the builds that all have it.
  const since = (format: dist.BulkFormat) =>
    builds[builds.findLastIndex(({ bulk }) => bulk?.[format] === undefined) + 1]?.build;
  const others = Object.fromEntries(dist.BULK_FORMATS.map((format) => [format, since(format)]));
  const formats = { json: builds[0]?.build, ...others };
  const head = { slug, title, build, released_at, counts, datasets, as_of: dist.asOf(entry) };
  return JSON.stringify({ ...head, gaps, formats, images });
}

async function openList(
  read: ReadFile,
  list: dist.FileRef,
  full: dist.FileRef,
  names: dist.Aliases[string] | undefined,
) {
  const file = await read(list);
  const fullFile = full.file === list.file ? file : await read(full);
  return new Collection(file, fullFile, names);
}

/** The collection of the roster. */
export const CHARACTERS = 'characters';

/** Returns, by collection, the current ids of renumbered records by each earlier id. */
function currentIdsOf(builds: readonly dist.BuildEntry[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const collections = new Map<string, Map<string, string>>();
  for (const { renamed = {} } of builds) {
    for (const [collection, ids] of Object.entries(renamed)) {
      const currentIds = collections.get(collection) ?? new Map<string, string>();
      for (const [old, current] of currentIds)
        if (Object.hasOwn(ids, current)) currentIds.set(old, ids[current] ?? current);
      for (const [old, current] of Object.entries(ids)) currentIds.set(old, current);
      collections.set(collection, currentIds);
    }
  }
  return collections;
}

/**
 * Returns the id of a character in each build. If two characters had the id, the newer one counts.
 *
 * @param id its id in the last build
 * @returns undefined for builds from before the character got an id that another one had
 */
export function idsOverTime(builds: readonly dist.BuildEntry[], id: string): (string | undefined)[] {
  const ids: (string | undefined)[] = [];
  let current: string | undefined = id;
  for (const { renamed } of [...builds].reverse()) {
    ids.push(current);
    const pairs = Object.entries(renamed?.[CHARACTERS] ?? {});
    const before = pairs.find(([, to]) => to === current);
    const isReused = before === undefined && pairs.some(([from]) => from === current);
    current = isReused ? undefined : (before?.[0] ?? current);
  }
  return ids.reverse();
}

/** The delay of the tier that waits longest. */
export const MAX_DELAY_MS = Math.max(...Object.values(TIERS).map(({ delayHours }) => delayHours)) * HOUR_MS;

/** Returns the position of the newest build released at a time; 0 if none is. @param builds oldest first */
export function currentAt(builds: readonly { released_at: string }[], moment: number): number {
  const at = builds.findLastIndex((build) => isReleased(build, moment));
  return Math.max(0, at);
}

/** Returns whether a build is released at a moment, in ms since 1970. */
export function isReleased({ released_at }: { released_at: string }, moment: number): boolean {
  return Date.parse(released_at) <= moment;
}

/** A game in memory. */
export interface LoadedGame {
  slug: string;
  /** The SHA-256 of its manifest; undefined if the game could not be loaded whole. */
  sha256: string | undefined;
  /** Oldest first. */
  builds: readonly GameBuild[];
  /** Whether its manifest has later builds. */
  hasMore?: boolean;
  /** The release of its first build, if files were damaged and there was no state before. */
  since?: string | undefined;
}

/**
 * Loads a game of an index. If files are damaged, it keeps its previous state; without one, its undamaged builds.
 *
 * @param before the game in the previous state
 * @returns the game, and why it could not be loaded completely
 */
export async function loadGame(
  folder: string,
  { slug, manifest: ref }: dist.Index['games'][number],
  now: number,
  before: LoadedGame | undefined,
): Promise<{ game: LoadedGame; failure?: DistError }> {
  const fallback = { slug, builds: [], ...before, sha256: undefined };
  const manifest = await orFailure(readManifest(folder, ref));
  if (manifest instanceof DistError) return { game: fallback, failure: manifest };
  await setImmediate();
  const { builds, failure } = await loadBuilds(manifest, now, buildLoader(folder, fallback.builds));
  const hasMore = builds.at(-1)?.build !== manifest.builds.at(-1)?.build;
  if (!failure) return { game: { slug, sha256: ref.sha256, builds, hasMore } };
  if (fallback.builds.length > 0 && fallback.since === undefined) return { game: fallback, failure };
  return { game: { slug, sha256: undefined, builds, since: manifest.builds[0]?.released_at }, failure };
}

/**
 * Loads the builds that are current for a tier, and the next one; later ones could need any amount of memory. For a damaged one it loads the newest
 * undamaged build before it.
 */
async function loadBuilds(manifest: dist.Manifest, now: number, load: ReturnType<typeof buildLoader>) {
  const builds: GameBuild[] = [];
  let failure: DistError | undefined;
  const first = currentAt(manifest.builds, now - MAX_DELAY_MS);
  const next = currentAt(manifest.builds, now) + 1;
  for (let at = first; at <= Math.min(next, manifest.builds.length - 1); at++) {
    let loaded = await orFailure(load(manifest, at));
    if (loaded instanceof DistError) failure ??= loaded;
    for (let before = at - 1; at === first && loaded instanceof DistError && before >= 0; before--)
      loaded = await orFailure(load(manifest, before));
    if (!(loaded instanceof DistError)) builds.push(loaded);
  }
  return { builds, failure };
}

/** Turns a bug that one game's data triggers into a failure of that game alone. */
async function orFailure<T>(work: Promise<T>): Promise<T | DistError> {
  return await work.catch((error: unknown) =>
    error instanceof DistError ? error : new DistError(`cannot be loaded: ${(error as Error).stack}`),
  );
}

/** Returns a tag that changes with the description or a list of a game. */
export function tagOfGame({ title, languages, tag, dictionary, datasets }: GameBuild): string {
  const lists = [...datasets.values()].map((dataset) => `${dataset.key} ${dataset.tag}`);
  return [title, languages.own, tag, dictionary.tag, ...lists].join(' ');
}
