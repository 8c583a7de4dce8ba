import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Files } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const BYSTANDERS = Array.from({ length: 20 }, (_, index) => ({
  id: `x${index}`,
  name: `Bystander ${index}`,
}));

/** Ann is renumbered twice, and Cy gets the id that she had first. */
const FILES: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': [{ id: '1', name: 'Ann', stats: { atk: 100 } }, ...BYSTANDERS],
  'saga/1.0/items.json': [{ id: 'a', name: 'Axe' }],
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.1/build.json': {
    released_at: '2026-02-01',
    renamed: { characters: { 1: '10' }, items: { a: 'axe' } },
  },
  'saga/1.1/characters.json': [{ id: '10', name: 'Ann', stats: { atk: 110 } }, ...BYSTANDERS],
  'saga/1.1/items.json': [{ id: 'axe', name: 'Axe' }],
  'saga/1.2/build.json': { released_at: '2026-03-01', renamed: { characters: { 10: '100' } } },
  'saga/1.2/characters.json': [
    { id: '1', name: 'Cy', stats: { atk: 7 } },
    { id: '100', name: 'Ann', stats: { atk: 110 } },
    ...BYSTANDERS,
  ],
};

const test = suite<{ gateway: TestGateway; ask: TestGateway['ask'] }>('renumbered records');
test.before(async (context) => {
  const gateway = await startGateway(FILES);
  context.gateway = gateway;
  context.ask = (path, options) => gateway.ask(`/api/saga/${path}`, { key: gateway.keys.pro, ...options });
});
test.after(({ gateway }) => gateway.stop());

test('are found by earlier ids, with their current address', async ({ ask }) => {
  const { status, headers, json } = await ask('characters/10');
  assert.equal([status, headers.get('content-location')], [200, '/api/saga/characters/100']);
  assert.equal(json(), (await ask('characters/100')).json());
  const axe = await ask('items/a');
  assert.equal([axe.status, axe.headers.get('content-location')], [200, '/api/saga/items/axe']);
  assert.is((await ask('characters/100')).headers.get('content-location'), null);
});

test('leave a reused id to the new record', async ({ ask }) => {
  const { headers, json } = await ask('characters/1');
  assert.is(headers.get('content-location'), null);
  assert.is(json<{ name: string }>().name, 'Cy');
  const { timeline } = (await ask('history/1')).json<{ timeline: { build: string; kind: string }[] }>();
  assert.equal(
    timeline.map(({ build, kind }) => [build, kind]),
    [['1.2', 'added']],
  );
});

test('keep their timeline and series', async ({ ask }) => {
  const { headers, json } = await ask('history/10');
  assert.is(headers.get('content-location'), '/api/saga/history/100');
  const { id, timeline } = json<{
    id: string;
    timeline: { build: string; kind: string; changes: unknown }[];
  }>();
  assert.is(id, '100');
  assert.equal(
    timeline.map(({ build, kind, changes }) => [build, kind, changes]),
    [
      ['1.0', 'added', []],
      [
        '1.1',
        'changed',
        [
          { path: '/id', from: '1', to: '10' },
          { path: '/stats/atk', from: 100, to: 110 },
        ],
      ],
      ['1.2', 'changed', [{ path: '/id', from: '10', to: '100' }]],
    ],
  );
  const series = (await ask('history/100/series?fields=stats.atk')).json<{
    series: { values: number[] }[];
  }>();
  assert.equal(
    series.series.map(({ values }) => values[0]),
    [100, 110, 110],
  );
});

test('are compared as one record, also over several builds and backwards', async ({ ask }) => {
  const compare = async (from: string, to: string) =>
    (await ask(`diff?from=${from}&to=${to}`)).json<{ characters: object; datasets: object }>();
  const next = await compare('1.0', '1.1');
  assert.equal(next.datasets, { items: { added: [], removed: [], changed: [], renamed: { a: 'axe' } } });
  const changed = (id: string, from: number, to: number) => [
    { id, name: 'Ann', fields: ['stats.atk'], changes: [{ path: '/stats/atk', from, to }] },
  ];
  const cy = [{ id: '1', name: 'Cy' }];
  assert.equal((await compare('1.0', '1.2')).characters, {
    ...{ added: cy, removed: [], changed: changed('100', 100, 110), renamed: { 1: '100' } },
  });
  assert.equal((await compare('1.2', '1.0')).characters, {
    ...{ added: [], removed: cy, changed: changed('1', 110, 100), renamed: { 100: '1' } },
  });
  const { builds } = (await ask('history')).json<{ builds: { characters: { renamed?: object } }[] }>();
  assert.equal(
    builds.map(({ characters }) => characters.renamed),
    [{ 10: '100' }, { 1: '10' }, undefined],
  );
});

test.run();
