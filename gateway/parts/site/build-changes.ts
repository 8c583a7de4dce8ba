import { LRUCache } from 'lru-cache';
import type { BuildEntry } from '../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../core/catalog/game-build.ts';
import type { Archive } from '../../core/past-builds/archive.ts';
import { arrangePatch, type BuildDiff, type PatchPart } from './model/patch-notes.ts';

/** How many names a summary has. */
export const MAX_NAMES = 10;
/** How many builds are remembered in short. */
const MAX_KEPT = 4000;

/** What a build changed, in short. */
export interface BuildChanges {
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  /** Whether the build is the first of its game, so that there is nothing to compare it with. */
  isFirst: boolean;
  added: number;
  changed: number;
  removed: number;
  /** The datasets that gained records of the game, and how many; most first. */
  gains: readonly { key: string; count: number }[];
  /** How many other datasets the game changed; not those that only have further attributes. */
  datasets: number;
  /** The first names: of what was added, then changed, then removed. */
  names: readonly { id: string; name: string; kind: 'added' | 'changed' | 'removed' }[];
}

/** The members of a history file that a summary is made from. */
export interface History {
  characters: Record<'added' | 'changed' | 'removed', { id: string; name: string }[]>;
  datasets: Record<
    string,
    {
      kind?: 'added' | 'removed';
      added?: unknown[];
      gained?: unknown[];
      removed?: unknown[];
      changed?: unknown[];
      fields?: unknown[];
    }
  >;
}

/** Files never change, so that a summary stays true: by the name of its file. */
const summaries = new LRUCache<string, BuildChanges>({ max: MAX_KEPT });

/**
 * Reads what a build of a game changed, in short.
 *
 * @param entry a build that visitors see; the newest by default
 * @throws DistError when the file of the history cannot be read
 */
export async function readChanges(
  archive: Archive,
  { builds, entry: newest }: GameBuild,
  entry: BuildEntry = newest,
): Promise<BuildChanges> {
  let summary = summaries.get(entry.history.file);
  if (summary) return summary;
  const history: History = JSON.parse(`{${await archive.history(entry)}}`);
  summary = summarize(entry, entry === builds[0], history);
  summaries.set(entry.history.file, summary);
  return summary;
}

/** Says in short what the file of a build's history says. */
export function summarize(
  entry: Pick<BuildEntry, 'build' | 'released_at'>,
  isFirst: boolean,
  { characters, datasets }: History,
): BuildChanges {
  const { added, changed, removed } = characters;
  const gains = Object.entries(datasets)
    .map(([key, { kind, added: all = [], gained = [] }]) => ({
      key,
      count: kind === undefined ? all.length - gained.length : 0,
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  const others = Object.entries(datasets).filter(
    ([key, { kind, changed: differ = [], removed: gone = [], fields = [] }]) =>
      kind !== 'added' &&
      (kind === 'removed' || differ.length + gone.length + fields.length > 0) &&
      !gains.some((gain) => gain.key === key),
  );
  const namesOf = (kind: 'added' | 'changed' | 'removed') =>
    characters[kind].map(({ id, name }) => ({ id, name, kind }));
  return {
    ...{ build: entry.build, released_at: entry.released_at, isFirst, gains, datasets: others.length },
    ...{ added: added.length, changed: changed.length, removed: removed.length },
    names: [...namesOf('added'), ...namesOf('changed'), ...namesOf('removed')].slice(0, MAX_NAMES),
  };
}

/**
 * Reads everything that a build changed since the one before.
 *
 * @throws DistError when the file of the difference cannot be read
 */
export async function readPatch(
  archive: Archive,
  game: GameBuild,
  previous: BuildEntry,
  entry: BuildEntry,
): Promise<PatchPart[]> {
  const diff = await archive.diff(game, previous, entry, 'diff');
  return arrangePatch(JSON.parse(diff.toString()) as BuildDiff);
}
