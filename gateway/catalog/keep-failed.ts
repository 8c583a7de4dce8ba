import { filesOf, type Index } from '../../scripts/format/dist-format.ts';
import { readIndex, readManifest } from './dist-folder.ts';

/**
 * Makes the state of a folder when some games of an index failed: the failed games stay as they are in the folder, if they are in it.
 *
 * @param failures the games that failed, by slug
 * @returns the state, and the files of the games that stay
 */
export async function keepFailed(
  folder: string,
  index: Index,
  failures: ReadonlyMap<string, unknown>,
): Promise<{ state: Index; kept: string[] }> {
  if (failures.size === 0) return { state: index, kept: [] };
  const present = await readIndex(folder).catch(() => undefined);
  const kept: string[] = [];
  const games: Index['games'] = [];
  for (const game of index.games) {
    const chosen = failures.has(game.slug) ? present?.games.find(({ slug }) => slug === game.slug) : game;
    if (chosen) games.push(chosen);
    if (!chosen || chosen === game) continue;
    const manifest = await readManifest(folder, chosen.manifest).catch(() => undefined);
    kept.push(chosen.manifest.file, ...(manifest?.builds.flatMap(filesOf) ?? []).map(({ file }) => file));
  }
  return { state: { ...index, games }, kept };
}
