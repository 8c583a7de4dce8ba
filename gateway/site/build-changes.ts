import { LRUCache } from 'lru-cache';
import type { BuildEntry } from '../../scripts/format/dist-format.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { Archive } from '../data/archive.ts';
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

type ListName = 'added' | 'gained' | 'removed' | 'changed' | 'fields';

/** The lists of a collection; `counts` has their lengths if they are only the first page. */
type Lists = { [name in ListName]?: readonly unknown[] } & { counts?: { [name in ListName]?: number } };

/** The members of a history file that a summary is made from. */
export interface History {
  characters: Record<'added' | 'changed' | 'removed', { id: string; name: string }[]> & Pick<Lists, 'counts'>;
  datasets: Record<string, Lists & { kind?: 'added' | 'removed' }>;
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

const CHANGED = ['changed', 'removed', 'fields'] as const;

function countOf({ counts, ...lists }: Lists, name: ListName): number {
  return counts?.[name] ?? lists[name]?.length ?? 0;
}

/** Says in short what the file of a build's history says. */
export function summarize(
  entry: Pick<BuildEntry, 'build' | 'released_at'>,
  isFirst: boolean,
  { characters, datasets }: History,
): BuildChanges {
  const gains = Object.entries(datasets)
    .map(([key, lists]) => ({
      key,
      count: lists.kind === undefined ? countOf(lists, 'added') - countOf(lists, 'gained') : 0,
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  const others = Object.entries(datasets).filter(
    ([key, lists]) =>
      lists.kind !== 'added' &&
      (lists.kind === 'removed' || CHANGED.some((name) => countOf(lists, name) > 0)) &&
      !gains.some((gain) => gain.key === key),
  );
  const namesOf = (kind: 'added' | 'changed' | 'removed') =>
    characters[kind].map(({ id, name }) => ({ id, name, kind }));
  return {
    ...{ build: entry.build, released_at: entry.released_at, isFirst, gains, datasets: others.length },
    added: countOf(characters, 'added'),
    changed: countOf(characters, 'changed'),
    removed: countOf(characters, 'removed'),
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
