import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_RESULT_CHARS, shorten, takePage } from '../../../../gateway/parts/mcp/shorten.ts';

const test = suite('results of MCP tools');

test('end their list early, or are cut at lists inside until they are small, and say where', () => {
  const small = { a: [1, 2, 3] };
  assert.equal(shorten(small), { result: small, cut: [] });
  const row = { name: 'x'.repeat(500), tags: Array(40).fill('t') };
  const large = shorten({ few: 1, rows: Array(200).fill(row) });
  assert.ok(large && JSON.stringify(large.result).length <= MAX_RESULT_CHARS);
  const shown = (large.result.rows as unknown[]).length;
  assert.ok(shown > 8 && JSON.stringify(row).length * (shown + 1) > MAX_RESULT_CHARS - 1000);
  assert.equal(large.cut, [{ path: '/rows', total: 200, shown }]);
  assert.equal((large.result.rows as unknown[])[0], row);
  const deep = shorten({ rows: [{ texts: Array(400).fill('x'.repeat(50)) }, row] });
  assert.equal(deep?.cut, [
    { path: '/rows', total: 2, shown: 1 },
    { path: '/rows/0/texts', total: 400, shown: 100 },
  ]);
  assert.is(shorten({ text: 'x'.repeat(MAX_RESULT_CHARS) }), undefined);
});

test('have pages of one list', () => {
  const result = { datasets: { items: { changed: [1, 2, 3, 4] } } };
  const list = ['datasets', 'items', 'changed'];
  assert.is(takePage(result, { list, offset: 1, limit: 2 }), 3);
  assert.equal(result.datasets.items.changed, [2, 3]);
  assert.is(takePage(result, { list, offset: 1, limit: 2 }), undefined);
  assert.is(takePage(result, { list: ['datasets', 'none', 'changed'], offset: 0, limit: 2 }), undefined);
});

test.run();
