import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../scripts/core/format/dist-format.ts';
import { withFolder, writeFiles } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { findProgram, testUpstream, UPSTREAM } from '../support/skip.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import { expectations } from './expectations/expectations.ts';

const test = suite('the upstream of shipped games');

/** Games whose upstream has the files of a dump in one folder, and the subject of a commit of a build. */
const GAMES: Record<string, (build: string) => string> = {
  'gakuen-idolmaster': () => 'automatic update',
  'honkai-star-rail': () => 'Merge pull request #1 from automated/hsr-update',
  'project-sekai': (build) => `master version ${build} asset version ${build}`,
};
/** After the settling time of all builds. */
const NOW = Date.parse('2026-12-01T00:00:00Z');

/** Makes a game of data/ as it was before its newest build, with a repository that has the full dumps of its two newest builds. */
async function turnBack(slug: string, subject: (build: string) => string, cwd: string): Promise<void> {
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
  await rm(path.join(game, newest), { recursive: true });
  const lock = JSON.parse(await readFile(path.join(game, 'builds.lock.json'), 'utf8'));
  delete lock.builds[newest];
  const definition = await readFile(path.join(game, 'game.json'), 'utf8');
  await writeFiles(game, {
    'builds.lock.json': lock,
    'game.json': definition
      .replace(/"git": "[^"]*"/, `"git": "${upstream.address}"`)
      .replace(/"branch": "[^"]*"/, '"branch": "main"'),
    // What a person accepted, which a held build remembers.
    ...(overrides.length > 0 && {
      'held.json': { builds: { [newest]: { overrides } } } as unknown as Json,
    }),
  });
}

testUpstream(test, 'one command adds and builds what is new there, as the shipped data has it', async () => {
  if (findProgram('git') === undefined) return;
  await withFolder({}, async (cwd) => {
    for (const [slug, subject] of Object.entries(GAMES)) await turnBack(slug, subject, cwd);
    const { code, stderr } = await runInProcess('gamedata', ['pull', '--build', '--allow-local'], {
      cwd,
      now: NOW,
    });
    assert.is(code, 0, stderr);
    for (const slug of Object.keys(GAMES)) {
      const read = async (data: string) =>
        JSON.parse(await readFile(path.join(data, slug, 'builds.lock.json'), 'utf8'));
      assert.equal(await read(path.join(cwd, 'data')), await read(DATA), slug);
    }
  });
});

test.run();
