import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DATA } from '../support/paths.ts';
import { UPSTREAM } from '../support/skip.ts';
import { expectations } from '../upstream/expectations/expectations.ts';
import type { ExpectedBuild } from '../upstream/expectations/expected-game.ts';
import { OWN_TABLES } from '../upstream/lay-out.ts';

/** A game of the shared dumps: its folder there, and its builds, oldest first. */
export interface TruthGame {
  slug: string;
  folder: string;
  builds: readonly ExpectedBuild[];
}

/** Makes a build that is one folder of the dumps; its number of characters does not matter here. */
function plainBuild(folder: string, released_at: string): ExpectedBuild {
  return { build: folder, folders: [folder], released_at, characters: 0 };
}

/** Games whose definitions are only for this program and for `test/upstream`. */
const MORE: readonly TruthGame[] = [
  {
    slug: 'honkai-star-rail',
    folder: 'honkai-star-rail',
    builds: [
      plainBuild('4.0', '2026-02-14T15:05:16Z'),
      plainBuild('4.1', '2026-03-25T08:14:02Z'),
      plainBuild('2026-04-22', '2026-04-22T01:29:37Z'),
      plainBuild('2026-06-01', '2026-06-01T05:11:12Z'),
      plainBuild('2026-07-15', '2026-07-15T03:27:25Z'),
    ],
  },
  {
    slug: 'project-sekai',
    folder: 'project-sekai',
    builds: [
      plainBuild('jp-1.0.5', '2020-10-02T19:53:51Z'),
      plainBuild('jp-1.0.1.2', '2020-10-09T02:31:06Z'),
      plainBuild('jp-1.0.1.10', '2020-10-20T05:31:05Z'),
      plainBuild('jp-1.1.0.1', '2020-10-29T22:59:47Z'),
    ],
  },
];

/** All games of the shared dumps. */
export const TRUTH_GAMES: readonly TruthGame[] = [
  ...Object.entries(expectations).map(([slug, { folder, builds }]) => ({
    slug,
    folder,
    builds: builds.map((build) => withMore(slug, folder, build)),
  })),
  ...MORE,
];

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
