import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../scripts/format/dist-format.ts';
import { withFolder, writeFiles } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { findProgram, testUpstream, UPSTREAM } from '../support/skip.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import { expectations } from './expectations.ts';

interface Lock {
  builds: Record<string, { released_at: string }>;
}

const test = suite('the upstream of shipped games');

/** Games whose upstream has the files of a dump in one folder, and the subject of a commit of a build. */
const GAMES: Record<string, (build: string) => string> = {
  'gakuen-idolmaster': () => 'automatic update',
  'project-sekai': (build) => `master version ${build} asset version ${build}`,
};
/** After the settling time of all builds. */
const NOW = Date.parse('2026-12-01T00:00:00Z');

/** The builds of a game in `data/` that are recorded, up to one of them. */
async function readLock(slug: string, data: string, last: string): Promise<Lock> {
  const lock: Lock = JSON.parse(await readFile(path.join(data, slug, 'builds.lock.json'), 'utf8'));
  const { released_at: end = '' } = lock.builds[last] ?? {};
  const builds = Object.entries(lock.builds).filter(([, { released_at }]) => released_at <= end);
  return { ...lock, builds: Object.fromEntries(builds) };
}

/**
 * Makes a game of data/ as it was before the newest build of which there is a dump, with a repository that has the full dumps of the two newest
 * ones. `pull` takes no build that is older than those that are there.
 *
 * @returns the newest build
 */
async function turnBack(slug: string, subject: (build: string) => string, cwd: string): Promise<string> {
  const { folder = '', builds = [] } = expectations[slug] ?? {};
  const upstream = await UpstreamRepository.create(path.join(cwd, 'upstream', slug));
  for (const { build, folders, released_at } of builds.slice(-2)) {
    for (const part of folders) {
      const dump = path.join(UPSTREAM, folder, typeof part === 'string' ? part : part.dump);
      await cp(dump, upstream.folder, { recursive: true });
    }
    await upstream.commit(subject(build), released_at, {});
  }
  const { build: newest = '', overrides = [] } = builds.at(-1) ?? {};
  const game = path.join(cwd, 'data', slug);
  await cp(path.join(DATA, slug), game, { recursive: true });
  const lock = await readLock(slug, DATA, newest);
  delete lock.builds[newest];
  const { builds: all }: Lock = JSON.parse(await readFile(path.join(game, 'builds.lock.json'), 'utf8'));
  for (const later of Object.keys(all))
    if (!(later in lock.builds)) await rm(path.join(game, later), { recursive: true });
  const definition = await readFile(path.join(game, 'game.json'), 'utf8');
  await writeFiles(game, {
    'builds.lock.json': lock as unknown as Json,
    'game.json': definition
      .replace(/"git": "[^"]*"/, `"git": "${upstream.address}"`)
      .replace(/"branch": "[^"]*"/, '"branch": "main"'),
    // What a person accepted, which a held build remembers.
    ...(overrides.length > 0 && { 'held.json': { builds: { [newest]: { overrides } } } as unknown as Json }),
  });
  return newest;
}

testUpstream(test, 'one command adds and builds what is new there, as the shipped data has it', async () => {
  if (findProgram('git') === undefined) return;
  await withFolder({}, async (cwd) => {
    const newest = new Map<string, string>();
    for (const [slug, subject] of Object.entries(GAMES)) newest.set(slug, await turnBack(slug, subject, cwd));
    const { code, stderr } = await runInProcess('gamedata', ['pull', '--build', '--allow-local'], {
      cwd,
      now: NOW,
    });
    assert.is(code, 0, stderr);
    for (const [slug, build] of newest)
      assert.equal(
        await readLock(slug, path.join(cwd, 'data'), build),
        await readLock(slug, DATA, build),
        slug,
      );
  });
});

test.run();
