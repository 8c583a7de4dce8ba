import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const ROWS = 2000 + 100;
const RECORDS = Array.from({ length: ROWS }, (_, row) => ({
  id: `u${row}`,
  name: `Name ${ROWS - row}`,
  rarity: row % 5,
  ...(row === 5 && { aliases: ['Fifth'] }),
}));

const FILES = {
  'long/game.json': { title: 'Long' },
  'long/1/build.json': { released_at: '2026-01-01' },
  'long/1/characters.json': RECORDS,
  'long/1/pull_planner.json': { price: 1 },
  'long/1/costs.json': RECORDS.map(({ rarity }, level) => ({ level, rarity })),
  'short/game.json': { title: 'Short' },
  'short/1/build.json': { released_at: '2026-01-01' },
  'short/1/characters.json': [{ id: 'x', name: 'X' }],
  'short/1/pull_planner.json': { price: 1 },
};

const long = suite<{ gateway: TestGateway }>('requests for long lists');
long.before(async (context) => {
  context.gateway = await startGateway(FILES);
});
long.after(({ gateway }) => gateway.stop());

long('every response about a long list is whole', async ({ gateway }) => {
  const count = async (path: string, member: string) => {
    const response = await fetch(gateway.address + path, { headers: { 'x-api-key': gateway.keys.pro } });
    assert.is(response.status, 200, path);
    return (((await response.json()) as Record<string, unknown[]>)[member] ?? []).length;
  };
  assert.is(await count('/api/long/names', 'names'), ROWS);
  assert.is(await count('/api/long/costs', 'records'), ROWS);
  assert.is(await count('/api/long/costs?fields=level', 'records'), ROWS);
  assert.is(await count('/api/long/facets', 'records'), 4);
  assert.is(await count('/api/long/compare?ids=u1,u2', 'characters'), 2);
  assert.is(await count('/api/long/characters?q=fifht', 'characters'), 1);
  assert.is(await count('/api/search?q=fifth', 'results'), 1);
  assert.is((await gateway.ask('/api/long/characters/u99')).status, 200);
});

long.run();
