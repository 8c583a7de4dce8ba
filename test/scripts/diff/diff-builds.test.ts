import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../../scripts/compile/game.ts';
import { diffBuilds, patchBuilds } from '../../../scripts/diff/diff-builds.ts';
import { summariseDiff, timelineOf } from '../../../scripts/diff/history.ts';
import type { GamePlan } from '../../../scripts/dist/plan.ts';
import { gameFiles, withFolder } from '../../support/fixtures.ts';
import { contentOf, contentsOfPlan } from './contents.ts';

const test = suite('diffs of builds');

const ann = { id: 'ann', name: 'Ann', stats: { hp: 10 }, skills: [{ id: 's1', power: 1 }] };
const bob = { id: 'bob', name: 'Bob' };
const strongAnn = { ...ann, name: 'Anna', stats: { hp: 12 }, skills: [{ id: 's1', power: 2 }] };
const ANN_CHANGES = [
  { path: '/name', from: 'Ann', to: 'Anna' },
  { path: '/stats/hp', from: 10, to: 12 },
  { path: '/skills/0/power', from: 1, to: 2 },
];

test('characters are matched by id, and have their names in the newer build', () => {
  const diff = diffBuilds(
    contentOf([ann, bob]),
    contentOf([strongAnn, { id: 'cid', name: 'Cid' }], {}, '1.1'),
  );
  assert.equal(diff, {
    ...{ game: 'game', from: '1.0', to: '1.1', datasets: {} },
    characters: {
      added: [{ id: 'cid', name: 'Cid' }],
      removed: [{ id: 'bob', name: 'Bob' }],
      changed: [{ id: 'ann', name: 'Anna', fields: ['name', 'stats.hp', 'skills'], changes: ANN_CHANGES }],
    },
  });
});

test('a dataset is compared by record or as one value, or is added or removed as a whole', () => {
  const i1 = { id: 'i1', cost: 1 };
  const before = contentOf([], { items: [i1], rates: { ssr: 1 }, rows: [{ n: 1 }], shape: [], old: [i1] });
  const after = contentOf([], {
    items: [{ ...i1, cost: 2 }, { id: 'i2' }],
    rates: { ssr: 2 },
    rows: [{ n: 2 }],
    shape: { x: 1 },
    fresh: { x: 1 },
  });
  assert.equal(diffBuilds(before, after).datasets, {
    fresh: { kind: 'added', fields: [], changes: [{ path: '', to: { x: 1 } }] },
    items: {
      added: ['i2'],
      removed: [],
      changed: [{ id: 'i1', fields: ['cost'], changes: [{ path: '/cost', from: 1, to: 2 }] }],
    },
    old: { kind: 'removed', added: [], removed: ['i1'], changed: [] },
    rates: { fields: ['ssr'], changes: [{ path: '/ssr', from: 1, to: 2 }] },
    rows: { fields: [], changes: [{ path: '/0/n', from: 1, to: 2 }] },
    shape: { fields: [], changes: [{ path: '', from: [], to: { x: 1 } }] },
  });
  assert.equal(summariseDiff(diffBuilds(before, after)).datasets, {
    fresh: { kind: 'added', fields: [] },
    items: { added: ['i2'], removed: [], changed: ['i1'] },
    old: { kind: 'removed', added: [], removed: ['i1'], changed: [] },
    rates: { fields: ['ssr'] },
    rows: { fields: [] },
    shape: { fields: [] },
  });
});

test('an empty dataset that is added or removed is a difference too', () => {
  const [without, empty] = [contentOf([]), contentOf([], { items: [] })];
  const none = { added: [], removed: [], changed: [] };
  assert.equal(diffBuilds(without, empty).datasets, { items: { kind: 'added', ...none } });
  assert.equal(diffBuilds(empty, without).datasets, { items: { kind: 'removed', ...none } });
});

test('the history adds everything in the first build, and lists what differs in the next', () => {
  const [first, second] = [contentOf([ann, bob]), contentOf([strongAnn], {}, '1.1')];
  assert.equal(summariseDiff(diffBuilds(undefined, first)), {
    ...{ build: '1.0', previous: null, datasets: {} },
    characters: {
      added: [
        { id: 'ann', name: 'Ann' },
        { id: 'bob', name: 'Bob' },
      ],
      removed: [],
      changed: [],
    },
  });
  assert.equal(summariseDiff(diffBuilds(first, second)), {
    ...{ build: '1.1', previous: '1.0', datasets: {} },
    characters: {
      added: [],
      removed: [{ id: 'bob', name: 'Bob' }],
      changed: [{ id: 'ann', name: 'Anna', fields: ['name', 'stats.hp', 'skills'] }],
    },
  });
});

test('a timeline lists the changes of each character in a build', () => {
  const builds = [[bob, ann], [strongAnn], [strongAnn], [strongAnn, { ...bob, name: 'Rob' }]].map(
    (characters, index) => contentOf(characters, {}, `1.${index}`),
  );
  const timelines = builds.map((build, index) => timelineOf(diffBuilds(builds[index - 1], build)));
  assert.equal(timelines, [
    [
      { id: 'ann', name: 'Ann', kind: 'added', changes: [] },
      { id: 'bob', name: 'Bob', kind: 'added', changes: [] },
    ],
    [
      { id: 'ann', name: 'Anna', kind: 'changed', changes: ANN_CHANGES },
      { id: 'bob', name: 'Bob', kind: 'removed', changes: [] },
    ],
    [],
    [{ id: 'bob', name: 'Rob', kind: 'added', changes: [] }],
  ]);
});

test('another order of rows or keys in the source is not a difference', async () => {
  const rows = [
    { id: 'u-2', name: 'Two', stats: { hp: 1, atk: 2 } },
    { id: 'u-10', name: 'Ten', stats: { hp: 3, atk: 4 } },
  ];
  const files = gameFiles({
    '1.0/characters.json': rows,
    '1.0/items.csv': 'id,cost\ni1,1\ni2,2\n',
    '1.1/build.json': { released_at: '2026-02-01' },
    '1.1/characters.json':
      '[{"stats": {"atk": 4, "hp": 3}, "name": "Ten", "id": "u-10"}, {"name": "Two", "stats": {"atk": 2, "hp": 1}, "id": "u-2"}]',
    '1.1/items.csv': 'cost,id\n2,i2\n1,i1\n',
    '1.1/pull_planner.json': { currency: { per_pull: 160, name: 'Gem' } },
  });
  const { value } = await withFolder(files, (folder) => compileGame(folder, 'game'));
  const [before, after] = await contentsOfPlan(value as GamePlan);
  assert.ok(before && after);
  const { characters, datasets } = diffBuilds(before, after);
  assert.equal([characters, datasets], [{ added: [], removed: [], changed: [] }, {}]);
  assert.equal(
    patchBuilds(before, after).map(({ path }) => path),
    ['/build', '/released_at'],
  );
});

test.run();
