import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import type { Published } from '../recorded/published-builds.ts';

/** Finds games that are published and not in data/. */
export function findMissingGames(
  { games, place }: Published,
  data: string,
  slugs: readonly string[],
): Finding[] {
  const missing = Object.keys(games).filter((slug) => !slugs.includes(slug));
  return missing.map((slug) => ({
    check: 'recorded-build',
    severity: 'error',
    place: { file: path.posix.join(data, slug, 'game.json'), pointer: '', line: 1 },
    found: `no game ${slug}`,
    expected: `the game as published in ${place}`,
    fix: 'restore its folder; or name the games to check, if it is to be removed',
  }));
}
