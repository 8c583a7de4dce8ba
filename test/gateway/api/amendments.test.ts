import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Files } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const CHANGE = { path: '/stats/atk', from: 999, to: 100 };
const CHANGES = {
  characters: {
    added: [],
    removed: [],
    changed: [{ id: 'ann', name: 'Ann', fields: ['stats.atk'], changes: [CHANGE] }],
  },
  datasets: {},
};
const WITHDRAWN = {
  build: '1.0.1',
  released_at: '2026-01-10T00:00:00Z',
  at: '2026-01-11T00:00:00Z',
  reason: 'a test',
};

/** A game whose first build was corrected twice after its release, once before corrections were kept. */
const FILES: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': {
    released_at: '2026-01-01',
    amended: [
      { at: '2026-01-02T00:00:00Z', reason: 'an older one' },
      { at: '2026-01-03T00:00:00Z', reason: 'a digit too many', changes: 'amendments/1.0.2.json' },
    ],
  },
  'saga/1.0/characters.json': [
    { id: 'ann', name: 'Ann', stats: { atk: 100 } },
    { id: 'bob', name: 'Bob', stats: { atk: 50 } },
  ],
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/amendments/1.0.2.json': CHANGES,
  'saga/1.1/build.json': {
    released_at: '2026-02-01',
    released_in: { kr: '2026-02-08T02:00:00+09:00', en: '2030-03-01' },
  },
  'saga/corrections.json': { withdrawn: [WITHDRAWN] },
};

const test = suite<{ gateway: TestGateway; ask: TestGateway['ask'] }>('corrections after a release');
test.before(async (context) => {
  const gateway = await startGateway(FILES);
  context.gateway = gateway;
  context.ask = (path, options) => gateway.ask(path, { key: gateway.keys.pro, ...options });
});
test.after(({ gateway }) => gateway.stop());

test('the history has the releases in regions where they differ', async ({ ask }) => {
  const { builds } = (await ask('/api/saga/history')).json<{ builds: { released_in?: unknown }[] }>();
  const expected = { kr: '2026-02-07T17:00:00Z', en: '2030-03-01T00:00:00Z' };
  assert.equal(
    builds.map(({ released_in }) => released_in),
    [expected, undefined],
  );
});

test('are in the history with what was served before, when and why', async ({ ask }) => {
  const { builds, withdrawn } = (await ask('/api/saga/history')).json<{
    builds: { build: string; amended: unknown[] }[];
    withdrawn: unknown;
  }>();
  assert.equal(
    builds.map(({ build, amended }) => [build, amended]),
    [
      ['1.1', []],
      [
        '1.0',
        [
          { at: '2026-01-02T00:00:00Z', reason: 'an older one' },
          { at: '2026-01-03T00:00:00Z', reason: 'a digit too many', changes: CHANGES },
        ],
      ],
    ],
  );
  assert.equal(withdrawn, [WITHDRAWN]);
});

test('are entries of the timelines of the characters that they changed', async ({ ask }) => {
  const { timeline } = (await ask('/api/saga/history/ann')).json<{ timeline: object[] }>();
  assert.equal(timeline, [
    {
      build: '1.0',
      released_at: '2026-01-01T00:00:00Z',
      kind: 'added',
      changes: [],
      record: { id: 'ann', name: 'Ann', stats: { atk: 100 } },
    },
    {
      build: '1.0',
      released_at: '2026-01-01T00:00:00Z',
      kind: 'amended',
      changes: [CHANGE],
      at: '2026-01-03T00:00:00Z',
      reason: 'a digit too many',
    },
  ]);
  const bob = (await ask('/api/saga/history/bob')).json<{ timeline: object[] }>();
  assert.is(bob.timeline.length, 1);
});

const many = Array.from({ length: 12 }, (_, index) => ({
  id: `u${index}`,
  name: `U${index}`,
  stats: { atk: index },
}));
const changedStat = ({ id, name }: { id: string; name: string }, key: string) => ({
  id,
  name,
  fields: [`stats.${key}`],
  changes: [{ path: `/stats/${key}`, from: 0, to: 1 }],
});
const OF_MODEL = {
  characters: {
    added: [],
    removed: [],
    changed: [
      ...many.slice(0, 11).map((unit) => changedStat(unit, 'atk')),
      { ...changedStat({ id: 'u11', name: 'U11' }, 'hp') },
      { id: 'u0', name: 'U0', fields: ['title'], changes: [{ path: '/title', from: 'Qeen', to: 'Queen' }] },
    ],
  },
  datasets: { curves: { kind: 'added', added: ['1', '2'], removed: [], changed: [] } },
};

test('have changes of the model apart, one line for each attribute, and their values on request', async () => {
  const gateway = await startGateway({
    'saga/game.json': { title: 'Saga' },
    'saga/1.0/build.json': {
      released_at: '2026-01-01',
      amended: [{ at: '2026-01-02T00:00:00Z', reason: 'highest level', changes: 'amendments/1.0.1.json' }],
    },
    'saga/1.0/characters.json': many,
    'saga/1.0/pull_planner.json': { cost: 160 },
    'saga/amendments/1.0.1.json': OF_MODEL,
  });
  try {
    const read = async (query: string) => {
      const response = await gateway.ask(`/api/saga/history${query}`, { key: gateway.keys.pro });
      return response.json<{ builds: { amended: { changes: unknown; model: unknown }[] }[] }>().builds[0]
        ?.amended[0];
    };
    const model = [
      { collection: 'characters', attribute: 'stats.atk', kind: 'changed', records: 11 },
      { collection: 'characters', attribute: 'stats.hp', kind: 'changed', records: 1 },
      { collection: 'curves', kind: 'added', records: 2 },
    ];
    const { changes, model: lines } = (await read('')) ?? {};
    assert.equal(lines, model);
    assert.equal(changes, {
      characters: { added: [], removed: [], changed: OF_MODEL.characters.changed.slice(-1) },
      datasets: {},
    });
    assert.equal((await read('?amended=values'))?.changes, OF_MODEL);
    const wrong = await gateway.ask('/api/saga/history?amended=all', { key: gateway.keys.pro });
    assert.is(wrong.status, 400);
  } finally {
    await gateway.stop();
  }
});

test.run();
