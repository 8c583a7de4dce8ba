import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeFields, describeShape, shapeOf } from '../../../../scripts/upstream/dump/table-shape.ts';
import type { Json } from '../../../../scripts/format/dist-format.ts';

const test = suite('shapeOf');

const SHAPES: [Json, string, string | undefined][] = [
  [[{ id: 1, name: 'Ann' }, { id: 2 }], 'a list of 2 records', 'id, name'],
  [{ u1: { id: 1 }, u2: { id: 2 } }, 'an object of 2 records, keyed as "u1"', 'id'],
  [{ items: { i1: { a: 1 } }, suits: { s1: { a: 1 } } }, 'an object of 2 values', undefined],
  [{ only: { id: 1 } }, 'an object of 1 value', undefined],
  [{ a: 'x', b: 'y' }, 'an object of 2 values', undefined],
  [[1, 2], 'a list of 2 values', undefined],
  [[], 'a list of 0 values', undefined],
  [[{ __proto__x: 1, constructor: 2 }], 'a list of 1 record', '__proto__x, constructor'],
  ['text', 'one value', undefined],
  [null, 'one value', undefined],
  [
    [Object.fromEntries([...'abcdefghijklmno'].map((name) => [name, 1]))],
    'a list of 1 record',
    'a, b, c, d, e, f, g, h, i, j, k, l, and 3 more',
  ],
];

test('distinguishes records from other values by their common fields', () => {
  for (const [value, shape, fields] of SHAPES) {
    assert.is(describeShape(shapeOf(value)), shape, JSON.stringify(value));
    assert.is(describeFields(shapeOf(value)), fields, JSON.stringify(value));
  }
});

test.run();
