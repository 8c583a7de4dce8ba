import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Draft, readNow } from '../../../gateway/http/draft.ts';
import { MAX_NAME_LENGTH, ParameterError } from '../../../gateway/http/raw-query.ts';
import { runAtOnce } from '../../../gateway/http/work.ts';
import { Collection, orderRows } from '../../../gateway/query/collection.ts';
import type { Column } from '../../../gateway/query/column.ts';
import { writeProjection } from '../../../gateway/query/fields.ts';
import { MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS, parseListQuery } from '../../../gateway/query/list-query.ts';
import { selectRows } from '../../../gateway/query/select-rows.ts';
import { MAX_GROUPS } from '../../../gateway/nested-filters/nested-filters.ts';
import { findMeant } from '../../../gateway/search/did-you-mean.ts';
import { encodeList } from '../../../scripts/format/dist-format.ts';

// The work of a request is counted, never timed: what is read, compared or searched has a bound that the request cannot raise.
const bounded = suite('bounded work of a query');

const ROWS = 500;
const records = Array.from({ length: ROWS }, (_, row) => ({
  id: `unit-${row}`,
  name: `Name ${row % 7}`,
  element: `element-${row % 3}`,
  region: `region-${row % 2}`,
  ...(row % 5 > 0 && { weapon: `weapon-${row % 4}` }),
  levels: [{ level: 1 }, { level: row }],
}));
const list = new Collection(Buffer.from(encodeList(records)));

function search(q: string): string[] | undefined {
  return parseListQuery([['q', q]], list, 100).q?.words.map(({ compact }) => compact);
}

function refusal(q: string): string {
  try {
    search(q);
  } catch (error) {
    if (error instanceof ParameterError && error.parameter === 'q') return error.message;
    throw error;
  }
  return 'none';
}

bounded('a search drops words that are repeated, in any spelling', () => {
  assert.equal(search('ee EE éé name ee'), ['ee', 'name']);
  assert.equal(search(Array.from({ length: 100 }, () => 'e').join(' ')), ['e']);
});

bounded('a search has at most 16 different words', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
  assert.is(search(words(MAX_SEARCH_WORDS))?.length, MAX_SEARCH_WORDS);
  assert.is(refusal(words(MAX_SEARCH_WORDS + 1)), 'q has 17 different words, expected at most 16');
});

bounded('a search has at most 256 characters, however they are encoded', () => {
  assert.equal(search('e'.repeat(MAX_SEARCH_LENGTH)), ['e'.repeat(MAX_SEARCH_LENGTH)]);
  assert.equal(search('𝔢'.repeat(MAX_SEARCH_LENGTH)), ['e'.repeat(MAX_SEARCH_LENGTH)]);
  assert.is(refusal('e '.repeat(2600)), 'q has 5200 characters, expected at most 256');
  assert.is(refusal('𝔢'.repeat(MAX_SEARCH_LENGTH + 1)), 'q has 257 characters, expected at most 256');
});

