import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeEtag } from '../../../gateway/wire/etag.ts';
import { ReplyCache } from '../../../gateway/wire/reply-cache.ts';

const test = suite('reply cache');

const MOST = 100_000;

function createReply(bytes: number) {
  const contentFields = `Link: <x>; rel="next"\r\nContent-Length: ${bytes}\r\n`;
  return { etag: '"x"', fields: 'ETag: "x"\r\n', contentFields, bytes: Buffer.alloc(bytes), isCoded: false };
}

/** The replies that it still holds of those that were added as "0", "1", …. Reads them in that order, so that the oldest stays the oldest. */
function heldOf(cache: ReplyCache, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => cache.get(`"${index}"`)?.bytes ?? []).flat();
}

test('never holds more bytes than its limit', () => {
  const cache = new ReplyCache(MOST);
  let seed = 1;
  for (let index = 0; index < 500; index++) {
    seed = (seed * 48_271) % 2_147_483_647;
    cache.set(`"${index}"`, createReply(seed % 20_000));
    const held = heldOf(cache, index + 1).reduce((sum, { length }) => sum + length, 0);
    assert.ok(held <= MOST, `${held} bytes`);
  }
  assert.ok(heldOf(cache, 500).length > 2, 'it holds something');
});

test('counts entries without bytes too', () => {
  const cache = new ReplyCache(MOST);
  for (let index = 0; index < 10_000; index++) cache.set(`"${index}"`, createReply(0));
  const { length } = heldOf(cache, 10_000);
  assert.ok(length < 1000, `${length} entries`);
});

test('drops the least recently used one when it is full', () => {
  const cache = new ReplyCache(MOST);
  for (const etag of ['"a"', '"b"', '"c"']) cache.set(etag, createReply(30_000));
  assert.ok(cache.get('"a"'));
  cache.set('"d"', createReply(30_000));
  assert.equal(
    ['"a"', '"b"', '"c"', '"d"'].map((etag) => cache.get(etag) !== undefined),
    [true, false, true, true],
  );
});

test('does not store a reply larger than its limit, and keeps the others', () => {
  const cache = new ReplyCache(MOST);
  cache.set('"a"', createReply(10));
  cache.set('"b"', createReply(MOST + 1));
  assert.equal([cache.get('"a"')?.bytes?.length, cache.get('"b"')], [10, undefined]);
});

test('distinguishes repeated requests from single ones', () => {
  const cache = new ReplyCache(MOST);
  const etags = Array.from({ length: 1000 }, (_, index) =>
    makeEtag('text/plain', 'build', `/${index}`, 'identity'),
  );
  const known = etags.filter((etag) => cache.isAskedAgain(etag));
  // With 2^32 different values, a few may collide.
  assert.ok(known.length < 5, `${known.length} of 1,000 that are asked for the first time`);
  assert.ok(etags.slice(-100).every((etag) => cache.isAskedAgain(etag)));
});

test.run();
