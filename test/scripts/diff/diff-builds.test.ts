import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffBuilds } from '../../../scripts/diff/diff-builds.ts';
import { timelineOf } from '../../../scripts/diff/history.ts';
import { summarise } from '../../../scripts/diff/summary.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { renderChanges, renderText } from '../../../scripts/upstream/review/diff.ts';
import { contentOf } from './contents.ts';

const test = suite('diffs of builds');

const ann = { id: 'ann', name: 'Ann', stats: { hp: 10 }, skills: [{ id: 's1', power: 1 }] };
const bob = { id: 'bob', name: 'Bob' };
const strongAnn = { ...ann, name: 'Anna', stats: { hp: 12 }, skills: [{ id: 's1', power: 2 }] };
const ANN_CHANGES = [
  { path: '/name', from: 'Ann', to: 'Anna' },
  { path: '/stats/hp', from: 10, to: 12 },
  { path: '/skills/0/power', from: 1, to: 2 },
];

// A time without a zone is in UTC everywhere.
process.env.TZ = 'America/New_York';

test('a dataset is compared by record or as one value, or is added or removed as a whole', () => {
  const i1 = { id: 'i1', name: 'Potion', cost: 1 };
  const before = contentOf([], {
    items: [i1, { id: 'i3', name: 'Quill' }],
    rates: { ssr: 1 },
    rows: [{ n: 1 }],
    shape: [],
    shows: [],
    old: [i1],
  });
  const after = contentOf([], {
    items: [{ ...i1, cost: 2 }, { id: 'i2' }],
    rates: { ssr: 2 },
    rows: [{ n: 2 }],
    shape: { x: 1 },
    shows: [{ id: 's2', end: '2025-12-31 23:00:00' }],
    fresh: { x: 1 },
  });
  const diff = diffBuilds(before, after);
  assert.equal(diff.datasets, {
    fresh: { kind: 'added', fields: [], changes: [{ path: '', to: { x: 1 } }] },
    items: {
      added: ['i2'],
      removed: ['i3'],
      changed: [{ id: 'i1', name: 'Potion', fields: ['cost'], changes: [{ path: '/cost', from: 1, to: 2 }] }],
      names: { i1: 'Potion', i3: 'Quill' },
    },
    old: { kind: 'removed', added: [], removed: ['i1'], changed: [], names: { i1: 'Potion' } },
    rates: { fields: ['ssr'], changes: [{ path: '/ssr', from: 1, to: 2 }] },
    rows: { fields: [], changes: [{ path: '/0/n', from: 1, to: 2 }] },
    shape: { fields: [], changes: [{ path: '', from: [], to: { x: 1 } }] },
    shows: { added: ['s2'], gained: ['s2'], removed: [], changed: [] },
  });
  assert.match(renderText(diff), '\n+ i2\n- i3 Quill\n~ i1 Potion\n');
  assert.match(renderChanges(diff, 50_000).join('\n\n'), 'Removed: `i3 Quill`');
});

test('the history adds everything in the first build, and lists what differs in the next', () => {
  const [first, second] = [contentOf([ann, bob]), contentOf([strongAnn], {}, '1.1')];
  assert.equal(summarise(diffBuilds(undefined, first)), {
    build: '1.0',
    previous: null,
    datasets: {},
    characters: {
      added: [
        { id: 'ann', name: 'Ann' },
        { id: 'bob', name: 'Bob' },
      ],
      removed: [],
      changed: [],
    },
  });
  assert.equal(summarise(diffBuilds(first, second)), {
    build: '1.1',
    previous: '1.0',
    datasets: {},
    characters: {
      added: [],
      removed: [{ id: 'bob', name: 'Bob' }],
      changed: [{ id: 'ann', name: 'Anna', fields: ['name', 'stats.hp', 'skills'], kind: 'buff' }],
    },
  });
});

const RATED = ['substat', 'crit', 'hp', 'rate'].map((key) => ({
  key: `stats.${key}`,
  list: false,
  count: 1,
  ...(key === 'substat' && { unit: 'points where `substat` is Mastery' }),
  better: key === 'rate' ? ('lower' as const) : ('higher' as const),
}));
const QUANTITIES: [what: string, from: JsonObject, to: JsonObject, kind?: 'buff' | 'nerf'][] = [
  ['a stat at a level', { levels: [{ level: 1, hp: 1 }] }, { levels: [{ level: 1, hp: 2 }] }, 'buff'],
  ['a rate that is better low, at a level', { levels: [{ rate: 2 }] }, { levels: [{ rate: 1 }] }, 'buff'],
  ['another substat', { substat: 'ATK', stats: { substat: 2 } }, { substat: 'CRIT', stats: { substat: 3 } }],
  ['fractions that are percentages now', { stats: { crit: 0.05 } }, { stats: { crit: 5 } }],
  ['a higher rarity', { max_rarity: 5, stats: { hp: 1 } }, { max_rarity: 6, stats: { hp: 2 } }],
  ['one more level', { levels: [], stats: { hp: 1 } }, { levels: [{ hp: 2 }], stats: { hp: 2 } }],
  ['other levels', { levels: [{ level: 1, hp: 1 }] }, { levels: [{ level: 9, hp: 2 }] }],
];

for (const [what, from, to, kind] of QUANTITIES)
  test(`${what}: ${kind ?? 'neither a buff nor a nerf'}`, () => {
    const build = (more: JsonObject) => contentOf([{ id: 'ann', name: 'Ann', ...more }]);
    const dictionary = { characters: { records: 1, attributes: RATED } };
    const { changed } = summarise(diffBuilds(build(from), build(to)), dictionary).characters;
    assert.equal([changed.length, changed[0]?.kind], [1, kind]);
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

test.run();
