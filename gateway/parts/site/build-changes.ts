import type { BuildEntry } from '../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../core/catalog/game-build.ts';
import type { Archive } from '../../core/past-builds/archive.ts';

/** How many names a visitor sees of what a build changed. */
export const MAX_NAMES = 10;

/** What a visitor sees of the changes in the newest build of the free view: counts, and some names. */
export interface BuildChanges {
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  /** Whether the build is the first of its game, so that there is nothing to compare it with. */
  isFirst: boolean;
  added: number;
  changed: number;
  removed: number;
  /** How many datasets differ, without those that the build is the first to have. */
  datasets: number;
  /** How many datasets the build is the first to have. */
  gained: number;
  /** The first names: of what was added, then changed, then removed. */
  names: readonly { id: string; name: string; kind: 'added' | 'changed' | 'removed' }[];
}

/** The members of a history file that visitors see a part of. */
interface History {
  characters: Record<'added' | 'changed' | 'removed', { id: string; name: string }[]>;
  datasets: Record<string, { kind?: 'added' | 'removed' }>;
}

/**
 * Reads what a visitor may see of the newest build of a game.
 *
 * @throws DistError when the file of the history cannot be read
 */
export async function readChanges(archive: Archive, { builds }: GameBuild): Promise<BuildChanges> {
  const entry = builds.at(-1) as BuildEntry;
  const { characters, datasets } = JSON.parse(`{${await archive.history(entry)}}`) as History;
  const { added, changed, removed } = characters;
  const gained = Object.values(datasets).filter(({ kind }) => kind === 'added').length;
  const named = (kind: 'added' | 'changed' | 'removed') =>
    characters[kind].map(({ id, name }) => ({ id, name, kind }));
  return {
    build: entry.build,
    released_at: entry.released_at,
    isFirst: builds.length === 1,
    added: added.length,
    changed: changed.length,
    removed: removed.length,
    datasets: Object.keys(datasets).length - gained,
    gained,
    names: [...named('added'), ...named('changed'), ...named('removed')].slice(0, MAX_NAMES),
  };
}
