import { mkdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBuilds } from '../../../../scripts/read/game.ts';
import type { RawGameDefinition } from '../../../../scripts/read/game-schema.ts';
import { type AddedBuild, addBuild } from '../../../../scripts/upstream/add/add-build.ts';
import type { DumpScope } from '../../../../scripts/upstream/add/files.ts';
import { findPresentFiles, readPathsOf } from '../../../../scripts/upstream/add/files.ts';
import { type Files, inFolder, withFolder } from '../../../support/fixtures.ts';

const test = suite('gamedata add --replace');

const DEFINITION: RawGameDefinition = {
  title: 'Game',
  tables: { units: 'raw/units.json', items: 'raw/items.json', skins: 'ja/skins.json' },
};
const OVERRIDES = [{ check: 'records-lost', reason: 'Two units are gone.' }];

/** Three builds: the second is the one that is replaced, and the third inherits its items and skins. */
const GAME: Files = {
  ...inFolder('game', {
    'game.json': DEFINITION as never,
    '1/build.json': { released_at: '2026-01-01' },
    '1/raw/units.json': ['one'],
    '1/raw/items.json': ['one'],
    '1/pull_planner.json': { currency: 'Gem' },
    '2/build.json': { released_at: '2026-01-02', overrides: OVERRIDES, removed: ['raw/units.json'] },
    '2/raw/items.json': ['two'],
    '2/ja/skins.json': ['two'],
    '2/pull_planner.json': { currency: 'Coin' },
    '3/build.json': { released_at: '2026-01-03' },
    '3/raw/units.json': ['three'],
  }),
  'dump/raw/units.json': ['fixed'],
  'dump/raw/items.json': ['one'],
};

interface Replaced {
  added: AddedBuild;
  /** The files of each build and their contents. */
  contents: Record<string, unknown>[];
  buildFile: unknown;
}

async function replace(scope: DumpScope, build = '2', files: Files = GAME): Promise<Replaced> {
  return await withFolder(files, async (folder) => {
    const game = path.join(folder, 'game');
    const options = { game, build, ...scope, replace: true, now: '2026-02-01T00:00:00Z' };
    const added = await addBuild(path.join(folder, 'dump'), options);
    const builds = await readBuilds(game, undefined, []);
    const contents = await Promise.all(
      builds.map(async (_, index) => {
        const { value, findings } = findPresentFiles(builds.slice(0, index + 1), readPathsOf(DEFINITION));
        assert.equal(findings, []);
        const texts = [...value].map(async ([file, at]) => [
          file,
          JSON.parse(await readFile(at.path, 'utf8')),
        ]);
        return Object.fromEntries(await Promise.all(texts)) as Record<string, unknown>;
      }),
    );
    const buildFile = JSON.parse(await readFile(path.join(game, build, 'build.json'), 'utf8'));
    return { added, contents, buildFile };
  });
}

test('a build in the middle gets the files of the dump and keeps its acknowledgements', async () => {
  const { added, contents, buildFile } = await replace({ into: '', partial: false });
  assert.equal(contents[1], {
    'raw/units.json': ['fixed'],
    'raw/items.json': ['one'],
    'pull_planner.json': { currency: 'Coin' },
  });
  assert.equal(buildFile, { released_at: '2026-01-02', overrides: OVERRIDES });
  const paths = (of: { path: string }[]) => of.map((file) => file.path);
  assert.equal(paths(added.addition.changed), ['raw/units.json']);
  assert.is(added.addition.unchanged, 1);
  assert.equal(contents[2], {
    'raw/units.json': ['three'],
    'raw/items.json': ['one'],
    'pull_planner.json': { currency: 'Coin' },
  });
});

test('a build that a killed run had moved away is back', async () => {
  await withFolder(GAME, async (folder) => {
    const game = path.join(folder, 'game');
    await mkdir(path.join(game, '.adding/replaced'), { recursive: true });
    await rename(path.join(game, '2'), path.join(game, '.adding/replaced/2'));
    const options = { game, build: '9', into: '', partial: false, now: '2026-02-01T00:00:00Z' };
    await addBuild(path.join(folder, 'dump'), options);
    const builds = await readBuilds(game, undefined, []);
    assert.equal(
      builds.map(({ build }) => build),
      ['1', '2', '3', '9'],
    );
  });
});

test.run();
