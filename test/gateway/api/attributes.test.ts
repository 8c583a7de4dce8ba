import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const attributes = {
  '*': { id: { description: 'The id.' }, '*': { description: 'An attribute.' } },
  characters: {
    element: {
      label: 'Element',
      label_ja: '元素',
      description: 'The element.',
      values: ['Pyro', 'Hydro', 'Void'],
    },
    stats: { description: 'The stats.', level: 'level 90' },
    'skills.id': { description: 'The id of a skill.' },
    'stats.hp': { description: 'The health.' },
    'stats.atk': { label: 'ATK', description: 'The attack.' },
  },
  banners: { unit: { description: 'The featured character.', ref: 'characters' } },
};
const GAMES = {
  ...SAMPLE_GAMES,
  'star-rail/game.json': { title: 'Star Rail', attributes },
  'star-rail/1.2/build.json': {
    released_at: '2026-07-01',
    overrides: [
      { check: 'records-lost', reason: 'Every build has characters of its own.' },
      {
        check: 'attribute-unexpected',
        of: 'banners.unit',
        reason: 'The banners are those of the build before.',
      },
    ],
  },
};

const api = suite<{ gateway: TestGateway }>('the attribute dictionary');
api.before(async (context) => {
  context.gateway = await startGateway(GAMES);
});
api.after(({ gateway }) => gateway.stop());

interface Dictionary {
  game: string;
  build: string;
  collection: string;
  records: number;
  attributes: Attribute[];
}

async function read(gateway: TestGateway, path: string) {
  const response = await gateway.ask(path);
  assert.is(response.status, 200, response.text);
  const body = response.json<Dictionary>();
  return { ...body, of: (key: string) => body.attributes.find((attribute) => attribute.key === key) };
}

api('describes the attributes of the characters', async ({ gateway }) => {
  const found = await read(gateway, '/api/star-rail/attributes');
  assert.equal(
    [found.game, found.build, found.collection, found.records],
    ['star-rail', '1.1', 'characters', 4],
  );
  assert.equal(found.of('stats.atk'), {
    ...{ key: 'stats.atk', label: 'ATK', description: 'The attack.', level: 'level 90', kind: 'number' },
    ...{ type: 'number', list: false, count: 3, distinct: 2, min: 90.5, max: 120 },
    values: [
      { value: 90.5, count: 2 },
      { value: 120, count: 1 },
    ],
  });
  assert.equal(found.of('element')?.values, [
    { value: 'Hydro', count: 1 },
    { value: 'Pyro', count: 2 },
  ]);
  assert.equal(found.of('skills.id')?.type, 'string');
});

api('describes the attributes of a dataset, also of one object', async ({ gateway }) => {
  const banners = await read(gateway, '/api/star-rail/banners/attributes');
  assert.equal([banners.collection, banners.of('unit')?.ref], ['banners', 'characters']);
  assert.is(banners.of('unit')?.kind, 'reference');
  const planner = await read(gateway, '/api/star-rail/pull_planner/attributes');
  assert.equal(
    planner.attributes.map(({ key, type }) => [key, type]),
    [
      ['cost', 'integer'],
      ['currency', 'string'],
    ],
  );
  const roster = await gateway.ask('/api/star-rail/characters/attributes');
  assert.is(roster.text, (await gateway.ask('/api/star-rail/attributes')).text);
});

api('a game that describes nothing has what the data shows', async ({ gateway }) => {
  const { attributes: found } = await read(gateway, '/api/tiny-game/attributes');
  assert.equal(
    found.map(({ key, description }) => [key, description]),
    [
      ['id', undefined],
      ['name', undefined],
      ['code', undefined],
      ['stats', undefined],
      ['stats.atk', undefined],
    ],
  );
});

api('says nothing of a build that is not released', async ({ gateway }) => {
  for (const path of ['/api/star-rail/attributes', '/api/star-rail/characters/attributes']) {
    assert.not.match((await gateway.ask(path)).text, /secret|Secret|Void/);
  }
  assert.is((await gateway.ask('/api/unborn/attributes')).status, 404);
});

api('is revalidated by its ETag, and has no parameters', async ({ gateway }) => {
  const first = await gateway.ask('/api/star-rail/attributes');
  const etag = first.headers.get('etag') as string;
  const again = await gateway.ask('/api/star-rail/attributes', { headers: { 'if-none-match': etag } });
  assert.is(again.status, 304);
  assert.is((await gateway.ask('/api/star-rail/attributes?limit=1')).status, 400);
  assert.is((await gateway.ask('/api/star-rail/nothing/attributes')).status, 404);
});

api.run();
