import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadEngine, PublishedEngine, readSource } from '../../../scripts/jsonata/load-engine.ts';
import { makeRewrittenEngine } from '../../../scripts/fast-jsonata/make-engine.ts';
import { JSONATA_2_2_2 } from '../../../scripts/fast-jsonata/replacements.ts';
import type { RewriteTable } from '../../../scripts/fast-jsonata/rewrite.ts';

const test = suite('rewriting JSONata');

test('the installed source is the known one, and evaluates without promises', async () => {
  const engine = await loadEngine();
  assert.is(engine.note, undefined);
  assert.is(
    engine.parseSynchronous?.('$sum($map(list, function($n) { $n * 2 }))').evaluate({ list: [1, 2] }),
    6,
  );
  assert.is(engine.toMillis('1970-01-02', undefined), 86_400_000);
});

test('a source that differs by one byte is used as published, and the note has its hash', async () => {
  const source = readSource();
  for (const other of [`${source}\n`, source.slice(1), source.replace('await ', 'await\n')]) {
    assert.is.not(other, source);
    const engine = await loadEngine(other);
    assert.instance(engine, PublishedEngine);
    assert.is(engine.parseSynchronous, undefined);
    assert.match(
      engine.note ?? '',
      /^jsonata is used as published, .*SHA-256 [0-9a-f]{64}, is not the known one$/,
    );
    assert.is(await engine.parse('1 + a').evaluate({ a: 2 }), 3);
    assert.is(await engine.toMillis('1970-01-02', undefined), 86_400_000);
  }
});

for (const part of ['repairs', 'synchronous'] as const) {
  for (const [index, replacement] of JSONATA_2_2_2[part].entries()) {
    const { name, times } = replacement;
    test(`if "${name}" does not match as often as the table says, the package is used as published`, () => {
      for (const wrong of [times - 1, times + 1]) {
        const changed = JSONATA_2_2_2[part].with(index, { ...replacement, times: wrong });
        const table: RewriteTable = { ...JSONATA_2_2_2, [part]: changed };
        const made = makeRewrittenEngine(readSource(), 'jsonata.js', table);
        assert.match(
          'problem' in made ? made.problem : '',
          `"${name}" is in its source ${times} times, expected ${wrong}`,
        );
      }
    });
  }
}

test.run();
