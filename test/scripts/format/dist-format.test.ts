import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  compareNatural,
  eachAttribute,
  encodeList,
  type Json,
  type JsonObject,
  sliceList,
} from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';

const test = suite('dist format');

test('a list file has one record per line', () => {
  assert.is(encodeList([{ id: 'a' }, { id: 'b\n' }]), '[\n{"id":"a"},\n{"id":"b\\n"}\n]\n');
});

test('the slices of any list file are its records, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const records = values.map((value) => JSON.parse(JSON.stringify(value)) as Json);
      const file = Buffer.from(encodeList(records));
      assert.equal(JSON.parse(file.toString()), records);
      assert.equal(
        sliceList(file).map((slice) => JSON.parse(slice.toString())),
        records,
      );
    }),
  );
});

test('slices are views, not copies', () => {
  const file = Buffer.from(encodeList([{ id: 'a' }]));
  assert.is(sliceList(file)[0]?.buffer, file.buffer);
});

for (const text of [
  '',
  '[]',
  '[]\n',
  '{}\n',
  '[\n',
  '[\n]\n',
  '[{"id":1}]',
  '[\n{"id":1}\n]',
  '{\n"a":1\n}\n',
  '[\n{"id":1}\n{"id":2}\n]\n',
  '[\n{\n"id":1},\n{"id":2}\n]\n',
]) {
  test(`slicing refuses ${JSON.stringify(text)}, which is not a list file`, () => {
    assert.throws(() => sliceList(Buffer.from(text)), /not a list file/);
  });
}

const inOrder: [string, string][] = [
  ['unit-2', 'unit-10'],
  ['unit-9', 'unit-10a'],
  ['a1b2', 'a1b10'],
  ['a', 'a1'],
  ['', 'a'],
  ['1.9', '1.10'],
  ['head', 'head-1'],
  ['9007199254740992', '9007199254740993'],
  ['1', 'a'],
  ['01', '2'],
];
for (const [smaller, larger] of inOrder) {
  test(`${JSON.stringify(smaller)} comes before ${JSON.stringify(larger)} in natural order`, () => {
    assert.ok(compareNatural(smaller, larger) < 0);
    assert.ok(compareNatural(larger, smaller) > 0);
  });
}

// Few letters, so that runs of digits are often compared.
const id = fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '9', 'a', 'B', '-', '.', 'é') });

test('natural order is antisymmetric, and only equal texts compare as equal', () => {
  fc.assert(
    fc.property(id, id, (a, b) => {
      assert.is(Math.sign(compareNatural(a, b)), 0 - Math.sign(compareNatural(b, a)) || 0);
      assert.is(compareNatural(a, b) === 0, a === b);
    }),
    { numRuns: 5000 },
  );
});

test('natural order is transitive', () => {
  fc.assert(
    fc.property(id, id, id, (a, b, c) => {
      const [first, second, third] = [a, b, c].sort(compareNatural) as [string, string, string];
      assert.ok(compareNatural(first, second) <= 0);
      assert.ok(compareNatural(second, third) <= 0);
      assert.ok(compareNatural(first, third) <= 0);
    }),
    { numRuns: 5000 },
  );
});

test('attributes are visited by dotted key, inside objects but not inside lists', () => {
  const record = JSON.parse(
    '{"id": "a", "stats": {"hp": 1, "more": {"x": null}}, "tags": ["t"], "skills": [{"id": "s"}], "__proto__": {"y": 2}}',
  ) as JsonObject;
  const seen: [string, Json][] = [];
  const paths: string[] = [];
  eachAttribute(record, (key, value, path) => {
    seen.push([key, value]);
    paths.push(path.join('.'));
  });
  assert.equal(
    seen.map(([key]) => key),
    ['id', 'stats', 'stats.hp', 'stats.more', 'stats.more.x', 'tags', 'skills', '__proto__', '__proto__.y'],
  );
  assert.equal(
    paths,
    seen.map(([key]) => key),
  );
  assert.equal(new Map(seen).get('__proto__.y'), 2);
});

test.run();
