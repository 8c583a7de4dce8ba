import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tier } from '../../../../gateway/access/account.ts';
import { InputError } from '../../../../gateway/http/problem.ts';
import {
  type GameRequest,
  rankRequests,
  readLink,
  readName,
} from '../../../../gateway/people/game-requests/game-request.ts';
import { fc } from '../../../support/random.ts';

const test = suite('game requests');

function request(id: number, supporters: string[]): GameRequest {
  const at = '2030-01-01T00:00:00.000Z';
  return {
    id: String(id),
    name: `Game ${id}`,
    link: `https://example.org/${id}`,
    status: 'open',
    game: null,
    note: null,
    supporters,
    created_at: at,
    changed_at: at,
  };
}

/** Accounts that begin with `p` are Pro. */
const tierOf = (account: string): Tier => (account.startsWith('p') ? 'pro' : 'free');

function order(...requests: GameRequest[]): string {
  return rankRequests(requests, tierOf)
    .map((ranked) => `${ranked.request.id}:${ranked.pro}`)
    .join(' ');
}

test('a request with one Pro supporter comes before any without', () => {
  assert.is(order(request(1, ['a', 'b', 'c']), request(2, ['p1'])), '2:1 1:0');
});

test('then requests with more supporters of any tier come first, then the older ones', () => {
  assert.is(order(request(1, ['p1', 'p2']), request(2, ['p1', 'a', 'b'])), '2:1 1:2');
  assert.is(order(request(10, ['a']), request(9, ['b']), request(11, ['b', 'c'])), '11:0 9:0 10:0');
});

test('the ranking does not depend on the order of the input', () => {
  const account = fc.constantFrom('a', 'b', 'c', 'p1', 'p2');
  const supporters = fc.array(fc.uniqueArray(account), { minLength: 1, maxLength: 8 });
  const shuffled = supporters.chain((lists) => {
    const requests = lists.map((list, index) => request(index + 1, list));
    return fc.tuple(fc.constant(requests), fc.shuffledSubarray(requests, { minLength: requests.length }));
  });
  fc.assert(fc.property(shuffled, ([some, others]) => order(...some) === order(...others)));
});

test('a link is normalized', () => {
  const form = 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive';
  for (const link of [
    form,
    ' https://PLAY.google.com:443/store/apps/details/?hl=en&id=com.nexon.bluearchive&utm_source=x#reviews ',
  ]) {
    assert.is(readLink(link), form);
  }
  assert.is(readLink('https://example.org'), 'https://example.org/');
  assert.is(readLink('https://example.org:8443/a'), 'https://example.org:8443/a');
});

const BAD_LINKS = [
  '',
  'Blue Archive',
  'http://example.org/',
  'ftp://example.org/',
  'javascript:alert(1)',
  'https://localhost/',
  'https://user:secret@example.org/',
  `https://example.org/${'a'.repeat(500)}`,
  `https://example.org/${'ゲ'.repeat(400)}`,
];
for (const link of BAD_LINKS) {
  test(`${JSON.stringify(link.slice(0, 40))} is refused as a link`, () => {
    assert.throws(
      () => readLink(link),
      (error: unknown) => error instanceof InputError && !/secret/.test(error.message),
    );
  });
}

test('a name is one line of at most 100 characters', () => {
  assert.is(readName('  Blue \t Archive '), 'Blue Archive');
  assert.is(readName('ブルーアーカイブ'), 'ブルーアーカイブ');
  for (const name of ['', ' ', 'a\u0000b', 'a\u202eb', 'a'.repeat(101)]) {
    assert.throws(
      () => readName(name),
      (error: unknown) => error instanceof InputError,
    );
  }
});

test.run();
