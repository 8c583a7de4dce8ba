import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { HOSTILE_EXPRESSIONS } from '../../support/hostile-expressions.ts';
import { installOtherJsonata } from '../../support/other-jsonata.ts';
import { DATA } from '../../support/paths.ts';
import { sampleOf } from '../../support/random.ts';

const test = suite('gamedata with an unknown version of jsonata');

/** How many shipped games are compiled, unless all tests run. */
const GAMES = 1;
/** How many hostile expressions are tried, unless all tests run: compiler.process.test.ts tries all with the known version. */
const HOSTILE = 2;

const ROWS = [
  { id: 'a', names: ['A', 'B'], at: '2024-05-01T05:00:00Z' },
  { id: 'b', names: [], at: '2024-05-02T05:00:00Z' },
];

function mapped(entry: string) {
  const game = { title: 'Game', tables: { rows: 'rows.json' }, datasets: { list: { from: 'rows', entry } } };
  return gameFiles({ 'game.json': game, '1.0/rows.json': ROWS });
}

const ENTRY = "{'id': id, 'names': $join(names, ', '), 'at': $toMillis(at), 'count': $count($tables.rows)}";

/** Chooses some of the shipped games. */
async function chooseShipped(): Promise<string[]> {
  const entries = await readdir(DATA, { withFileTypes: true });
  const slugs = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return sampleOf(slugs, GAMES);
}

test('compiles shipped games to what their builds.lock.json records, and notes once that the package is used as published', async () => {
  const slugs = await chooseShipped();
  await withFolder(inFolder('data/small', mapped(ENTRY)), async (folder) => {
    for (const slug of slugs)
      await cp(path.join(DATA, slug), path.join(folder, 'data', slug), { recursive: true });
    const gamedata = await installOtherJsonata(folder);
    const { code, stdout, stderr } = await gamedata('build', '--no-cache', '--time-limit', '600');
    assert.is(code, 0, stderr);
    assert.match(stdout, new RegExp(`^${slugs.length + 1} games`, 'm'));
    const notes = stderr.split('\n').filter((line) => line.startsWith('note: '));
    assert.is(notes.length, 1, stderr);
    assert.match(notes[0] ?? '', /^note: jsonata is used as published, .*SHA-256 [0-9a-f]{64}, is not/);
  });
});

test('reports an expression that the published package would get wrong, in build and in try', async () => {
  const grouped = 'names{"of": $}';
  await withFolder(inFolder('data/game', mapped(grouped)), async (folder) => {
    const gamedata = await installOtherJsonata(folder);
    for (const args of [['build'], ['try', 'game', grouped, '--from', 'rows']]) {
      const { code, stderr } = await gamedata(...args);
      assert.is(code, 1);
      assert.match(stderr, /^error data\/game\/1\.0\/rows\.json:\d+ \/1 \(expression-result\)$/m);
      assert.match(stderr, 'found     an empty list is grouped, which jsonata as published gets wrong');
    }
  });
});

test('applies the limits on time and memory to hostile expressions', async () => {
  const hostile = sampleOf(HOSTILE_EXPRESSIONS, HOSTILE);
  const evil = hostile.map(([, entry], index) => inFolder(`data/evil-${index}`, mapped(entry)));
  const files = Object.assign({}, inFolder('data/good', mapped(ENTRY)), ...evil);
  await withFolder(files, async (folder) => {
    const gamedata = await installOtherJsonata(folder);
    const limits = ['--time-limit', '3', '--memory-limit', '128', '--jobs', '2'];
    const { code, stdout, stderr } = await gamedata('check', '--format', 'json', ...limits);
    assert.is(code, 1, stderr);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; file: string }[] };
    const found = findings.map(({ file, check }) => [file.split('/')[1], check]);
    // On a busy machine, the limit on time may stop this game too.
    const stopped = found.some(([game, check]) => game === 'good' && check === 'time-limit');
    assert.ok(stopped || /^good: 1 build, /m.test(stderr), stderr);
    for (const [index, [name, , checks]] of hostile.entries()) {
      const ofGame = found.filter(([game]) => game === `evil-${index}`).map(([, check]) => check as string);
      assert.ok(ofGame.length > 0, name);
      // Which of the limits is reached first depends on the machine.
      const allowed = [...checks, 'time-limit'];
      assert.equal(
        ofGame.filter((check) => !allowed.includes(check)),
        [],
        name,
      );
    }
  });
});

test.run();
