import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, inFolder, withFolder } from '../../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../../support/run-in-process.ts';
import { hashFolder } from '../../commands/hash-folder.ts';
import { checkRefusals, type Refusal } from '../../commands/refusals.ts';

const test = suite('gamedata try');

const GAME: Files = inFolder('data/game', {
  'game.json': {
    title: 'Game',
    tables: { units: 'units/*.json', items: 'items.json' },
    roster: { from: 'units', entry: "{'id': 'unit-' & $key, 'name': name}" },
  },
  '1/build.json': { released_at: '2026-01-01' },
  '1/pull_planner.json': { currency: 'Gem' },
  '1/units/ann.json': { name: 'Ann', item: 'i1' },
  '1/units/bob.json': { name: 'Bob' },
  '1/items.json': { i1: { name: 'Sword' }, i2: { name: 'Bow' } },
  '2/build.json': { released_at: '2026-02-01' },
  '2/units/ann.json': { name: 'Anna', item: 'i2' },
});

async function tryGame(args: string[], changes: Files = {}): Promise<Outcome> {
  return await withFolder({ ...GAME, ...changes }, async (cwd) => {
    const before = await hashFolder(cwd);
    const ended = await runInProcess('gamedata', ['try', ...args], { cwd });
    assert.equal(await hashFolder(cwd), before);
    return ended;
  });
}

/** Arguments, the printed JSON, and the text on standard error. */
const RESULTS: [string[], unknown, string][] = [
  [['units.ann.name'], 'Anna', ''],
  [['$tables.units.ann.name', '--build', '1'], 'Ann', ''],
  [
    ['{"id": $key, "name": name}', '--from', 'units'],
    { ann: { id: 'ann', name: 'Anna' }, bob: { id: 'bob', name: 'Bob' } },
    '',
  ],
  [
    ['name', '--from', 'units', '--limit', '1'],
    { ann: 'Anna' },
    '1 of 2 results in units; for more, pass --limit\n',
  ],
  [['$get($tables.items, item).name', '--from', 'units', '--limit', '1'], { ann: 'Bow' }, ''],
];

test('prints the result of an expression on the newest tables', async () => {
  for (const [args, printed, said] of RESULTS) {
    const { code, stdout, stderr } = await tryGame(['game', ...args]);
    assert.equal([code, JSON.parse(stdout), stderr], [0, printed, said]);
  }
});

test('an expression that selects nothing is reported, and nothing is printed', async () => {
  const { code, stdout, stderr } = await tryGame(['game', 'unitz']);
  assert.equal([code, stdout, stderr], [0, '', 'nothing: the expression selects nothing here\n']);
});

test('without an expression the tables are listed', async () => {
  const { code, stdout } = await tryGame(['game']);
  assert.is(code, 0);
  assert.equal(stdout.split('\n'), [
    'build 2, released at 2026-02-01T00:00:00Z',
    'tables:',
    '  units: an object of 2 records, keyed as "ann": name, item',
    '  items: an object of 2 records, keyed as "i1": name',
    'files without a table, served unchanged:',
    '  pull_planner: an object of 1 value',
    '',
  ]);
});

const REFUSED: Refusal[] = [
  [['game', '$sum(name'], 1, /line 1 of the expression: Expected "\)" before end of expression/],
  [
    ['game', '$number(name)', '--from', 'units', '--row', 'ann'],
    1,
    /error data\/game\/2\/units\/ann\.json:1 \(expression-result\)\n {2}found {5}Unable to cast value to a number: "Anna"/,
  ],
  [['game', '$sum'], 1, /error the expression:1 \(expression-result\)\n {2}found {5}a function/],
  [
    ['game', 'name', '--from', 'units', '--row', 'zoe'],
    1,
    'no row "zoe" is selected in table units of build 2',
  ],
  [['game', 'name', '--from', 'unit'], 2, 'no table unit in build 2; it has units, items'],
  [['game', 'name', '--build', '3'], 2, 'no build 3 of game; it has 1, 2'],
  [['none', 'name'], 2, 'no game none in data/; it has game'],
  [['../x', 'name'], 2, 'expected at most 64 lowercase letters'],
];

test('a failure is reported with its place and what was expected', async () => {
  await checkRefusals(tryGame, REFUSED);
});

test('faults in files are reported, and the readable tables are used', async () => {
  const { code, stdout, stderr } = await tryGame(['game', 'units.bob.name'], {
    'data/game/2/items.json': '{',
  });
  assert.equal([code, stdout], [1, '"Bob"\n']);
  assert.match(stderr, /^error data\/game\/2\/items\.json:1 \(file-syntax\)\n.*take the file again/s);
  assert.match(stderr, /gamedata: 1 error found in the tables\n$/);
});

test('an expression can be tried while the mapping has errors', async () => {
  const game = { title: 'Game', tables: { units: 'units/*.json' }, roster: { from: 'unit', entry: '{' } };
  const { code, stdout } = await tryGame(['game', 'name', '--from', 'units', '--limit', '1'], {
    'data/game/game.json': game,
  });
  assert.equal([code, stdout], [0, '{\n  "ann": "Anna"\n}\n']);
});

test.run();