bounded('the name of a filter has at most 200 characters', () => {
  const refused = (...query: [string, string][]) => {
    try {
      parseListQuery(query, list, 100);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };
  assert.match(refused(['filter', `${'['.repeat(MAX_NAME_LENGTH)}=1`]), /neither a parameter nor a facet/);
  for (const name of ['.'.repeat(8000), '['.repeat(MAX_NAME_LENGTH + 1)])
    assert.match(
      refused(['filter', `${name}=1`]),
      /^a parameter has a name of \d+ char.*; expected at most 200$/,
    );
  const labels = Array.from({ length: MAX_GROUPS + 1 }, (_, at): [string, string] => [
    `levels[l${at}].level`,
    '1',
  ]);
  assert.is(refused(...labels.slice(1)), 'none');
  assert.match(refused(...labels), /is one label too many, expected at most 16 in a request$/);
});

bounded('however many values a filter has, its facet is read once to find one that was meant', () => {
  const meant = new Collection(Buffer.from(encodeList(records)));
  const column = meant.columns.get('element') as Column;
  let reads = 0;
  const values = new Proxy(column.values, {
    get(target, property) {
      if (typeof property === 'string' && /^\d+$/.test(property)) reads++;
      return Reflect.get(target, property, target) as unknown;
    },
  });
  Object.defineProperty(column, 'values', { value: values });
  const ask = (count: number) => {
    const wanted = Array.from({ length: count }, (_, at): [string, string] => ['element', `none-${at}`]);
    const query = parseListQuery([...wanted, ['element', 'ELEMENT-2']], meant, 100);
    reads = 0;
    return findMeant(query);
  };
  assert.equal(ask(1000), { parameter: 'element', value: 'element-2' });
  assert.ok(reads <= 3 * values.length, `${reads} reads`);
});

/** Counts the names that a search keeps on its way. */
function countKept(q: string, names: Collection): number {
  const { set } = Map.prototype;
  let count = 0;
  Map.prototype.set = function (this: Map<unknown, unknown>, ...entry) {
    count++;
    return set.apply(this, entry);
  };
  try {
    selectRows(names, parseListQuery([['q', q]], names, 100));
  } finally {
    Map.prototype.set = set;
  }
  return count;
}

bounded('a search that finds nothing keeps few names, however many have each of its words', () => {
  const letters = 'abcdefghijklmnop';
  const names = Array.from({ length: ROWS }, (_, row) => {
    const missing = letters[row % letters.length] as string;
    return { id: `unit-${row}`, name: `${letters.replace(missing, '')}${row}` };
  });
  const nameList = new Collection(Buffer.from(encodeList(names)));
  // The first searches make the indexes.
  for (const q of ['zzz', 'zzzzz a']) countKept(q, nameList);
  assert.ok(countKept([...letters].join(' '), nameList) < ROWS / 10, 'no word is long enough for typos');
  assert.ok(countKept(`abcxyz ${[...letters].slice(0, 15).join(' ')}`, nameList) < 2 * ROWS);
});

/** A column that counts how often the value of a row is read. */
function counting(key: string): { column: Column; reads: () => number } {
  const { codes, offsets, rows, values, present, list: isList, type } = list.columns.get(key) as Column;
  let reads = 0;
  const counted = new Proxy(codes, {
    get(target, property) {
      if (typeof property === 'string' && /^\d+$/.test(property)) reads++;
      return Reflect.get(target, property, target) as unknown;
    },
  });
  const column = { key, type, list: isList, codes: counted, offsets, rows, values, present };
  return { column: column as unknown as Column, reads: () => reads };
}

bounded('a sort reads each row once per key, however many rows are equal', () => {
  const keys = ['element', 'region', 'weapon', 'name'].map(counting);
  const sort = keys.map(({ column }, at) => ({ column, descending: at % 2 === 0 }));
  runAtOnce(orderRows(sort, ROWS));
  assert.equal(
    keys.map(({ reads }) => reads()),
    keys.map(() => ROWS),
  );
});

bounded('a value that is no facet is searched for in its record once', () => {
  let compared = 0;
  const counted = new Collection(Buffer.from(encodeList(records)));
  for (const record of counted.fullRecords) {
    const compare = record.compare.bind(record) as Buffer['compare'];
    record.compare = (...args) => {
      compared++;
      return compare(...args);
    };
  }
  const write = (fields: string) => {
    compared = 0;
    const { projection = [] } = parseListQuery([['fields', fields]], counted, 100);
    const draft = new Draft();
    for (let row = 0; row < ROWS; row++) writeProjection(draft, projection, row);
    return { compared, text: readNow(draft.bytes()).toString() };
  };
  const first = write('levels,weapon');
  const again = write('weapon,levels');
  assert.ok(first.compared >= ROWS);
  assert.is(again.compared, 0);
  assert.is(again.text.length, first.text.length);
  assert.ok(first.text.startsWith('{"id":"unit-0","levels":[{"level":1},{"level":0}]}'), first.text);
});

bounded.run();
