import type { Index } from '../../scripts/format/dist-format.ts';
import { readIndex } from './dist-folder.ts';

/**
 * Makes the state of a folder when some games of an index failed: the failed games stay as they are in the folder. One that is not in it
 * is named although files are missing, so that nobody takes it for a game that does not exist.
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
  const before = new Map(present?.games.map((game) => [game.slug, game]));
  const games = index.games.map((game) => (failures.has(game.slug) && before.get(game.slug)) || game);
  return { ...index, games };
}
