import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCompiler } from '../../../scripts/compile/workers.ts';
import type { Finding } from '../../../scripts/findings.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { HOSTILE_EXPRESSIONS, TIME_LIMIT } from '../../support/hostile-expressions.ts';
import { sampleOf } from '../../support/random.ts';
import { SILENT } from '../../support/silent.ts';
import { workerPids } from '../../support/worker-pids.ts';

const test = suite('compiler');

const EVIL = 'data/evil/game.json';

for (const [name, entry, checks] of sampleOf(HOSTILE_EXPRESSIONS, 3)) {
  test(`an expression that ${name} is a finding, and the other game compiles`, async () => {
    const game = {
      title: 'Evil',
      tables: { rows: 'rows.json' },
      datasets: { list: { from: 'rows', entry } },
    };
    const files = {
      ...inFolder('data/evil', gameFiles({ 'game.json': game, '1.0/rows.json': '[\n\n{"id": "a"}]' })),
      ...inFolder('data/good', gameFiles()),
    };
    await withFolder(files, async (folder) => {
      const data = path.join(folder, 'data');
      const compiler = startCompiler(2, { seconds: checks === TIME_LIMIT ? 3 : 300, mebibytes: 128 });
      try {
        const { value, findings } = await compiler.compile(data, ['evil', 'good'], SILENT);
        assert.is(findings.length, 1);
        assert.ok(checks.includes(findings[0]?.check as string), findings[0]?.check);
        const { place, found, fix } = findings[0] as Finding;
        assert.match(`${place.file} ${found}${fix}`, path.join(folder, EVIL));
        assert.ok(Number(place.line) > 1, `${place.line}`);
        assert.ok(value.some(({ slug }) => slug === 'good'));

        // The worker that ended is replaced.
        const again = await compiler.compile(data, ['good', 'good'], SILENT);
        assert.equal(again.findings, []);
        assert.is(again.value.length, 2);
      } finally {
        await compiler.close();
      }
    });
  });
}

test('findings and plans are in the order of the games, whichever finishes first', async () => {
  const broken = { '1.0/characters.json': [{ id: 'a' }] };
  const names = ['d', 'a', 'c', 'b'];
  const files = names.map((name) => inFolder(`data/${name}`, gameFiles('ac'.includes(name) ? {} : broken)));
  await withFolder(Object.assign({}, ...files), async (folder) => {
    const data = path.join(folder, 'data');
    const compiler = startCompiler(3, { seconds: 60, mebibytes: 512 });
    try {
      const { value, findings } = await compiler.compile(data, names, SILENT);
      assert.equal(
        value.map(({ slug }) => slug),
        ['a', 'c'],
      );
      assert.equal(
        findings.map(({ place }) => path.relative(data, place.file).split(path.sep)[0]),
        ['d', 'b'],
      );
    } finally {
      await compiler.close();
    }
  });
});

test('one worker per game starts, up to the limit', async () => {
  for (const [jobs, games, started] of [
    [2, 3, 2],
    [3, 1, 1],
  ] as const) {
    const compiler = startCompiler(jobs, { seconds: 60, mebibytes: 512 }, games);
    assert.is(workerPids(process.pid).length, started);
    await compiler.close();
  }
});

test.run();
