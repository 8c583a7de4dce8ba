import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../scripts/read/json.ts';
import { withFolder, writeFiles } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { findDataProblems } from './find-data-problems.ts';

const test = suite('a pull request with a new game');

const UNITS = ['ann', 'bob', 'cid'].map((id, index) => ({
  id,
  name: id.toUpperCase(),
  rarity: 3 + (index % 2),
  hp: 900 + index,
}));

test('that follows the contributing guide passes what CI checks of data/', async () => {
  await withFolder({ 'dump/raw/units.json': UNITS, 'data/game.schema.json': {} }, async (cwd) => {
    const run = async (...args: string[]) => {
      const ended = await runInProcess('gamedata', args, { cwd });
      assert.is(ended.code, 0, `${args.join(' ')}: ${ended.stderr}`);
    };
    await run('new', 'my-game', '--from', 'dump');
    await run('add', 'my-game', '1.0', '--from', 'dump', '--released-at', '2026-06-01');
    await writeFiles(cwd, { 'data/my-game/1.0/pull_planner.json': { currency: 'Gem', cost_per_pull: 160 } });
    await run('check', 'my-game');
    const file = path.join(cwd, 'data/my-game/game.json');
    const proposed = await readFile(file, 'utf8');
    assert.match(proposed, '  "draft": true,\n');
    await writeFile(file, proposed.replace('  "draft": true,\n', ''));
    await run('build', 'my-game');
    await run('add', 'my-game', '1.1', '--from', 'dump', '--released-at', '2026-06-15');
    await run('build', 'my-game');
    await run('review', 'my-game');
    assert.equal(await findDataProblems(path.join(cwd, 'data')), []);
  });
});

test('that forgets the lock or the schema of a file does not pass', async () => {
  await withFolder(
    {
      'data/my-game/game.json': { title: 'Game' },
      'data/my-game/1.0/build.json': { released_at: '2026-06-01' },
    },
    async (cwd) => {
      const problems = await findDataProblems(path.join(cwd, 'data'));
      assert.equal(
        problems.map((problem) => problem.replace(cwd, '')),
        [
          '/data/my-game/game.json has no "$schema": "../game.schema.json", with which editors check it',
          '/data/my-game/1.0/build.json has no "$schema": "../../build.schema.json", with which editors check it',
          '/data/my-game/builds.lock.json does not record build 1.0: run gamedata build my-game, and commit the file',
        ],
      );
    },
  );
});

test('of the shipped games would pass', async () => {
  assert.equal(await findDataProblems(DATA), []);
  const text = await readFile(path.join(DATA, 'arknights/game.json'), 'utf8');
  assert.ok('value' in parseJson(text, 'game.json'));
});

test.run();
