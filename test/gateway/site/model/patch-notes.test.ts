import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLastStep } from '../../../../gateway/site/model/last-step.ts';
import { arrangePatch } from '../../../../gateway/site/model/patch-notes.ts';

const test = suite('patch notes');

const CHANGES = [
  { path: '/title', from: 'Sage', to: 'Seer' },
  { path: '/stats/atk', from: 120, to: 110 },
];

test('say what each collection gained, lost and changed; stats come first', () => {
  const parts = arrangePatch({
    characters: {
      added: [{ id: 'c', name: 'Cid' }],
      removed: [],
      changed: [{ id: 'a', name: 'Ann', changes: CHANGES }],
      attributes: { gained: ['skills'], lost: [] },
    },
    datasets: {
      level_curves: { added: ['x'], removed: ['y'], changed: [], names: { x: 'Steep' } },
      planner: { changes: [{ path: '/cost', from: 1, to: 2 }] },
      fresh: { kind: 'added', changes: [{ path: '', to: { all: 'of it' } }] },
    },
  });
  assert.equal(
    parts.map(({ key, title, summary }) => [key, title, summary]),
    [
      ['characters', 'Characters', '1 new, 1 changed'],
      ['level_curves', 'Level curves', '1 new, 1 removed'],
      ['planner', 'Planner', '1 change'],
      ['fresh', 'Fresh', 'served from this build on'],
    ],
  );
  assert.equal(
    parts[0]?.changed[0]?.changes.map(({ path }) => path),
    ['/stats/atk', '/title'],
  );
  assert.equal(parts[1]?.added, [{ id: 'x', name: 'Steep' }]);
  assert.equal(parts[1]?.removed, [{ id: 'y', name: undefined }]);
  assert.equal(parts[3]?.changes, [], 'the whole dataset is not written out');
});

test('leave out what did not change', () => {
  assert.equal(arrangePatch({ characters: { added: [], removed: [], changed: [] }, datasets: {} }), []);
});

test('are of the build that the address names', () => {
  assert.is(readLastStep('/games/saga/patches/1.2%20b'), '1.2 b');
  assert.is(readLastStep('/games/saga/patches/1.2/'), '1.2');
  assert.is(readLastStep('/games/saga/patches/%E0%A4'), '%E0%A4');
});

test('says what is only served from the build on, and does not list it as new or changed', () => {
  const parts = arrangePatch({
    characters: {
      added: [],
      removed: [],
      changed: [{ id: 'a', changes: [{ path: '/arts/0', to: { id: 'x' } }] }],
      attributes: { gained: ['arts.id'], lost: [], elements: [{ key: 'arts' }] },
    },
    datasets: {
      bows: { kind: 'added', added: ['b1', 'b2'], gained: ['b1'], removed: [], changed: [] },
      ores: { added: ['o1', 'o2'], gained: ['o1', 'o2'], removed: [], changed: [] },
    },
  });
  assert.equal(
    parts.map(({ key, summary }) => `${key}: ${summary}`),
    [
      'characters: 2 attributes gained or lost',
      'bows: 1 new, 1 served from this build on',
      'ores: 2 served from this build on',
    ],
  );
  assert.equal(
    parts.map(({ added, changed }) => [added.map(({ id }) => id), changed.length]),
    [
      [[], 0],
      [['b2'], 0],
      [[], 0],
    ],
  );
});

test.run();
