import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBuilds, readGameFile } from '../../../../scripts/read/game.ts';
import { addBuild } from '../../../../scripts/upstream/add/add-build.ts';
import { forgetNeedlessRemoved } from '../../../../scripts/upstream/add/add-build.ts';
import { findPresentFiles, readPathsOf } from '../../../../scripts/upstream/add/files.ts';
import { withFolder } from '../../../support/fixtures.ts';

const test = suite('inserting a build');

const FILES = {
  'game/game.json': { title: 'Game', tables: { units: 'raw/*.json' } },
  'game/1.0/build.json': { released_at: '2026-01-01' },
  'game/1.0/raw/a.json': ['a 1.0'],
  'game/1.0/raw/b.json': ['b 1.0'],
  'game/1.0/raw/c.json': ['c 1.0'],
  'game/1.2/build.json': { released_at: '2026-03-01' },
  'game/1.2/raw/c.json': ['c 1.2'],
  'dump/raw/a.json': ['a 1.1'],
  'dump/raw/c.json': ['c 1.1'],
  'dump/raw/d.json': ['d 1.1'],
};

test('leaves the builds after it with the files that they had, and can be taken back', async () => {
  await withFolder(FILES, async (folder) => {
    const game = path.join(folder, 'game');
    const raw = await readGameFile(game, []);
    assert.ok(raw);
    const paths = readPathsOf(raw);
    const filesOf = async (build: string) => {
      const builds = await readBuilds(game, raw, []);
      const at = builds.findIndex((each) => each.build === build);
      const { value, findings } = findPresentFiles(builds.slice(0, at + 1), paths);
      assert.equal(findings, []);
      const read = [...value]
        .filter(([file]) => file.startsWith('raw/'))
        .map(async ([file, full]) => [file, JSON.parse(await readFile(full.path, 'utf8'))[0]]);
      return Object.fromEntries(await Promise.all(read));
    };
    const later = { 'raw/a.json': 'a 1.0', 'raw/b.json': 'b 1.0', 'raw/c.json': 'c 1.2' };
    assert.equal(await filesOf('1.2'), later);
    const wanted = { game, build: '1.1', into: '', released_at: '2026-02-01T00:00:00Z', note: undefined };
    const scope = { into: '', partial: false };
    const add = (insert: boolean) =>
      addBuild(path.join(folder, 'dump'), { ...wanted, insert, ...scope, now: '2026-02-01T00:00:00Z' });
    try {
      await add(false);
      assert.unreachable('added in the middle');
    } catch (error) {
      assert.match((error as Error).message, 'is not after');
    }
    await add(true);
    assert.equal(await filesOf('1.1'), {
      'raw/a.json': 'a 1.1',
      'raw/c.json': 'c 1.1',
      'raw/d.json': 'd 1.1',
    });
    assert.equal(await filesOf('1.2'), later);
    const builds = await readBuilds(game, raw, []);
    assert.equal(builds.at(-1)?.removed, ['raw/d.json']);
    await forgetNeedlessRemoved(
      builds.filter(({ build }) => build !== '1.1'),
      paths,
    );
    assert.equal((await readBuilds(game, raw, [])).at(-1)?.removed, []);
  });
});

test.run();
