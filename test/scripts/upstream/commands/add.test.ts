import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withStaging } from '../../../../scripts/upstream/add/add-build.ts';
import { type Files, inFolder, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { hashFolder } from '../../commands/hash-folder.ts';
import { checkRefusals, type Refusal } from '../../commands/refusals.ts';

const test = suite('gamedata add');

const GAME: Files = inFolder('data/game', {
  'game.json': {
    title: 'Game',
    tables: { units: '{en,ja}/units/*.json' },
    roster: { from: 'units', entry: "{'id': $key, 'name': name}" },
  },
  '1/build.json': '{\n  // The first.\n  "released_at": "2026-01-01"\n}\n',
  '1/pull_planner.json': { currency: 'Gem' },
  '1/en/units/ann.json': { name: 'Ann' },
  '1/en/units/bob.json': { name: 'Bob' },
  '1/ja/units/cid.json': { name: 'Cid' },
});
const DUMP: Files = inFolder('dump', {
  'units/ann.json': { name: 'Ann' },
  'units/dan.json': { name: 'Dan' },
  'logo.png': 'PNG',
});

const ADD_EN = ['add', 'game', '2', '--from', 'dump', '--into', 'en'];

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

test('a dump replaces one region, the other is inherited, and the checks ask about what it lacks', async () => {
  await withFolder({ ...GAME, ...DUMP, 'dump/.git/config': '' }, async (cwd) => {
    await symlink('units', path.join(cwd, 'dump/link'));
    const args = [...ADD_EN, '--released-at', '2026-02-01', '--note', 'Dan'];
    const { code, stdout, stderr } = await runInProcess('gamedata', args, { cwd });
    assert.equal([code, stderr], [0, '']);
    assert.equal(stdout.split('\n'), [
      'data/game/2/en: 1 new, 0 changed, 1 removed, 1 unchanged (inherited from 1); 0.00 MB stored',
      'released at 2026-02-01T00:00:00Z',
      'removed: 1 file (en/units/bob.json); if the dump is that of one region, add it with --into',
      'left out, because no table of data/game/game.json names them, nor are they datasets by their name: 1 file (logo.png)',
      'skipped, because they are hidden, links or no files: 2 files (".git", "link")',
      '',
    ]);
    assert.equal(await readJson(path.join(cwd, 'data/game/2/build.json')), {
      $schema: '../../build.schema.json',
      released_at: '2026-02-01T00:00:00Z',
      note: 'Dan',
      removed: ['en/units/bob.json'],
    });
    const stored = await readdir(path.join(cwd, 'data/game/2'), { recursive: true });
    assert.equal(stored.sort(), ['build.json', 'en', 'en/units', 'en/units/dan.json']);
    const check = await runInProcess('gamedata', ['check', 'game'], { cwd });
    // One of three is missing, which the maintainer has to confirm.
    assert.equal(check.stdout.match(/\(.*\)$/gm), ['(records-lost)']);
  });
});

test('another region is added to the newest build, whose comments stay', async () => {
  await withFolder({ ...GAME, ...DUMP, 'data/game/1/ja/units/cid.json': undefined }, async (cwd) => {
    const again = ['add', 'game', '1', '--from', 'dump', '--into', 'ja'];
    const { code, stdout } = await runInProcess('gamedata', again, { cwd });
    assert.is(code, 0);
    assert.match(stdout, 'data/game/1/ja: 2 new, 0 changed, 0 removed, 0 unchanged');
    assert.match(await readFile(path.join(cwd, 'data/game/1/build.json'), 'utf8'), '// The first.');
    const files = await readdir(path.join(cwd, 'data/game/1/ja/units'));
    assert.equal(files.sort(), ['ann.json', 'dan.json']);
    const { code: second, stderr } = await runInProcess('gamedata', again, { cwd });
    assert.is(second, 1);
    assert.match(stderr, 'data/game/1/ja already exists: choose another name');
  });
});

test('inherited files that the dump of another region lacks are removed', async () => {
  await withFolder({ ...GAME, ...DUMP }, async (cwd) => {
    const dated = '// Out soon.\n{"released_at": "2026-03-01", "removed": ["en/units/bob.json"]}\n';
    await writeFiles(path.join(cwd, 'data/game/2'), { 'build.json': dated });
    const { code } = await runInProcess('gamedata', ['add', 'game', '2', '--from', 'dump', '--into', 'ja'], {
      cwd,
    });
    assert.is(code, 0);
    const text = await readFile(path.join(cwd, 'data/game/2/build.json'), 'utf8');
    assert.match(text, /^\/\/ Out soon\.\n/);
    assert.equal(JSON.parse(text.split('\n').slice(1).join('')).removed, [
      'en/units/bob.json',
      'ja/units/cid.json',
    ]);
  });
});

const REFUSED: Refusal[] = [
  [
    ['game', '1', '--from', 'dump'],
    1,
    'data/game/1 already exists: choose another name, add the dump of another region',
  ],
  [['game', 'notes', '--from', 'dump', '--into', 'en'], 1, 'data/game/notes exists and is not a build'],
  [
    ['game', '2', '--from', 'dump', '--into', 'en', '--released-at', '2025-12-31'],
    1,
    '2025-12-31T00:00:00Z is not after 2026-01-01T00:00:00Z, the release of 1: later builds inherit',
  ],
  [['game', '1', '--from', 'dump', '--into', 'kr', '--note', 'x'], 2, 'leave out --released-at and --note'],
  [
    ['game', '2', '--from', 'dump'],
    1,
    'none of 3 files (logo.png, units/ann.json, units/dan.json) in dump is in a table of data/game/game.json',
  ],
  [
    ['game', '2', '--from', 'empty'],
    1,
    'empty has no files, or only links, which are not followed; nothing was added',
  ],
  [['game', '2', '--from', 'none'], 2, 'no folder none'],
  [['game', '9', '--from', 'dump', '--replace'], 2, 'no build 9 in data/game to replace; it has 1'],
  [['none', '2', '--from', 'dump'], 2, 'no game none in data/; it has game'],
  [['game', 'a/b', '--from', 'dump'], 2, 'expected a URL-safe name'],
  [['Game', '2', '--from', 'dump'], 2, 'expected at most 64 lowercase letters'],
  [['game', '2', '--from', 'dump', '--into', '../x'], 2, "expected a path inside the build's folder"],
  [['game', '2', '--from', 'dump', '--released-at', 'tomorrow'], 2, 'expected an ISO 8601 date'],
  [['game', '2'], 2, "required option '--from <folder>' not specified"],
];

test('a build that cannot be added is refused with what to do, and nothing is written', async () => {
  await withFolder({ ...GAME, ...DUMP, 'data/game/notes/a.txt': 'a' }, async (cwd) => {
    await mkdir(path.join(cwd, 'empty'));
    const before = await hashFolder(cwd);
    await checkRefusals((args) => runInProcess('gamedata', ['add', ...args], { cwd }), REFUSED);
    assert.equal(await hashFolder(cwd), before);
  });
});

test('nothing is added to an older build, or to a game with a faulty definition', async () => {
  const newer = { 'data/game/2/build.json': { released_at: '2026-02-01' } };
  await withFolder({ ...GAME, ...DUMP, ...newer }, async (cwd) => {
    const refuse = (build: string, message: string) =>
      checkRefusals(
        (args) => runInProcess('gamedata', ['add', ...args], { cwd }),
        [[['game', build, '--from', 'dump', '--into', 'kr'], 1, message]],
      );
    await refuse('1', '1 is not the newest build, which is 2');
    await writeFiles(cwd, { 'data/game/2/.trying': '' });
    await refuse('3', '2 is being tried by gamedata pull: wait until it ends, or run gamedata pull');
    await writeFiles(cwd, { 'data/game/2/build.json': '{"released_at": "soon"}' });
    await refuse('3', '1 error to correct first; nothing was added\n\nerror data/game/2/build.json:1');
  });
});

test('while another build is added, nothing is done', async () => {
  await withFolder({ ...GAME, ...DUMP }, async (cwd) => {
    const game = path.join(cwd, 'data/game');
    await withStaging(game, async (folder) => {
      await writeFile(path.join(folder, 'x'), 'in work');
      const before = await hashFolder(path.join(cwd, 'data'));
      const { code, stderr } = await runInProcess('gamedata', ADD_EN, { cwd });
      assert.is(code, 1);
      assert.match(stderr, 'another gamedata is adding a build to data/game');
      assert.equal(await hashFolder(path.join(cwd, 'data')), before);
      assert.is((await runInProcess('gamedata', ['check', 'game'], { cwd })).code, 0);
    });
    assert.equal(
      (await readdir(game)).filter((name) => name.startsWith('.')),
      [],
    );
  });
});

test.run();
