import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RowSet } from '../../../gateway/query/row-set.ts';
import { fc } from '../../support/random.ts';

const test = suite('ranges of rows');

const ROWS = fc.integer({ min: 1, max: 700 }).chain((rowCount) =>
  fc.tuple(
    fc.constant(rowCount),
    fc.shuffledSubarray(Array.from({ length: rowCount }, (_, row) => row)),
    fc.shuffledSubarray(
      Array.from({ length: rowCount }, (_, row) => row),
      { minLength: rowCount },
    ),
    fc.array(fc.tuple(fc.nat(rowCount), fc.nat(rowCount)), { minLength: 1, maxLength: 20 }),
  ),
);

test('become sets of their rows, for any order of rows and any range', () => {
  const set = new RowSet();
  fc.assert(
    fc.property(ROWS, ([rowCount, shuffled, order, pairs]) => {
      const rows = Int32Array.from(shuffled);
      for (const pair of [...pairs, [0, rowCount]]) {
        const [from = 0, to = 0] = pair.map((at) => Math.min(at, rows.length)).sort((a, b) => a - b);
        set.clear(rowCount);
        set.addAll(rows, from, to);
        assert.equal(set.slice(0, rowCount), [...rows.subarray(from, to).toSorted()], `${from} to ${to}`);
        assert.is(set.size, to - from);
        const all = Int32Array.from(order);
        set.fillRange(all, from, to);
        assert.equal(
          set.slice(0, rowCount),
          [...all.subarray(from, to).toSorted()],
          `${from} to ${to} of all`,
        );
      }
    }),
  );
});

test.run();
