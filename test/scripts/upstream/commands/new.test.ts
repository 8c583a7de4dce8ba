import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeMended } from '../../../../scripts/upstream/commands/describe-dump.ts';
import type { Finding } from '../../../../scripts/findings/findings.ts';
import { type Files, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { hashFolder } from '../../commands/hash-folder.ts';
import { checkRefusals, type Refusal } from '../../commands/refusals.ts';

const test = suite('gamedata new');

const DUMP: Files = {
  'dump 1/raw/units/ann.yaml': 'id: 1\nname: Ann\nrarity: 5\nhp: 10\n',
  'dump 1/raw/units/bob.yaml': 'id: 2\nname: Bob\nrarity: 4\nhp: 12\n',
  'dump 1/raw/units/cid.yaml': 'id: 3\nname: Cid\nrarity: 4\nhp: 9\n',
  'dump 1/raw/gear.csv': 'gear_id,gear_name\n1,Sword\n2,Bow\n',
  'dump 1/raw/version.txt': 'The first one\n',
  'dump 1/raw/broken.json': '{\n  "a": ]\n}',
  'dump 1/raw/logo.png': 'PNG',
  'dump 1/.hidden/a.json': '[]',
};

test('the printed commands lead from a dump to a build that compiles', async () => {
  await withFolder({ ...DUMP, 'data/other/game.json': {} }, async (cwd) => {
    const { code, stdout, stderr } = await runInProcess('gamedata', ['new', 'my-game', '--from', 'dump 1'], {
      cwd,
    });
    assert.equal([code, stderr], [0, '']);
    assert.equal(stdout.split('\n'), [
      'roster: units (id id; name name; rarity rarity; stats hp)',
      '  or --roster gear: names, 2 rows',
      'gamedata check finds no error in the proposal',
      '2 tables:',
      '  gear: raw/gear.csv, a list of 2 records',
      '    gear_id, gear_name',
      '  units: raw/units/*.yaml (3 files), an object of 3 records, keyed as "ann"',
      '    id, name, rarity, hp',
      'not read, 2 files:',
      '  raw/broken.json: value expected at "]" on line 2',
      '  raw/version.txt: the line "The first one" on line 1',
      'not read, because the format is unknown: 1 .png',
      'skipped: 1 hidden',
      'written: data/my-game/game.json',
      '',
      'next:',
      "  gamedata add my-game <build> --from 'dump 1' --released-at <time>",
      '  write data/my-game/<build>/pull_planner.json, which every game must have',
      '  gamedata try my-game',
      '  gamedata check my-game',
      '  gamedata build my-game',
      '  remove "draft" from data/my-game/game.json when the mapping is right: until then, builds may change',
      '',
    ]);
    const text = await readFile(path.join(cwd, 'data/my-game/game.json'), 'utf8');
    assert.match(text, '"title": "My Game"');

    const added = await runInProcess(
      'gamedata',
      ['add', 'my-game', '1.0', '--from', 'dump 1', '--released-at', '2026-01-01'],
      { cwd },
    );
    assert.is(added.code, 0, added.stderr);
    assert.match(added.stdout, '4 new');
    const missing = await runInProcess('gamedata', ['check', 'my-game'], { cwd });
    assert.is(missing.code, 1);
    assert.match(
      missing.stdout,
      'write data/my-game/1.0/pull_planner.json (what a pull costs, pity and guarantees)',
    );
    await writeFiles(cwd, { 'data/my-game/1.0/pull_planner.json': { currency: 'Gem' } });
    const checked = await runInProcess('gamedata', ['check', 'my-game'], { cwd });
    assert.equal(
      [checked.code, checked.stdout.split('\n')[0], checked.stderr],
      [0, 'my-game 1.0', 'my-game: 1 build, 3 characters, 2 datasets\n'],
    );
  });
});

test('without a dump a template is written, which compiles with a build in the served form', async () => {
  await withFolder({}, async (cwd) => {
    const { code, stdout } = await runInProcess('gamedata', ['new', 'game', '--title', 'The "Game"'], {
      cwd,
    });
    assert.is(code, 0);
    assert.match(stdout, '  gamedata add game <build> --from <dump> --released-at <time>\n');
    assert.match(await readFile(path.join(cwd, 'data/game/game.json'), 'utf8'), '"title": "The \\"Game\\"",');
    await writeFiles(path.join(cwd, 'data/game'), {
      '1/build.json': { released_at: '2026-01-01' },
      '1/pull_planner.json': { currency: 'Gem' },
      '1/characters.csv': 'id,name\nann,Ann\n',
    });
    const checked = await runInProcess('gamedata', ['check'], { cwd });
    assert.equal([checked.code, checked.stderr], [0, 'game: 1 build, 1 character, 1 dataset\n']);
  });
});

test('columns of numbers in different notations are proposed as numbers', async () => {
  const csv = 'id,name,hp\na,Ann,10\nb,Bob,12.0\nc,Cid,9\n';
  await withFolder({ 'dump/units.csv': csv }, async (cwd) => {
    await runInProcess('gamedata', ['new', 'my-game', '--from', 'dump'], { cwd });
    await runInProcess('gamedata', ['add', 'my-game', '1.0', '--from', 'dump'], { cwd });
    const { stdout, stderr } = await runInProcess('gamedata', ['try', 'my-game', 'units.hp'], { cwd });
    assert.equal([JSON.parse(stdout), stderr], [[10, 12, 9], '']);
  });
});

test('a required dataset that the dump has is not a next step', async () => {
  await withFolder({ ...DUMP, 'dump 1/pull_planner.yaml': 'currency: Gem\n' }, async (cwd) => {
    const { stdout } = await runInProcess('gamedata', ['new', 'my-game', '--from', 'dump 1'], { cwd });
    assert.not.match(stdout, /^ {2}write /m);
    await runInProcess('gamedata', ['add', 'my-game', '1.0', '--from', 'dump 1'], { cwd });
    const { code, stderr } = await runInProcess('gamedata', ['check', 'my-game'], { cwd });
    assert.equal([code, stderr], [0, 'my-game: 1 build, 3 characters, 2 datasets\n']);
  });
});

test('what check finds in the proposal is left out, and said so; another roster can be named', async () => {
  const units = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus'].map((name, at) => ({
    ...{ id: at + 1, name, hp: 10 + at, atk: at },
    flag: at % 2 === 0 ? 'a' : 'b',
  }));
  const gear = units.map(({ id }) => ({
    ...{ id: `g${id}`, name: `Gear ${id}` },
    deep: id === 3 ? { kind: 1 } : 'x',
  }));
  const files = { 'dump/units.json': units, 'dump/gear.json': gear };
  await withFolder(files, async (cwd) => {
    const run = (...more: string[]) => runInProcess('gamedata', ['new', ...more, '--from', 'dump'], { cwd });
    const { code, stdout } = await run('game');
    assert.is(code, 0);
    assert.match(stdout, /roster: units .*\n {2}or --roster gear/);
    assert.match(stdout, '  gear.deep: ');
    assert.match(stdout, 'gamedata check finds no error in the proposal');
    assert.not.match(await readFile(path.join(cwd, 'data/game/game.json'), 'utf8'), "'deep'");
    const other = await run('other', '--roster', 'gear');
    assert.equal([other.code, other.stderr], [0, '']);
    assert.match(await readFile(path.join(cwd, 'data/other/game.json'), 'utf8'), '"from": "gear"');
    const wrong = await run('third', '--roster', 'gaer');
    assert.equal(
      [wrong.code, wrong.stderr],
      [2, 'gamedata: --roster gaer is no table of the dump: did you mean gear?\n'],
    );
  });
});

