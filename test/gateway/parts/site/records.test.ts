import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../../support/harness.ts';
import { CHARACTERS, EXPLORED_GAME } from './explored-game.ts';
import { visit } from './site-world.ts';

interface Context {
  gateway: TestGateway;
}

const MORA = { id: 'm1', name: 'Mora', rarity: 1 };

const test = suite<Context>('pages of records and lists');
test.before(async (context) => {
  context.gateway = await startGateway({
    ...EXPLORED_GAME,
    'saga/1.0/materials.json': [MORA, { id: 'm0', name: 'Gem', rarity: 2 }],
    'saga/1.1/build.json': { released_at: '2026-03-01', renamed: { materials: { m0: 'm2' } } },
    'saga/1.1/materials.json': [MORA, { id: 'm2', name: 'Gem', rarity: 2 }],
  });
});
test.after(({ gateway }) => gateway.stop());

/** The records of a table, by their links. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/<th scope="row">.*?href="\/games\/saga\/\w+\/([^"]+)"/g)].map(
    ([, id = '']) => id,
  );
}

test('each record has a page with its names, and links to what it refers to and what refers to it', async ({
  gateway,
}) => {
  const unit = await visit(gateway, '/games/saga/characters/unit-13');
  assert.is(unit.status, 200);
  for (const text of [
    '<h1>Unit 13</h1>',
    '<span lang="ja">名前</span>',
    'href="/games/saga/materials/m1"',
    'href="/games/saga/explore?rarity=4"',
    '<link rel="canonical" href="https://api.example.org/games/saga/characters/unit-13"/>',
    '<meta property="og:title" content="Unit 13, ',
    '"@type":"Thing","name":"Unit 13"',
  ])
    assert.ok(unit.text.includes(text), text);
  const material = await visit(gateway, '/games/saga/materials/m1');
  assert.match(material.text, /Used by/);
  assert.match(material.text, /href="\/games\/saga\/characters\/unit-9"/);
});

test('a record that does not exist is a 404 with what is near; an earlier id leads to the record', async ({
  gateway,
}) => {
  const near = await visit(gateway, '/games/saga/characters/unit_13');
  assert.is(near.status, 404);
  assert.match(near.text, /href="\/games\/saga\/characters\/unit-13"/);
  const moved = await fetch(`${gateway.address}/games/saga/materials/m0`, { redirect: 'manual' });
  assert.equal([moved.status, moved.headers.get('location')], [301, '/games/saga/materials/m2']);
  const list = await fetch(`${gateway.address}/games/saga/explore/weapons?sort=name`, { redirect: 'manual' });
  assert.equal([list.status, list.headers.get('location')], [301, '/games/saga/weapons?sort=name']);
});

test('a list without a script shows what the API responds to the same query', async ({ gateway }) => {
  const queries = [
    '',
    'element=fire&sort=-stats.atk',
    'stats.atk[gte]=150&offset=2',
    'q=名前',
    'q=unnit+13',
    'ids=unit-3,unit-1',
  ];
  for (const query of queries) {
    const api = await gateway.ask(`/api/saga/characters?${query}`, { key: gateway.keys.free });
    const { text } = await visit(gateway, `/games/saga/explore?${query}&utm_source=chat&stats.hp[lte]=`);
    assert.equal(
      idsIn(text),
      api.json<{ characters: { id: string }[] }>().characters.map(({ id }) => id),
      query,
    );
  }
  const { text } = await visit(gateway, '/games/saga/explore?limit=5&fields=stats.hp');
  assert.is(idsIn(text).length, 5);
  assert.match(
    text,
    /<a rel="next" class="button quiet" href="\/games\/saga\/explore\?fields=stats.hp&amp;limit=5&amp;offset=5"|href="\/games\/saga\/explore\?fields=stats.hp&amp;limit=5&amp;offset=5"/,
  );
  assert.is((await visit(gateway, '/games/saga/explore?elemnt=fire')).status, 400);
  assert.match((await visit(gateway, '/games/saga/weapons')).text, /Sword/);
  assert.match((await visit(gateway, '/games/saga/pull_planner')).text, /jade/);
});

test('the search finds names in any language with typing mistakes, and the comparison shows the asked units', async ({
  gateway,
}) => {
  for (const q of ['名前', 'unnit 13'])
    assert.match(
      (await visit(gateway, `/search?q=${q}`)).text,
      /href="\/games\/saga\/characters\/unit-13"/,
      q,
    );
  assert.match((await visit(gateway, '/games/saga')).text, /<form action="\/search">/);
  const compared = await visit(gateway, '/games/saga/compare?ids=unit-13&unit=unit-9');
  for (const name of ['Unit 13', 'Unit 9']) assert.ok(compared.text.includes(`>${name}</a>`), name);
  assert.not.match(compared.text, />Unit 1<\/a>/);
});

test('the sitemap has all records and lists, and crawlers leave filtered lists alone', async ({
  gateway,
}) => {
  const index = await visit(gateway, '/sitemap.xml');
  const [, part = ''] = /<loc>https:\/\/api\.example\.org([^<]+)</.exec(index.text) ?? [];
  const addresses = [
    ...(await visit(gateway, part)).text.matchAll(/<loc>https:\/\/api\.example\.org([^<]+)</g),
  ].map(([, address = '']) => address);
  assert.is(addresses.filter((address) => /\/characters\/unit-/.test(address)).length, CHARACTERS);
  assert.ok(addresses.includes('/games/saga/weapons/sword'));
  for (const address of addresses) assert.is((await visit(gateway, address)).status, 200, address);
  const robots = await visit(gateway, '/robots.txt');
  assert.match(robots.text, /Disallow: \/\*\?\n[\s\S]*Sitemap: https:\/\/api\.example\.org\/sitemap\.xml/);
});

test('a network that opens too many lists is refused with a page; a record it still gets', async () => {
  const gateway = await startGateway(EXPLORED_GAME, { pagesInMinute: 2 });
  try {
    for (const offset of [1, 2])
      assert.is((await visit(gateway, `/games/saga/explore?offset=${offset}`)).status, 200);
    const refused = await visit(gateway, '/games/saga/explore?offset=3');
    assert.is(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.match(refused.text, /lists and search can be opened again/);
    assert.is((await visit(gateway, '/games/saga')).status, 200);
  } finally {
    await gateway.stop();
  }
});

test.run();
