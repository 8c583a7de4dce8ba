import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DATA } from '../support/paths.ts';
import { UPSTREAM } from '../support/skip.ts';
import { type ExpectedBuild, expectations } from '../upstream/expectations.ts';
import { layOut, OWN_TABLES } from '../upstream/lay-out.ts';

/** A game of the shared dumps: its folder there, and its builds, oldest first. */
export interface TruthGame {
  slug: string;
  folder: string;
  builds: readonly ExpectedBuild[];
}

/** All games of the shared dumps. */
export const TRUTH_GAMES: readonly TruthGame[] = Object.entries(expectations).map(
  ([slug, { folder, builds }]) => ({
    slug,
    folder,
    builds: builds.map((build) => withMore(slug, folder, build)),
  }),
);

/**
 * The build with the tables that are kept apart from the others: those that the definition reads, except for those of which the game has its own
 * extract.
 */
function withMore(slug: string, folder: string, build: ExpectedBuild): ExpectedBuild {
  const more = build.folders.flatMap((part) => {
    const dump = path.join('../../upstream-more', folder, typeof part === 'string' ? part : part.dump);
    const whole = path.join(UPSTREAM, folder, dump);
    const files = existsSync(whole) ? readdirSync(whole).filter((file) => isRead(slug, file)) : [];
    return files.map((file) => ({ dump: path.join(dump, file), into: file }));
  });
  return { ...build, folders: [...build.folders, ...more] };
}

function isRead(slug: string, file: string): boolean {
  return (
    !OWN_TABLES.includes(file) && readFileSync(path.join(DATA, slug, 'game.json'), 'utf8').includes(file)
  );
}

/** Lays out all dumps of a game in a folder, without the overrides that lift findings. */
export async function layOutPlain({ slug, folder, builds }: TruthGame, target: string): Promise<void> {
  const plain = builds.map((build) => ({ ...build, overrides: [] }));
  await layOut(slug, { folder, builds: plain, datasets: {} }, target);
}
