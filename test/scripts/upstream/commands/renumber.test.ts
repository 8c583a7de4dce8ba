import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, inFolder, withFolder } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { manyRecords } from '../../check/cases.ts';
import { checkRefusals } from '../../commands/refusals.ts';

const test = suite('gamedata renumber');

const renumbered = (count: number) =>
  manyRecords(40, (index) => (index < count ? { id: `new-${index}` } : {}));

/** A game whose later build has other ids of 30 characters and of 30 items. */
const GAME: Files = inFolder('data/game', {
  'game.json': { title: 'Game' },
  '1.0/build.json': { released_at: '2026-01-01' },
  '1.0/pull_planner.json': { currency: 'Gem' },
  '1.0/characters.json': manyRecords(40),
  '1.0/items.json': manyRecords(40),
  '1.1/build.json': '{\n  // After the merge of two servers.\n  "released_at": "2026-02-01"\n}\n',
  '1.1/characters.json': renumbered(30),
  '1.1/items.json': renumbered(30),
});

async function inGame<T>(changes: Files, use: (cwd: string) => Promise<T>): Promise<T> {
  return await withFolder({ ...GAME, ...changes }, use);
}
const gamedata = (cwd: string, ...args: string[]) => runInProcess('gamedata', args, { cwd });
const read = async (cwd: string, file: string) => await readFile(path.join(cwd, 'data/game', file), 'utf8');

test('the finding names the command, which writes all pairs and lifts it', async () => {
  await inGame({}, async (cwd) => {
    const before = await gamedata(cwd, 'check', 'game');
    assert.is(before.code, 1);
    const todo = 'run gamedata renumber game 1.1, which writes all 30 pairs of ids to a file';
    assert.is(before.stdout.split(todo).length, 3);
    const { code, stdout } = await gamedata(cwd, 'renumber', 'game', '1.1');
    assert.equal([code, stdout], [0, 'data/game/renamed/1.1.json: 60 pairs of ids of characters, items\n']);
    const renamed = JSON.parse(await read(cwd, 'renamed/1.1.json'));
    assert.equal([Object.keys(renamed.characters).length, renamed.items['id-29']], [30, 'new-29']);
    assert.is(
      await read(cwd, '1.1/build.json'),
      '{\n  // After the merge of two servers.\n  "released_at": "2026-02-01",\n  "renamed": "renamed/1.1.json"\n}\n',
    );
    const after = await gamedata(cwd, 'check', 'game', '--coverage', 'none');
    assert.equal([after.code, after.stdout], [0, '']);
    const { characters, datasets } = JSON.parse(
      (await gamedata(cwd, 'diff', 'game', '--format', 'json')).stdout,
    );
    for (const { added, removed, renamed } of [characters, datasets.items])
      assert.equal([added, removed, Object.keys(renamed).length], [[], [], 30]);
  });
});

test('what build.json or its file has already is kept', async () => {
  const own = { characters: { 'id-0': 'new-0' } };
  const inBuild = { released_at: '2026-02-01', renamed: own };
  const inFile = {
    'data/game/1.1/build.json': { ...inBuild, renamed: 'own.json' },
    'data/game/own.json': own,
  };
  const file = 'renamed/1.1.json';
  for (const changes of [{ 'data/game/1.1/build.json': inBuild }, inFile]) {
    await inGame(changes, async (cwd) => {
      const { code, stdout } = await gamedata(cwd, 'renumber', 'game', '1.1');
      assert.equal([code, stdout], [0, `data/game/${file}: 59 pairs of ids of characters, items\n`]);
      assert.is(Object.keys(JSON.parse(await read(cwd, file)).characters).length, 30);
      assert.is((await gamedata(cwd, 'check', 'game')).code, 0);
    });
  }
});

test('a failure says what is wrong', async () => {
  await checkRefusals(
    (args) => inGame({}, (cwd) => gamedata(cwd, 'renumber', ...args)),
    [
      [['game', '1.0'], 1, 'no records of game have other ids in build 1.0'],
      [['game', '1.2'], 2, 'no build 1.2 of game; it has 1.0, 1.1'],
      [['gaem', '1.1'], 2, 'no game gaem in data/; did you mean game?'],
    ],
  );
});

test.run();
