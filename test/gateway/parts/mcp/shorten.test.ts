import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_RESULT_CHARS, shorten, takePage } from '../../../../gateway/parts/mcp/shorten.ts';

const test = suite('results of MCP tools');

test('are cut at their longest lists until they are small, and say where', () => {
  const small = { a: [1, 2, 3] };
  assert.equal(shorten(small), { result: small, cut: [] });
  const row = { name: 'x'.repeat(500), tags: Array(40).fill('t') };
  const large = shorten({ rows: Array(200).fill(row), few: [1, 2] });
  assert.ok(large && JSON.stringify(large.result).length <= MAX_RESULT_CHARS);
  assert.equal(large.cut[0], { path: '/rows', total: 200, shown: 30 });
  assert.equal(large.cut[1], { path: '/rows/0/tags', total: 40, shown: 30 });
  assert.equal(large.result.few, [1, 2]);
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
