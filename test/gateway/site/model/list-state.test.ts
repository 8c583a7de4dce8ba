import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRawQuery } from '../../../../gateway/http/raw-query.ts';
import {
  cycleSort,
  filterValue,
  isChosen,
  type ListState,
  OPERATORS,
  readListState,
  START,
  setFilter,
  toggleValue,
  writeListState,
} from '../../../../gateway/site/model/list-state.ts';
import { fc } from '../../../support/random.ts';

const test = suite('the state of a list in its address');

const word = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
const RESERVED = new Set(['q', 'sort', 'fields', 'ids', 'lang', 'limit', 'offset', 'filter']);
const key = word.filter((text) => !RESERVED.has(text) && !/[[\],]/.test(text) && !text.startsWith('-'));
const name = key.filter((text) => !text.includes(','));
const plain = { noNullPrototype: true } as const;
const states: fc.Arbitrary<ListState> = fc.record(
  {
    filters: fc.array(
      fc.record(
        { key, operator: fc.constantFrom(...OPERATORS), value: fc.string({ unit: 'grapheme' }) },
        plain,
      ),
      { maxLength: 4 },
    ),
    q: fc.string({ unit: 'grapheme', maxLength: 8 }),
    sort: fc.uniqueArray(fc.record({ key: name, descending: fc.boolean() }, plain), {
      maxLength: 3,
      selector: (by) => `${by.descending ? '-' : ''}${by.key}`,
    }),
    fields: fc.uniqueArray(name, { maxLength: 3 }),
    ids: fc.uniqueArray(name, { maxLength: 3 }),
    lang: fc.constantFrom('', 'ja', 'zh_cn'),
    limit: fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined }),
    offset: fc.nat(999_999),
  },
  plain,
);

const sortFilters = (state: ListState) => ({
  ...state,
  filters: state.filters.map((filter) => JSON.stringify(filter)).sort(),
});

test('every state is an address, and its query is a query of the API', () => {
  fc.assert(
    fc.property(states, (state) => {
      const query = writeListState(state);
      assert.equal(sortFilters(readListState(query)), sortFilters(state));
      assert.is(writeListState(readListState(query)), query);
      assert.not.match(query, /['"\s<>\\`]/);
      const pairs = parseRawQuery(query);
      assert.equal(pairs, [...new URLSearchParams(query)]);
    }),
    { numRuns: 60 },
  );
});

test('reads what people write: filter=, brackets, repeated lists', () => {
  const state = readListState(
    '?filter=rarity[gte]=4&element=Pyro&element=Hydro&stats.atk[lt]=300&sort=-rarity,name&ids=a&ids=b,a&limit=20&offset=40',
  );
  assert.equal(state, {
    ...START,
    filters: [
      { key: 'rarity', operator: 'gte', value: '4' },
      { key: 'element', operator: 'is', value: 'Pyro' },
      { key: 'element', operator: 'is', value: 'Hydro' },
      { key: 'stats.atk', operator: 'lt', value: '300' },
    ],
    sort: [
      { key: 'rarity', descending: true },
      { key: 'name', descending: false },
    ],
    ids: ['a', 'b'],
    limit: 20,
    offset: 40,
  });
});

test('leaves malformed pages out, and equal states have equal addresses', () => {
  assert.equal(readListState('limit=-1&offset=x'), START);
  assert.equal(readListState('limit=5000').limit, undefined);
  assert.is(writeListState(START), '');
  assert.is(writeListState(readListState('b=2&a=1')), writeListState(readListState('a=1&b=2')));
});

test('choices, ranges and sorts begin at the first page again', () => {
  const second = { ...START, offset: 50 };
  const chosen = toggleValue(second, 'element', 'Pyro');
  assert.is(writeListState(chosen), 'element=Pyro');
  assert.ok(isChosen(chosen, 'element', 'Pyro'));
  assert.equal(toggleValue(chosen, 'element', 'Pyro'), START);
  const ranged = setFilter(second, 'stats.atk', 'gte', '300');
  assert.is(filterValue(ranged, 'stats.atk', 'gte'), '300');
  assert.is(writeListState(setFilter(ranged, 'stats.atk', 'gte', '250')), 'stats.atk[gte]=250');
  assert.equal(setFilter(ranged, 'stats.atk', 'gte', ''), START);
  const sorts = [true, false].map((first) => {
    const once = cycleSort(second, 'x', first);
    const twice = cycleSort(once, 'x', first);
    return [once, twice, cycleSort(twice, 'x', first)].map(writeListState);
  });
  assert.equal(sorts, [
    ['sort=-x', 'sort=x', ''],
    ['sort=x', 'sort=-x', ''],
  ]);
});

test.run();
