import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Index, Manifest } from '../../../scripts/format/dist-format.ts';
import { type Files, withFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const FILES: Files = {
  'data/saga/game.json': { title: 'Saga' },
  'data/saga/1.0/build.json': { released_at: '2026-01-01' },
  'data/saga/1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
  'data/saga/1.0/pull_planner.json': { cost: 160 },
  'data/saga/1.1/build.json': { released_at: '2026-02-01' },
  'data/saga/1.1/characters.json': [{ id: 'ann', name: 'Anna' }],
};

const files = suite('files of builds in other formats');

files('are written again if one of them is missing, and else kept', async () => {
  await withFolder(FILES, async (cwd) => {
    const build = async () => (await runInProcess('gamedata', ['build', '--formats', 'csv'], { cwd })).stdout;
    await build();
    const saga = path.join(cwd, 'dist/saga');
    const before = (await readdir(saga)).sort();
    const shared = before.filter((file) => /^dataset\.pull_planner\..*\.csv\.gz$/.test(file));
    assert.is(shared.length, 1);
    await rm(path.join(saga, shared[0] ?? ''));
    await build();
    assert.equal((await readdir(saga)).sort(), before);
  });
});

files('are made of the newest builds only, if --formats-of says so', async () => {
  await withFolder(FILES, async (cwd) => {
    const formatsOf = async (...options: string[]) => {
      const { code } = await runInProcess('gamedata', ['build', '--formats', 'csv', ...options], { cwd });
      assert.is(code, 0);
      const read = async (file: string) => JSON.parse(await readFile(path.join(cwd, 'dist', file), 'utf8'));
      const { games } = (await read('index.json')) as Index;
      const { builds } = (await read(games[0]?.manifest.file ?? '')) as Manifest;
      return builds.map(({ bulk = {} }) => Object.keys(bulk));
    };
    assert.equal(await formatsOf('--formats-of', '1'), [[], ['csv']]);
    assert.equal(await formatsOf(), [['csv'], ['csv']]);
    assert.equal(await formatsOf('--formats-of', '3'), [['csv'], ['csv']]);
  });
});

files.run();
