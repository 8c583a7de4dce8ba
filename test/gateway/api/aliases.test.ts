import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const CHARACTERS = [
  { id: '1', name: 'Beidou' },
  { id: '2', name: 'Raiden Shogun', aliases: ['Baal'] },
  { id: '3', name: 'Reinhold' },
];
const FILES = {
  'teyvat/game.json': { title: 'Teyvat' },
  'teyvat/aliases.json': {
    characters: { '2': ['ei', 'Raiden', 'Baal'], '4': ['newcomer'] },
    weapons: { w1: ['spear of light'] },
  },
  'teyvat/1/build.json': { released_at: '2026-01-01' },
  'teyvat/1/characters.json': CHARACTERS,
  'teyvat/1/weapons.json': [{ id: 'w1', name: 'Engulfing Lightning' }],
  'teyvat/1/pull_planner.json': { price: 1 },
  'teyvat/2/build.json': { released_at: '2026-07-01' },
  'teyvat/2/characters.json': [...CHARACTERS, { id: '4', name: 'Stranger' }],
};

const aliases = suite<{ gateway: TestGateway }>('aliases');
aliases.before(async (context) => {
  context.gateway = await startGateway(FILES);
});
aliases.after(({ gateway }) => gateway.stop());

const find = async (gateway: TestGateway, path: string) => {
  const { json } = await gateway.ask(`/api/teyvat/${path}`);
  const { characters, records } = json<{ characters?: { id: string }[]; records?: { id: string }[] }>();
  return (characters ?? records ?? []).map(({ id }) => id);
};

aliases('a search finds a record by an alias, ranked as its name', async ({ gateway }) => {
  assert.equal(await find(gateway, 'characters?q=ei'), ['2']);
  assert.equal(await find(gateway, 'characters?q=raidn'), ['2']);
  assert.equal(await find(gateway, 'characters?q=baal'), ['2']);
  assert.equal(await find(gateway, 'weapons?q=spear'), ['w1']);
});

aliases('names list them, records and facets do not', async ({ gateway }) => {
  const { json } = await gateway.ask('/api/teyvat/names');
  assert.equal(json<{ names: object[] }>().names[1], {
    id: '2',
    name: 'Raiden Shogun',
    aliases: ['Baal', 'ei', 'Raiden'],
  });
  assert.equal((await gateway.ask('/api/teyvat/weapons/w1')).json(), {
    id: 'w1',
    name: 'Engulfing Lightning',
  });
});

aliases('an alias of a record that is not released is nowhere', async ({ gateway }) => {
  assert.equal(await find(gateway, 'characters?q=newcomer'), []);
  assert.not.match((await gateway.ask('/api/teyvat/names')).text, /newcomer/);
  gateway.clock.now = Date.parse('2026-07-02');
  assert.equal(await find(gateway, 'characters?q=newcomer'), ['4']);
});

aliases.run();
