import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_ROWS_AT_ONCE, runAtOnce, whenPrepared } from '../../../gateway/http/work.ts';
import { Collection, type SortKey } from '../../../gateway/query/collection.ts';
import { sortInSteps } from '../../../gateway/query/column.ts';
import { describeFacets } from '../../../gateway/query/facets.ts';
import { parseListQuery } from '../../../gateway/query/list-query.ts';
import { selectRows } from '../../../gateway/query/select-rows.ts';
import { encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';

// No event-loop tick does much, whatever a request needs of a long list. The work is counted, never timed.
const long = suite('long lists');

const ROWS = 5000;
/** At most this many calls that do the work in a tick; each takes up to a microsecond. Indexing a name takes about fifty. */
const MOST_CALLS = 2500;
const MOST_CALLS_OF_NAMES = 12_000;
/** At most this many records are parsed in a tick. */
const MOST_PARSED = 250;

const records = Array.from({ length: ROWS }, (_, row) => ({
  id: `unit-${row}`,
  name: `Name ${(row * 7919) % ROWS} of ${row % 97}`,
  element: `element-${row % 3}`,
  stats: { atk: (row * 31) % 1000 },
  levels: [{ level: row % 10 }],
}));
const file = Buffer.from(encodeList(records));

/** Counts what is called in each event-loop tick while work is done. @returns the most in one tick, and all together */
async function countCalls<T>(work: () => Promise<T>) {
  const most = { calls: 0, parsed: 0, ticks: 0 };
  let [calls, parsed] = [0, 0];
  const restore = [
    spy(Map.prototype, 'set', () => calls++),
    spy(Map.prototype, 'get', () => calls++),
    spy(Array.prototype, 'push', () => calls++),
    spy(Array.prototype, 'sort', (list) => {
      calls += (list as unknown[]).length;
    }),
    spy(JSON, 'parse', () => parsed++),
  ];
  let isOver = false;
  const watch = () => {
    most.calls = Math.max(most.calls, calls);
    most.parsed = Math.max(most.parsed, parsed);
    most.ticks++;
    [calls, parsed] = [0, 0];
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  try {
    return { value: await work(), most };
  } finally {
    watch();
    isOver = true;
    for (const each of restore) each();
  }
}

function spy(object: object, name: string, count: (self: unknown) => void): () => void {
  const original = Reflect.get(object, name) as (...values: unknown[]) => unknown;
  const replaced = function (this: unknown, ...values: unknown[]): unknown {
    count(this);
    return original.apply(this, values);
  };
  Object.defineProperty(object, name, { value: replaced, writable: true, configurable: true });
  return () => Object.defineProperty(object, name, { value: original, writable: true, configurable: true });
}

const opened = await countCalls(() => Collection.open(file, file));
const list = opened.value;

long('a list is read in steps of 200 records', () => {
  assert.ok(opened.most.parsed <= MOST_PARSED, `${opened.most.parsed} records in a tick`);
  assert.ok(opened.most.ticks >= ROWS / MOST_PARSED);
  assert.is(list.count, ROWS);
});

const byName = (a: JsonObject, b: JsonObject) =>
  String(a.name).localeCompare(String(b.name), 'en', { numeric: true });
type Case = [
  query: [string, string][],
  expected: (record: (typeof records)[number]) => boolean,
  calls: number,
];
const CASES: Case[] = [
  [[['ids', 'unit-7,unit-8']], ({ id }) => id === 'unit-7' || id === 'unit-8', MOST_CALLS],
  [[['element', 'element-1']], ({ element }) => element === 'element-1', MOST_CALLS],
  [[['stats.atk[gte]', '990']], ({ stats }) => stats.atk >= 990, MOST_CALLS],
  [[['levels.level', '3']], ({ levels }) => levels[0]?.level === 3, MOST_CALLS],
  [[['q', '11 96']], ({ name }) => name.includes('11') && name.includes('96'), MOST_CALLS_OF_NAMES],
];

for (const [query, isExpected, calls] of CASES) {
  long(`the first ${query.join(' ')} finds what it should, in small steps`, async () => {
    const select = () => selectRows(list, parseListQuery(query, list, 1000));
    assert.throws(select, /before it was prepared/);
    const { value, most } = await countCalls(() => whenPrepared(select));
    assert.is(value.total, records.filter(isExpected).length);
    assert.ok(most.calls <= calls, `${most.calls} calls in a tick`);
    assert.ok(most.parsed <= MOST_PARSED, `${most.parsed} records in a tick`);
    assert.is(select().total, value.total);
  });
}

long('a search with typos indexes names in small steps', async () => {
  const select = () => selectRows(list, parseListQuery([['q', 'nqme']], list, 10));
  const { value, most } = await countCalls(() => whenPrepared(select));
  assert.is(value.total, ROWS);
  assert.ok(most.ticks >= ROWS / MOST_PARSED, `${most.ticks} ticks`);
});

long('rows are ordered by several keys in small steps', async () => {
  const select = () => selectRows(list, parseListQuery([['sort', '-element,name']], list, ROWS));
  const { value, most } = await countCalls(() => whenPrepared(select));
  assert.ok(most.calls <= MOST_CALLS, `${most.calls} calls in a tick`);
  const expected = records.toSorted((a, b) =>
    a.element < b.element ? 1 : a.element > b.element ? -1 : byName(a, b),
  );
  assert.equal(
    value.rows.slice(0, 50).map((row) => records[row]?.name),
    expected.slice(0, 50).map(({ name }) => name),
  );
});

long('more orders than are kept, all requested at the same time, are each made once', async () => {
  const fresh = await Collection.open(file, file);
  const columns = [...fresh.columns.values()];
  const triples = columns.flatMap((a) => columns.flatMap((b) => columns.map((c) => [a, b, c])));
  const orders = triples.flatMap((triple) =>
    [true, false].map((descending) => triple.map((column) => ({ column, descending }))),
  );
  assert.ok(orders.length > 64, `${orders.length} orders`);
  let tries = 0;
  const read = (keys: SortKey[]) =>
    whenPrepared(() => {
      // Without a limit, a failure would never end.
      if (++tries > 10 * orders.length) throw new Error('orders are made again and again');
      return fresh.order(keys);
    });
  await Promise.all(orders.map(read));
  assert.is(tries, 2 * orders.length);
});

long('facets are described in small steps', async () => {
  const fresh = await Collection.open(file, file);
  const { value, most } = await countCalls(() => whenPrepared(() => fresh.orderedColumns));
  assert.ok(most.calls <= MOST_CALLS, `${most.calls} calls in a tick`);
  assert.is(value.size, 4);
  const facets = runAtOnce(describeFacets(fresh)).records.map(
    (record) => JSON.parse(String(record)) as JsonObject,
  );
  assert.equal(
    facets.map(({ id, distinct }) => [id, distinct]),
    [
      ['element', 3],
      ['id', ROWS],
      ['name', ROWS],
      ['stats.atk', 1000],
    ],
  );
});

long('sorting in steps orders as the engine does, and keeps the order of equal values', () => {
  const values = fc.array(fc.nat(500), { minLength: 0, maxLength: 9000, size: 'max' });
  fc.assert(
    fc.property(values, (numbers) => {
      const pairs = numbers.map((number, at) => ({ number, at }));
      const sorted = runAtOnce(sortInSteps([...pairs], (a, b) => a.number - b.number));
      assert.equal(
        sorted,
        pairs.toSorted((a, b) => a.number - b.number),
      );
    }),
    { numRuns: 5 },
  );
});

long('a list of up to 2,000 rows needs no preparation', () => {
  const short = new Collection(Buffer.from(encodeList(records.slice(0, MAX_ROWS_AT_ONCE))));
  const query = parseListQuery(
    [
      ['q', 'nqme'],
      ['sort', 'name'],
      ['levels.level', '3'],
    ],
    short,
    10,
  );
  assert.is(selectRows(short, query).total, MAX_ROWS_AT_ONCE / 10);
});

long.run();
