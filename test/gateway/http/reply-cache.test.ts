import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReplyCache } from '../../../gateway/http/respond.ts';

const test = suite('reply cache');

const MOST = 100_000;

function createReply(bytes: number) {
  return { etag: '"x"', headers: { Link: '<x>; rel="next"' }, unchanged: {}, bytes: Buffer.alloc(bytes) };
}

test('holds no more bytes than it may, whatever was put into it', () => {
  const cache = createReplyCache(MOST);
  let seed = 1;
  for (let index = 0; index < 500; index++) {
    seed = (seed * 48_271) % 2_147_483_647;
    cache.set(`"${index}"`, createReply(seed % 20_000));
    const held = [...cache.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(held <= MOST, `${held} bytes`);
  }
  assert.ok(cache.size > 2, 'it holds something');
});

test('counts entries without bytes too', () => {
  const cache = createReplyCache(MOST);
  for (let index = 0; index < 10_000; index++) cache.set(`"${index}"`, createReply(0));
  assert.ok(cache.size < 1000, `${cache.size} entries`);
});

test('drops the least recently used one when it is full', () => {
  const cache = createReplyCache(MOST);
  for (const etag of ['"a"', '"b"', '"c"']) cache.set(etag, createReply(30_000));
  assert.ok(cache.get('"a"'));
  cache.set('"d"', createReply(30_000));
  assert.equal(
    ['"a"', '"b"', '"c"', '"d"'].map((etag) => cache.get(etag) !== undefined),
    [true, false, true, true],
  );
});

test('does not take what is larger than it may hold, and keeps the others', () => {
  const cache = createReplyCache(MOST);
  cache.set('"a"', createReply(10));
  cache.set('"b"', createReply(MOST + 1));
  assert.equal([cache.get('"a"')?.bytes.length, cache.get('"b"')], [10, undefined]);
});

test.run();
