import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareValues, type Comparison } from '../../../scripts/diff/compare.ts';
import type { Json } from '../../../scripts/format/dist-format.ts';

const test = suite('comparing values');

const a = { id: 'a', hp: 1 };
const b = { id: 'b', hp: 2 };
const c = { id: 'c', hp: 3 };

const cases: [string, Json, Json, Comparison['changes'], string[]][] = [
  [
    'an attribute that changes',
    { x: { y: 1 } },
    { x: { y: 2 } },
    [{ path: '/x/y', from: 1, to: 2 }],
    ['x.y'],
  ],
  ['an added attribute', {}, { x: null }, [{ path: '/x', to: null }], ['x']],
  ['a removed attribute', { 'x/y~': 0 }, {}, [{ path: '/x~1y~0', from: 0 }], ['x/y~']],
  ['another type', { x: '1' }, { x: 1 }, [{ path: '/x', from: '1', to: 1 }], ['x']],
  ['keys like indices', { x: { 90: 1 } }, { x: { 90: 2 } }, [{ path: '/x/90', from: 1, to: 2 }], ['x.90']],
  ['a list of scalars, as one', { x: [1, 2] }, { x: [2] }, [{ path: '/x', from: [1, 2], to: [2] }], ['x']],
  [
    'a list of objects that becomes one of scalars, as one',
    { x: [a, b] },
    { x: [1, 2] },
    [{ path: '/x', from: [a, b], to: [1, 2] }],
    ['x'],
  ],
  [
    'an element by id',
    { x: [a, b] },
    { x: [a, { ...b, hp: 5 }] },
    [{ path: '/x/1/hp', from: 2, to: 5 }],
    ['x'],
  ],
  [
    'an element that comes, and pushes others',
    { x: [a, b] },
    { x: [c, a, b] },
    [{ path: '/x/0', to: c }],
    ['x'],
  ],
  ['a removed element', { x: [a, b, c] }, { x: [a, c] }, [{ path: '/x/1', from: b }], ['x']],
  [
    'an element that is pushed and changes',
    { x: [b] },
    { x: [a, { ...b, hp: 5 }] },
    [
      { path: '/x/0', to: a },
      { path: '/x/1/hp', from_path: '/x/0/hp', from: 2, to: 5 },
    ],
    ['x'],
  ],
  [
    'an element that moves, alone of all',
    { x: [a, b, c] },
    { x: [c, a, b] },
    [{ path: '/x/0', from_path: '/x/2', from: c, to: c }],
    ['x'],
  ],
  [
    'elements without ids, by position',
    { x: [{ hp: 1 }, { hp: 2 }] },
    { x: [{ hp: 1 }, { hp: 3 }] },
    [{ path: '/x/1/hp', from: 2, to: 3 }],
    ['x'],
  ],
  [
    'one without an id that is put between equal ones',
    { x: [{ hp: 1 }, { hp: 2 }] },
    { x: [{ hp: 1 }, { hp: 9 }, { hp: 2 }] },
    [{ path: '/x/1', to: { hp: 9 } }],
    ['x'],
  ],
  ['the whole', [], {}, [{ path: '', from: [], to: {} }], []],
  ['equal values', { x: [a, { y: [1] }] }, { x: [a, { y: [1] }] }, [], []],
];

for (const [name, before, after, changes, fields] of cases) {
  test(`${name}: ${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
    assert.equal(compareValues(before, after), { fields, changes });
  });
}

test.run();