test('of many tables few are listed, and what no table reads is neither stored nor served', async () => {
  const names = Array.from({ length: 70 }, (_, at) => `part_${at}`);
  const units = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus'].map((name, id) => ({
    ...{ id, name, rarity: 1 + (id % 5) },
    text: `One\u001aTwo ${id}`,
  }));
  const files = {
    'dump/units.json': units,
    // A list without names or ids is no dataset.
    ...Object.fromEntries(names.map((name) => [`dump/${name}.json`, [{ [`${name}_level`]: 1 }]])),
    'dump/broken.json': ']',
  };
  await withFolder(files, async (cwd) => {
    const run = (...args: string[]) => runInProcess('gamedata', args, { cwd });
    const { stdout } = await run('new', 'game', '--from', 'dump');
    assert.match(
      stdout,
      /^roster: units .*\ngamedata check finds no error in the proposal\n71 tables, of which/,
    );
    assert.match(
      stdout,
      /such as:\n {2}units: .*\n(?: .*\n){19} {2}and 61 more: .* --list-tables lists all\n/,
    );
    assert.match(stdout, 'gamedata add game <build> --from dump --released-at <time> --into raw\n');
    const added = await run('add', 'game', '1', '--from', 'dump', '--into', 'raw', '--coverage', 'none');
    assert.match(added.stdout, '1 new', added.stderr);
    await writeFiles(cwd, { 'data/game/1/pull_planner.json': { currency: 'Gem' } });
    const checked = await run('check', 'game');
    assert.equal([checked.code, checked.stderr], [0, 'game: 1 build, 7 characters, 1 dataset\n']);
    const listed = await run('new', 'game', '--from', 'dump', '--list-tables');
    assert.equal([listed.code, listed.stdout.match(/^ {2}\w+: /gm)?.length], [0, 71]);
    assert.is((await run('new', 'game', '--list-tables')).code, 2);
  });
});

