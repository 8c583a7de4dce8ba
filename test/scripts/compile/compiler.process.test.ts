import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCompiler } from '../../../scripts/compile/workers.ts';
import type { Finding } from '../../../scripts/findings.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { HOSTILE_EXPRESSIONS, TIME_LIMIT } from '../../support/hostile-expressions.ts';
import { sampleOf } from '../../support/random.ts';
import { SILENT } from '../../support/silent.ts';

const test = suite('compiler');

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
        assert.match(`${place.file} ${found}${fix}`, path.join(folder, 'data/evil/game.json'));
        assert.ok(Number(place.line) > 1, `${place.line}`);
        assert.ok(value.some(({ slug }) => slug === 'good'));

        // The worker that ended is replaced.
        const again = await compiler.compile(data, ['good', 'good'], SILENT);
        assert.is(again.value.length, 2);
      } finally {
        await compiler.close();
      }
    });
  });
}

test.run();
