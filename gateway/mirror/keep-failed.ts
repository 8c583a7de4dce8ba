import type { Index } from '../../scripts/format/dist-format.ts';
import { readIndex } from '../data/dist-folder.ts';

/**
 * Makes the state of a folder when some games of an index failed: the failed games stay as they are in the folder, and those that are new
 * are left out. In a folder without an index they are named although files are missing: nobody knows which of them are new.
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
  if (!present) return index;
  const before = new Map(present.games.map((game) => [game.slug, game]));
  const games = index.games.flatMap((game) =>
    failures.has(game.slug) ? (before.get(game.slug) ?? []) : game,
  );
  return { ...index, games };
}
