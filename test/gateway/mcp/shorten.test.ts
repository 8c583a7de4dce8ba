import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_RESULT_CHARS, shorten, takePage } from '../../../gateway/mcp/shorten.ts';
import { type ByteText, shortenText } from '../../../gateway/mcp/shorten-text.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';

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

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('"', '\\', '\\"', ',', '[{', ']}', 'ガ'.repeat(300), 'x'.repeat(900)),
);
const elements = fc.oneof(
  texts,
  fc.integer(),
  fc.record({
    id: texts,
    tags: fc.array(texts, { maxLength: 3 }),
    at: fc.record({ list: fc.array(fc.nat()) }),
  }),
);

/** Parses JSON whose characters are the bytes of UTF-8. */
function parseBytes(json: ByteText): unknown {
  return JSON.parse(Buffer.from(json, 'latin1').toString());
}

test('are the same whether they are cut before they are parsed or after', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(texts, fc.constant('of')), fc.oneof(texts, fc.record({ in: fc.array(texts) }))),
      fc.constantFrom('list', 'a "list"', '\\', 'a/b'),
      fc.array(elements, { maxLength: 30 }),
      fc.dictionary(texts, fc.array(elements, { maxLength: 2 }), { maxKeys: 2 }),
      (before, name, list, after) => {
        const json = JSON.stringify({ ...before, [name]: list, ...after });
        const result: JsonObject = JSON.parse(json);
        const short = shorten(JSON.parse(json));
        const text = shortenText(Buffer.from(json));
        assert.equal(text && { result: parseBytes(text.json), cut: text.cut }, short);
        if (text && !Object.hasOwn(after, 'of')) assert.equal(text.around.of, result.of);
      },
    ),
    { numRuns: 300 },
  );
});

test('end at the same element for every length near the limit', () => {
  for (let length = 0; length < 12; length++) {
    const json = JSON.stringify({
      total: 3,
      list: ['x'.repeat(3000), 'y'.repeat(MAX_RESULT_CHARS - 3640 + length), 'z'],
    });
    const text = shortenText(Buffer.from(json));
    const short = shorten(JSON.parse(json));
    assert.equal(text && { result: parseBytes(text.json), cut: text.cut }, short, `${length}`);
  }
});

test('whose list is cut are not parsed where the list is', () => {
  // What comes after the first elements is no JSON, so it cannot be parsed.
  const json = `{"total":40,"list":[${Array(40)
    .fill(`{"text":"${'x'.repeat(500)}"}`)
    .join()},{"text":no JSON}],"end":1}`;
  const short = shortenText(Buffer.from(json));
  assert.equal(short?.cut, [{ path: '/list', total: 41, shown: 14 }]);
  assert.equal(short?.around, { total: 40, list: [], end: 1 });
  assert.match(short?.json ?? '', /^\{"total":40,"list":\[\{"text":"x+"\},.*\}\],"end":1\}$/);
});

test.run();