test('errors that are left in a proposal are named with what to do', () => {
  const error: Finding = {
    check: 'character-schema',
    severity: 'error',
    place: { file: 'x.json', pointer: '' },
    found: 'no "name"',
    expected: '"name" to be present',
    fix: 'map a name',
  };
  assert.equal(describeMended({ leftOut: [], errors: [error] }), [
    'gamedata check still finds 1 error in the proposal; correct them after gamedata add:',
    '  no "name"; expected "name" to be present: map a name (character-schema)',
  ]);
});

const REFUSED: Refusal[] = [
  [
    ['game'],
    1,
    'data/game/game.json exists, and is not overwritten: edit it, choose another slug, or remove it',
  ],
  [['game', '--from', 'dump 1'], 1, 'data/game/game.json exists, and is not overwritten'],
  [['fresh', '--from', 'none'], 2, 'no folder none: pass the folder of the dump with --from'],
  [
    ['fresh', '--from', 'images'],
    1,
    'no table in the 1 file of images: expected files with the extension of JSON, CSV, YAML',
  ],
  [['fresh', '--from', 'images'], 1, '\nnot read, because the format is unknown: 1 .png\n'],
  [['fresh', '--from', 'broken'], 1, '\nnot read, 1 file:\n  a.json: value expected at "]" on line 1\n'],
  [['Fresh'], 2, 'expected at most 64 lowercase letters, digits and single hyphens'],
  [['fresh', '--title', ''], 2, 'expected a text of 1 to 200 characters'],
  [[], 2, "missing required argument 'slug'"],
];

test('a definition that cannot be written is reported with what to do, and nothing is written', async () => {
  await withFolder(
    { ...DUMP, 'data/game/game.json': '{"title": "Mine"}', 'images/a.png': '', 'broken/a.json': ']' },
    async (cwd) => {
      const before = await hashFolder(cwd);
      await checkRefusals((args) => runInProcess('gamedata', ['new', ...args], { cwd }), REFUSED);
      assert.equal(await hashFolder(cwd), before);
    },
  );
});

test.run();
