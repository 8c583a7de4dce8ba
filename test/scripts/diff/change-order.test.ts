import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cutApart, inOrder } from '../../../scripts/diff/changes.ts';

const test = suite('changes for readers');

test('begin with numbers of stats, and end with names in other languages', () => {
  const spelling = { id: 'a', changes: [{ path: '/name_fr', from: 'x', to: 'y' }] };
  const text = { id: 'b', changes: [{ path: '/title', from: 'x', to: 'y' }] };
  const buff = {
    id: 'c',
    changes: [
      { path: '/skills/0/name_ko', from: 'x', to: 'y' },
      { path: '/skills/0/cost', from: 5, to: 4 },
      { path: '/stats/atk', from: 1, to: 2 },
    ],
  };
  const ordered = inOrder([spelling, text, buff]);
  assert.equal(
    ordered.map(({ id }) => id),
    ['c', 'b', 'a'],
  );
  assert.equal(
    ordered[0]?.changes.map(({ path }) => path),
    ['/stats/atk', '/skills/0/cost', '/skills/0/name_ko'],
  );
});

test('show where long texts differ', () => {
  const same = 'the same words again and again, ';
  const [from, to] = cutApart(`${same.repeat(4)}one end`, `${same.repeat(4)}another end`, 40);
  assert.match(from, /^….*one end$/);
  assert.match(to, /^….*another end$/);
  assert.equal(cutApart('short', 'shore', 40), ['short', 'shore']);
  assert.equal(cutApart('a'.repeat(50), 'b'.repeat(50), 10), [`${'a'.repeat(10)}…`, `${'b'.repeat(10)}…`]);
});

test.run();
