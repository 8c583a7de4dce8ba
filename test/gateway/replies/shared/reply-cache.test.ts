import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readNow } from '../../../../gateway/http/draft.ts';
import { makeEtag } from '../../../../gateway/http/respond.ts';
import { ReplyCache } from '../../../../gateway/replies/shared/reply-cache.ts';

const test = suite('reply cache');

const MAX_BYTES = 100_000;
/** How many requests may pass until former favourites are forgotten. */
const MAX_REQUESTS = 1_000_000;

function createReply(name: string, bytes: number) {
  const etag = makeEtag('text/plain', 'build', name, 'identity');
  const contentFields = `Link: <x>; rel="next"\r\nContent-Length: ${bytes}\r\n`;
  return { etag, fields: 'ETag: "x"\r\n', contentFields, bytes: Buffer.alloc(bytes) };
}

/** Requests a reply as the gateway does: from the cache, or else made and offered. @returns whether the cache had it */
function request(cache: ReplyCache, name: string, bytes: number): boolean {
  if (cache.get(name) !== undefined) return true;
  cache.offer(name, createReply(name, bytes));
  return false;
}

/** Requests a reply twice: the second time it is stored if there is room. */
function requestTwice(cache: ReplyCache, name: string, bytes: number): void {
  request(cache, name, bytes);
  request(cache, name, bytes);
}

/** The replies named "/0", "/1", … that it holds. */
function heldOf(cache: ReplyCache, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => cache.get(`/${index}`)?.bytes ?? [])
    .flat()
    .map(readNow);
}

test('never holds more bytes than its limit', () => {
  const cache = new ReplyCache(MAX_BYTES);
  let seed = 1;
  for (let index = 0; index < 500; index++) {
    seed = (seed * 48_271) % 2_147_483_647;
    requestTwice(cache, `/${index}`, seed % 20_000);
    const held = heldOf(cache, index + 1).reduce((sum, { length }) => sum + length, 0);
    assert.ok(held <= MAX_BYTES, `${held} bytes`);
  }
  assert.ok(heldOf(cache, 500).length > 2, 'it holds something');
});

test('counts entries without bytes too', () => {
  const cache = new ReplyCache(MAX_BYTES);
  for (let index = 0; index < 10_000; index++) requestTwice(cache, `/${index}`, 0);
  const { length } = heldOf(cache, 10_000);
  assert.ok(length > 10 && length < 1000, `${length} entries`);
});

test('stores no reply that is requested once', () => {
  const cache = new ReplyCache(MAX_BYTES);
  const names = Array.from({ length: 1000 }, (_, index) => `/${index}`);
  for (const name of names) request(cache, name, 10);
  // With 2^32 different checksums, a few may collide.
  const stored = names.filter((name) => cache.get(name) !== undefined);
  assert.ok(stored.length < 5, `${stored.length} of 1,000`);
  for (const name of names.slice(-10)) request(cache, name, 10);
  assert.ok(names.slice(-10).every((name) => cache.get(name) !== undefined));
});

test('replaces the reply of a name with the newer one at once', () => {
  const cache = new ReplyCache(MAX_BYTES);
  requestTwice(cache, '/a', 10);
  cache.offer('/a', createReply('/a', 20));
  assert.is(cache.get('/a')?.bytes?.length, 20);
});

test('when it is full, drops the least recently used reply for one that is requested more often, and for no other', () => {
  const cache = new ReplyCache(MAX_BYTES);
  for (const name of ['/a', '/b', '/c']) requestTwice(cache, name, 30_000);
  request(cache, '/a', 30_000);
  // The third request is the first that makes it more popular than /b.
  const stored = Array.from({ length: 5 }, () => request(cache, '/d', 30_000));
  assert.equal(stored, [false, false, false, true, true]);
  assert.equal(
    ['/a', '/b', '/c', '/d'].map((name) => cache.get(name) !== undefined),
    [true, false, true, true],
  );
});

test('a cycle of twice as many replies as it holds finds nearly half of them', () => {
  const cache = new ReplyCache(MAX_BYTES);
  const names = Array.from({ length: 60 }, (_, index) => `/${index}`);
  const cycle = () => names.filter((name) => request(cache, name, 1500)).length;
  for (let round = 0; round < 20; round++) cycle();
  const found = cycle();
  assert.ok(found >= 20, `${found} of 60`);
});

test('forgets what was popular once', () => {
  const cache = new ReplyCache(MAX_BYTES);
  for (let round = 0; round < 20; round++)
    for (const name of ['/a', '/b', '/c']) request(cache, name, 30_000);
  const replies = ['/d', '/e'].map((name) => ({ name, reply: createReply(name, 30_000) }));
  let requests = 0;
  const isReplaced = () => replies.some(({ name }) => cache.get(name) !== undefined);
  for (; !isReplaced() && requests < MAX_REQUESTS; requests++)
    for (const { name, reply } of replies) cache.offer(name, reply);
  assert.ok(requests < MAX_REQUESTS, 'the new favourites are never stored');
});

test('does not store a reply larger than its limit, and keeps the others', () => {
  const cache = new ReplyCache(MAX_BYTES);
  requestTwice(cache, '/a', 10);
  for (let round = 0; round < 5; round++) request(cache, '/b', MAX_BYTES + 1);
  assert.equal([cache.get('/a')?.bytes?.length, cache.get('/b')], [10, undefined]);
});

test.run();
