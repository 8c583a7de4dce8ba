import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Pieces, SPILL } from '../../../gateway/http/draft.ts';
import { fc } from '../../support/random.ts';

const test = suite('pieces');
const SIZE = 4096;

/** Characters whose bytes are next to those of digits, and any others. */
const texts = fc.array(
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('\u007f', '\u{10ffff}', '\u{f0000}', '\uffff', '\0', 'a'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 24,
  }),
  { minLength: 1, maxLength: 20 },
);

test('are copied unchanged to any position; a few bytes behind them may be overwritten, none before', () => {
  fc.assert(
    fc.property(texts, fc.nat(20), (all, start) => {
      const pieces = Pieces.of(all);
      const memory = Buffer.alloc(SIZE, 0xee);
      const words = new DataView(memory.buffer, memory.byteOffset, SIZE);
      let end = start;
      for (const number of all.keys()) end = pieces.copy(number, words, end);
      const expected = Buffer.from(all.join(''));
      assert.is(Buffer.compare(memory.subarray(start, end), expected), 0);
      assert.is(Buffer.compare(memory.subarray(0, start), Buffer.alloc(start, 0xee)), 0);
      const behind = memory.subarray(end + SPILL);
      assert.is(Buffer.compare(behind, Buffer.alloc(behind.length, 0xee)), 0);
    }),
    { numRuns: 1000 },
  );
});

test.run();
