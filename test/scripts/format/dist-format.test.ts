import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareNatural, eachRecord, encodeList, type Json } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';

const test = suite('dist format');

test('the slices of any list file are its records, in order', () => {
  assert.is(encodeList([{ id: 'a' }, { id: 'b\n' }]), '[\n{"id":"a"},\n{"id":"b\\n"}\n]\n');
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const records = values.map((value) => JSON.parse(JSON.stringify(value)) as Json);
      const slices = [...eachRecord(Buffer.from(encodeList(records)))];
      assert.equal(
        slices.map((slice) => JSON.parse(slice.toString())),
        records,
      );
    }),
  );
  for (const text of ['', '[]', '[]\n', '{}\n', '[\n', '[\n{"id":1}\n]', '{\n"a":1\n}\n'])
    assert.throws(() => [...eachRecord(Buffer.from(text))], /not a list file/, text);
});

test('natural order compares runs of digits as numbers', () => {
  const pairs =
    'unit-2<unit-10 unit-9<unit-10a a1b2<a1b10 a<a1 1.9<1.10 head<head-1 1<a 01<2 9007199254740992<9007199254740993';
  for (const pair of pairs.split(' ')) {
    const [smaller = '', larger = ''] = pair.split('<');
    assert.ok(compareNatural(smaller, larger) < 0 && compareNatural(larger, smaller) > 0, pair);
  }
});

test('natural order is antisymmetric and transitive, and only equal texts compare as equal', () => {
  // Few letters, so that runs of digits are often compared.
  const id = fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '9', 'a', 'B', '-', '.', 'é') });
  fc.assert(
    fc.property(id, id, id, (a, b, c) => {
      assert.is(Math.sign(compareNatural(a, b)), 0 - Math.sign(compareNatural(b, a)) || 0);
      assert.is(compareNatural(a, b) === 0, a === b);
      const [first = '', second = '', third = ''] = [a, b, c].sort(compareNatural);
      for (const [one, other] of [
        [first, second],
        [second, third],
        [first, third],
      ] as const)
        assert.ok(compareNatural(one, other) <= 0);
    }),
    { numRuns: 5000 },
  );
});

test.run();
