import type { Index } from '../../scripts/format/dist-format.ts';
import { readIndex } from './dist-folder.ts';

/**
 * Makes the state of a folder when some games of an index failed: the failed games stay as they are in the folder, if they are in it.
 *
 * @param failures the games that failed, by slug
 */
export async function keepFailed(
  folder: string,
  index: Index,
  failures: ReadonlyMap<string, unknown>,
): Promise<Index> {
  if (failures.size === 0) return index;
  const present = await readIndex(folder).catch(() => undefined);
  const games: Index['games'] = [];
  for (const game of index.games) {
    const chosen = failures.has(game.slug) ? present?.games.find(({ slug }) => slug === game.slug) : game;
    if (chosen) games.push(chosen);
  }
  return { ...index, games };
}
