import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRange } from '../../../gateway/http/send-file.ts';
import { table } from '../../support/table.ts';

/** What is sent of a file: the first and last byte, nothing, or all. The package range-parser refuses what RFC 9110 answers with the file. */
const RANGES = table`
  bytes=0-0 | 1000 | 0 0
  bytes=10-99 | 1000 | 10 99
  bytes=999-999 | 1000 | 999 999
  bytes=10- | 1000 | 10 999
  bytes=-7 | 1000 | 993 999
  bytes=-1000 | 1000 | 0 999
  bytes=-1001 | 1000 | 0 999
  bytes=5-1000 | 1000 | 5 999
  Bytes=0-4 | 1000 | 0 4
  bytes= 0-4  | 1000 | 0 4
  bytes=1000- | 1000 | unsatisfiable
  bytes=1000-2000 | 1000 | unsatisfiable
  bytes=-0 | 1000 | unsatisfiable
  bytes=0- | 0 | unsatisfiable
  bytes=0-0 | 0 | unsatisfiable
  bytes=-1 | 0 | unsatisfiable
  bytes=5-4 | 1000 | all
  bytes=2000-1000 | 1000 | all
  bytes=- | 1000 | all
  bytes=0-1,3-4 | 1000 | all
  bytes=0-1,3000- | 1000 | all
  bytes=0 - 1 | 1000 | all
  bytes=a-b | 1000 | all
  bytes=0x1-0x2 | 1000 | all
  lines=0-1 | 1000 | all
  lines=5000- | 1000 | all
  bytes | 1000 | all
`;

const test = suite('readRange');
for (const [range = '', size = '', expected = ''] of RANGES)
  test(`sends ${expected} of ${size} bytes for ${range}`, () => {
    const read = readRange(range, Number(size)) ?? 'all';
    assert.is(typeof read === 'string' ? read : `${read.start} ${read.end}`, expected);
  });

test.run();
