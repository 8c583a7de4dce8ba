import parseRange from 'range-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRange } from '../../../gateway/http/send-file.ts';

const SIZE = 1000;
const REFUSED = 'unsatisfiable';
const WHOLE = undefined;

/** The parts that are sent of a file of 1000 bytes. */
const RANGES: [string, ReturnType<typeof readRange>][] = [
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=10-99', { start: 10, end: 99 }],
  ['bytes=999-999', { start: 999, end: 999 }],
  ['bytes=10-', { start: 10, end: 999 }],
  ['bytes=-7', { start: 993, end: 999 }],
  ['bytes=-1000', { start: 0, end: 999 }],
  ['bytes=-1001', { start: 0, end: 999 }],
  ['bytes=5-1000', { start: 5, end: 999 }],
  ['Bytes=0-4', { start: 0, end: 4 }],
  ['bytes= 0-4 ', { start: 0, end: 4 }],
  ['bytes=1000-', REFUSED],
  ['bytes=1000-2000', REFUSED],
  ['bytes=-0', REFUSED],
  ['bytes=5-4', WHOLE],
  ['bytes=2000-1000', WHOLE],
  ['bytes=-', WHOLE],
  ['bytes=0-1,3-4', WHOLE],
  ['bytes=0-1,3000-', WHOLE],
  ['bytes=0 - 1', WHOLE],
  ['bytes=a-b', WHOLE],
  ['bytes=0x1-0x2', WHOLE],
  ['lines=0-1', WHOLE],
  ['lines=5000-', WHOLE],
  ['bytes', WHOLE],
  ['', WHOLE],
];

const test = suite('readRange');
for (const [range, expected] of RANGES) {
  test(`reads ${JSON.stringify(range)}`, () => assert.equal(readRange(range, SIZE), expected));
}

test('an empty file has no parts', () => {
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) assert.is(readRange(range, 0), REFUSED);
});

// The reason for readRange. If this fails, the library can replace it; its -1 means 416.
test('range-parser refuses ranges for which RFC 9110 requires the file', () => {
  for (const range of ['bytes=-1001', 'bytes=5-4', 'lines=5000-'])
    assert.is(parseRange(SIZE, range), -1, range);
});

test.run();
