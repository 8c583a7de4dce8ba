import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readGameFile } from '../../scripts/read/game.ts';
import type { RawGameDefinition } from '../../scripts/read/game-schema.ts';
import { useUpstream } from '../../scripts/upstream/pull/round.ts';
import { sourceOf } from '../../scripts/upstream/source.ts';
import { layOut, sourceFolderOf } from '../upstream/lay-out.ts';

/** A public history of a game: a repository on this machine, and the time from which its builds count. */
export interface History {
  git: string;
  since: string;
}

/**
 * Lays out the builds of a repository as a game folder, with the definition of the game in data/ or beside the tests. Its `source` says which commits
 * are builds, as for `gamedata pull`.
 */
export async function layOutHistory(slug: string, { git, since }: History, target: string): Promise<void> {
  const defined = await readGameFile(sourceFolderOf(slug), []);
  const known = defined && sourceOf(defined);
  if (defined === undefined || known === undefined)
    throw new Error(`${sourceFolderOf(slug)}/game.json has no "source": add it there`);
  const source = { ...known, git: pathToFileURL(path.resolve(git)).href };
  const raw: RawGameDefinition = { ...defined, source };
  const cache = await mkdtemp(path.join(tmpdir(), 'truth-history-'));
  try {
    await useUpstream({ raw, source, builds: [] }, { cache, allowLocal: true }, async (upstream) => {
      const builds = upstream.builds.filter(({ released_at }) => released_at >= since);
      const named = builds.map((build) => ({ ...build, folders: [], characters: 0 }));
      await layOut(slug, { folder: '', builds: named, datasets: {} }, target);
      for (const build of builds) {
        const folder = path.join(target, build.build);
        const copy = (dump: string) => cp(dump, folder, { recursive: true }).then(() => true);
        if (!(await upstream.withDump(build, copy))) await rm(folder, { recursive: true });
      }
    });
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}
