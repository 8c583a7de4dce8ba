import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAnswerCache } from '../../../gateway/http/respond.ts';

const test = suite('answer cache');

const MOST = 100_000;

function createBody(bytes: number) {
  return { bytes: Buffer.alloc(bytes), coding: 'identity' as const, link: '<x>; rel="next"' };
}

test('holds no more bytes than it may, whatever was put into it', () => {
  const cache = createAnswerCache(MOST);
  let seed = 1;
  for (let index = 0; index < 500; index++) {
    seed = (seed * 48_271) % 2_147_483_647;
    cache.set(`"${index}"`, createBody(seed % 20_000));
    const held = [...cache.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(held <= MOST, `${held} bytes`);
  }
  assert.ok(cache.size > 2, 'it holds something');
});

test('counts entries without bytes too', () => {
  const cache = createAnswerCache(MOST);
  for (let index = 0; index < 10_000; index++) cache.set(`"${index}"`, createBody(0));
  assert.ok(cache.size < 1000, `${cache.size} entries`);
});

test('drops the least recently used one when it is full', () => {
  const cache = createAnswerCache(MOST);
  for (const etag of ['"a"', '"b"', '"c"']) cache.set(etag, createBody(30_000));
  assert.ok(cache.get('"a"'));
  cache.set('"d"', createBody(30_000));
  assert.equal(
    ['"a"', '"b"', '"c"', '"d"'].map((etag) => cache.get(etag) !== undefined),
    [true, false, true, true],
  );
});

test('does not take what is larger than it may hold, and keeps the others', () => {
  const cache = createAnswerCache(MOST);
  cache.set('"a"', createBody(10));
  cache.set('"b"', createBody(MOST + 1));
  assert.equal([cache.get('"a"')?.bytes.length, cache.get('"b"')], [10, undefined]);
});

test.run();
