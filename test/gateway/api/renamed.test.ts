import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Files } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { BYSTANDERS } from '../../support/over-time.ts';

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

const test = suite<{ gateway: TestGateway; ask: TestGateway['ask'] }>('records that are renumbered twice');
test.before(async (context) => {
  const gateway = await startGateway(FILES);
  context.gateway = gateway;
  context.ask = (path, options) => gateway.ask(`/api/saga/${path}`, options);
});

test('are found by earlier ids, with their current address, except by an id that another has now', async ({
  ask,
}) => {
  for (const [path, name, current] of [
    ['characters/10', 'Ann', '/api/saga/characters/100'],
    ['characters/100', 'Ann', null],
    ['characters/1', 'Cy', null],
    ['items/a', 'Axe', '/api/saga/items/axe'],
    ['history/10', 'Ann', '/api/saga/history/100'],
  ] as const) {
    const { status, headers, json } = await ask(path);
    assert.equal([status, json<{ name: string }>().name], [200, name], path);
    assert.is(headers.get('content-location'), current, path);
  }
});

test('keep their timeline and series, and the new record has its own', async ({ ask }) => {
  const timelineOf = async (id: string) => {
    const { timeline } = (await ask(`history/${id}`)).json<{
      timeline: { build: string; changes: object[] }[];
    }>();
    return timeline.map(({ build, changes }) => [
      build,
      ...changes.map((each) => Object.values(each).join(' ')),
    ]);
  };
  assert.equal(await timelineOf('100'), [
    ['1.0'],
    ['1.1', '/id 1 10', '/stats/atk 100 110'],
    ['1.2', '/id 10 100'],
  ]);
  assert.equal(await timelineOf('1'), [['1.2']]);
  const { text } = await ask('history/100/series.csv?fields=stats.atk');
  assert.equal(text.match(/\d+(?=\r)/g), ['100', '110', '110']);
});

test('are compared as one record, also over several builds and backwards', async ({ ask }) => {
  const compare = async (from: string, to: string) =>
    (await ask(`diff?from=${from}&to=${to}`)).json<{ characters: object; datasets: object }>();
  assert.equal((await compare('1.0', '1.1')).datasets, {
    items: { added: [], removed: [], changed: [], renamed: { a: 'axe' } },
  });
  const changed = (id: string, from: number, to: number) => [
    { id, name: 'Ann', fields: ['stats.atk'], changes: [{ path: '/stats/atk', from, to }] },
  ];
  const cy = [{ id: '1', name: 'Cy' }];
  assert.equal((await compare('1.0', '1.2')).characters, {
    added: cy,
    removed: [],
    changed: changed('100', 100, 110),
    renamed: { 1: '100' },
  });
  assert.equal((await compare('1.2', '1.0')).characters, {
    added: [],
    removed: cy,
    changed: changed('1', 110, 100),
    renamed: { 100: '1' },
  });
  const { builds } = (await ask('history')).json<{ builds: { characters: { renamed?: object } }[] }>();
  assert.equal(
    builds.map(({ characters }) => characters.renamed),
    [{ 10: '100' }, { 1: '10' }, undefined],
  );
});

test.run();
