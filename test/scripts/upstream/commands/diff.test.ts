import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PatchOp } from '../../../../scripts/diff/compare.ts';
import type { BuildDiff } from '../../../../scripts/diff/diff-builds.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { checkRefusals, type Refusal } from '../../commands/refusals.ts';

const test = suite('gamedata diff');

const ANN = { id: 'ann', name: 'Ann', stats: { atk: 1200 } };
const FILES: Files = inFolder(
  'data/game',
  gameFiles({
    '1.0/characters.json': [ANN],
    '1.1/build.json': { released_at: '2026-02-01' },
    '1.1/characters.json': [{ ...ANN, stats: { atk: 1260 } }],
  }),
);

function withGame(
  use: (run: (...args: string[]) => ReturnType<typeof runInProcess>, cwd: string) => Promise<void>,
) {
  return withFolder(FILES, (cwd) => use((...args) => runInProcess('gamedata', args, { cwd }), cwd));
}

test('two builds of data/ are compared, in either direction, in every format', async () => {
  await withGame(async (run, cwd) => {
    assert.equal(await run('diff', 'game', '1.0', '1.1'), {
      code: 0,
      stdout: 'game 1.0 → 1.1\n\ncharacters: 1 changed\n~ ann Ann\n      stats.atk 1200 → 1260 (+5%)\n',
      stderr: '',
    });
    const json = JSON.parse(
      (await run('diff', 'game', '1.1', '1.0', '--format', 'json')).stdout,
    ) as BuildDiff;
    assert.equal([json.from, json.to], ['1.1', '1.0']);
    assert.equal(json.characters.changed[0]?.changes, [{ path: '/stats/atk', from: 1260, to: 1200 }]);
    const patch = JSON.parse(
      (await run('diff', 'game', '1.0', '1.1', '--format', 'json-patch')).stdout,
    ) as PatchOp[];
    assert.equal(patch.at(-1), { op: 'replace', path: '/characters/0/stats/atk', value: 1260 });
    // As in dist/, a text in another language than the game's own is a translation.
    await writeFiles(cwd, {
      'data/game/game.json': { title: 'Game', language: 'en', played_in: 'ja' },
      'data/game/1.1/characters.json': [{ ...ANN, name: 'Anne' }],
    });
    assert.match((await run('diff', 'game')).stdout, /^characters: 1 translations/m);
  });
});

test('by default the newest build is compared with the one before it, whatever the gates find', async () => {
  await withGame(async (run, cwd) => {
    const newest = await run('diff', 'game');
    assert.match(newest.stdout, /^game 1\.0 → 1\.1\n/);
    await writeFiles(cwd, { 'data/game/1.2/build.json': { released_at: '2026-03-01' } });
    await writeFiles(cwd, { 'data/game/1.2/characters.json': [{ id: 'other', name: 'Other' }] });
    const { code, stdout, stderr } = await run('diff', 'game');
    assert.is(code, 0);
    assert.match(stdout, /^game 1\.1 → 1\.2\n/);
    assert.match(stderr, /^warning .*\(records-lost\)$/m);
    // A record that a build carries is that of the build before, which is not compared.
    await writeFiles(cwd, { 'data/game/1.2/characters.json': [{ ...ANN, stats: { atk: 9 } }] });
    const carried = { 'characters/ann': 'a loss' };
    await writeFiles(cwd, { 'data/game/1.2/build.json': { released_at: '2026-03-01', carried } });
    assert.match((await run('diff', 'game', '1.0', '1.2')).stdout, 'stats.atk 1200 → 1260');
  });
});

test('only the builds that are compared are read', async () => {
  const builds = Object.fromEntries(
    ['1.2', '1.3', '1.4'].flatMap((build, at) => [
      [`data/game/${build}/build.json`, { released_at: `2026-03-0${at + 1}` }],
      [`data/game/${build}/characters.json`, [{ ...ANN, stats: { atk: 1300 + at } }]],
    ]),
  );
  await withFolder({ ...FILES, ...builds, 'data/game/1.2/characters.json': '[{' }, async (cwd) => {
    const diff = (...args: string[]) => runInProcess('gamedata', ['diff', 'game', ...args], { cwd });
    const newest = await diff();
    assert.match(newest.stdout, /^game 1\.3 → 1\.4\n[\s\S]*1301 → 1302/);
    const far = await diff('1.1', '1.3');
    assert.match(far.stdout, /^game 1\.1 → 1\.3\n[\s\S]*1260 → 1301/);
    assert.equal([newest.stderr, far.stderr], ['', '']);
    assert.match((await diff('1.1', '1.2')).stderr, /1 error found in data\/game\//);
    assert.match((await diff('1.1', '9')).stderr, 'it has 1.0, 1.1, 1.2, 1.3, 1.4');
  });
});

test('builds that cannot be compared are refused, with what to do', async () => {
  await withGame(async (run, cwd) => {
    const cases: Refusal[] = [
      [['nope', '1.0', '1.1'], 2, /no game nope in data\//],
      [['game', '1.5'], 2, /no build 1\.5 in data\/game/],
      [['game', '1.0', '2.0'], 2, /no build 2\.0 in data\/game; it has 1\.0, 1\.1/],
      [['game', '1.0', '1.1', '--format', 'html'], 2, /Allowed choices are text, json, json-patch/],
    ];
    await checkRefusals((args) => run('diff', ...args), cases);
    await writeFiles(cwd, { 'data/game/1.0/characters.json': [{ id: 'ann' }] });
    const { code, stderr } = await run('diff', 'game', '1.0', '1.1');
    assert.is(code, 1);
    assert.match(
      stderr,
      /found +no "name"[\s\S]*gamedata: 1 error found in data\/game\/, which cannot be compared/,
    );
  });
});

test.run();
