import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLinks } from '../../../gateway/api/lists.ts';
import type { ApiRequest } from '../../../gateway/api/route.ts';
import { parseRawQuery, type RawQuery } from '../../../gateway/http/incoming.ts';
import { fc } from '../../support/random.ts';

const test = suite('page links');
const PATH = '/api/a/characters';

/** The address of the first page in the links. */
function firstOf(search: string): string | undefined {
  const query = parseRawQuery(search.slice(1)) as RawQuery;
  const links = pageLinks({ path: PATH, search, query } as ApiRequest, 3, 1, 0, 1);
  return /^<([^>]*)>; rel="first"/.exec(links)?.[1];
}

const parts = fc.constantFrom(
  'a',
  'sort',
  'offset',
  'of%66set',
  '=',
  '=',
  '&',
  '&',
  '[gte]',
  '-1.5',
  '+',
  '%20',
  '%C3%A9',
  '?',
  ',',
  ':',
);

test('however a query is written, a link has the same pairs in the same order, except the offset', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (all) => {
      const search = `?${all.join('')}`;
      const pairs = (parseRawQuery(search.slice(1)) as RawQuery).filter(([name]) => name !== 'offset');
      const address = firstOf(search) as string;
      assert.ok(address.startsWith(`${PATH}?`) && address.endsWith('offset=0'), address);
      const linked = address.slice(PATH.length + 1);
      assert.equal(parseRawQuery(linked), [...pairs, ['offset', '0']]);
      assert.not.match(linked, /&&|[^\w.~,:[\]=&%-]/);
      assert.is(linked.split('&').length, pairs.length + 1);
    }),
    { numRuns: 2000 },
  );
});

test('a query that needs no encoding is unchanged in links', () => {
  assert.is(
    firstOf('?rarity[gte]=4&sort=-name,id&limit=1'),
    `${PATH}?rarity[gte]=4&sort=-name,id&limit=1&offset=0`,
  );
  assert.is(firstOf('?limit=1&'), `${PATH}?limit=1&offset=0`);
  assert.is(firstOf('?offset=7&limit=1'), `${PATH}?limit=1&offset=0`);
});

test.run();
