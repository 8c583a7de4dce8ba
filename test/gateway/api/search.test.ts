import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const FILES = {
  ...SAMPLE_GAMES,
  'teyvat/game.json': { title: 'Teyvat', language: 'en' },
  'teyvat/aliases.json': { characters: { '2': ['ei'], '9': ['newcomer'] } },
  'teyvat/1/build.json': { released_at: '2026-01-01' },
  'teyvat/1/characters.json': [
    { id: '1', name: 'Beidou' },
    { id: '2', name: 'Raiden Shogun', name_ja: '雷電将軍' },
    { id: '3', name: 'Hu Taoist', name_ja: '道士' },
  ],
  'teyvat/1/weapons.json': [
    { id: 'w1', name: 'Staff of Hu Tao' },
    { id: 'w2', name: 'Homa' },
  ],
  'teyvat/1/levels.json': [{ level: 1, cost: 3 }],
  'teyvat/1/pull_planner.json': { price: 1 },
  'teyvat/2/build.json': { released_at: '2026-07-01' },
  'teyvat/2/characters.json': [
    { id: '1', name: 'Beidou' },
    { id: '2', name: 'Raiden Shogun', name_ja: '雷電将軍' },
    { id: '3', name: 'Hu Taoist', name_ja: '道士' },
    { id: '9', name: 'Stranger' },
  ],
};

const search = suite<{ gateway: TestGateway }>('GET /api/search');
search.before(async (context) => {
  context.gateway = await startGateway(FILES);
});
search.after(({ gateway }) => gateway.stop());

interface Results {
  total: number;
  count: number;
  results: {
    game: string;
    collection: string;
    id: string;
    name: string;
    matched: { name: string; attribute: string; kind: string };
    score: number;
  }[];
}

const find = async (gateway: TestGateway, query: string) => {
  const response = await gateway.ask(`/api/search?${query}`);
  assert.is(response.status, 200, response.text);
  return response.json<Results>();
};
const idsOf = ({ results }: Results) =>
  results.map(({ game, collection, id }) => `${game}/${collection}/${id}`);

search('finds characters and records of all games, best first, and says why', async ({ gateway }) => {
  const found = await find(gateway, 'q=hu+tao');
  assert.equal(
    found.results.map(({ game, collection, id, matched }) => [game, collection, id, matched.kind]),
    [
      ['star-rail', 'characters', 'unit-10', 'exact'],
      ['teyvat', 'characters', '3', 'prefix'],
      ['teyvat', 'weapons', 'w1', 'word'],
    ],
  );
  assert.equal([found.total, found.count], [3, 3]);
  const [first, second] = found.results;
  assert.equal(first?.matched, { name: 'Hu Tao', attribute: 'name', kind: 'exact' });
  assert.is(first?.score, 1);
  assert.ok((second?.score ?? 1) < 1);
});

for (const [q, id, attribute, kind] of [
  ['raidn', 'teyvat/characters/2', 'name', 'typo'],
  ['ei', 'teyvat/characters/2', 'aliases', 'exact'],
  ['雷電', 'teyvat/characters/2', 'name_ja', 'prefix'],
  ['ido', 'teyvat/characters/1', 'name', 'substring'],
  ['second', 'star-rail/banners/b2', 'name', 'exact'],
] as const) {
  search(`${q} finds ${id} (${kind})`, async ({ gateway }) => {
    const found = await find(gateway, `q=${encodeURIComponent(q)}`);
    assert.equal(idsOf(found), [id]);
    assert.equal(found.results[0]?.matched.attribute, attribute);
    assert.equal(found.results[0]?.matched.kind, kind);
  });
}

search('has pages, and only the games that are named', async ({ gateway }) => {
  const all = idsOf(await find(gateway, 'q=hu'));
  assert.equal(idsOf(await find(gateway, 'q=hu&limit=1&offset=1')), all.slice(1, 2));
  const response = await gateway.ask('/api/search?q=hu&limit=1');
  assert.match(response.headers.get('link') ?? '', /offset=1>; rel="next"/);
  assert.equal(
    [...new Set((await find(gateway, 'q=hu&games=teyvat')).results.map(({ game }) => game))],
    ['teyvat'],
  );
  // Typos are looked for in these games only.
  assert.equal(idsOf(await find(gateway, 'q=homma&games=star-rail')), []);
});

search('one letter finds whole names only', async ({ gateway }) => {
  assert.is((await find(gateway, 'q=o')).total, 0);
  assert.is((await find(gateway, `q=${encodeURIComponent('道')}`)).total, 1);
});

search('names are in the language, where there are any', async ({ gateway }) => {
  const response = await gateway.ask('/api/search?q=raiden&lang=ja');
  assert.is(response.headers.get('content-language'), 'ja');
  assert.is(response.json<Results>().results[0]?.name, '雷電将軍');
  assert.is((await find(gateway, 'q=beidou&lang=ja')).results[0]?.name, 'Beidou');
  const unknown = await gateway.ask('/api/search?q=raiden&lang=fr');
  assert.match(unknown.json<{ detail: string }>().detail, /expected one of en, ja, ko/);
});

for (const [query, status, code] of [
  ['', 400, 'invalid-parameter'],
  ['q=', 400, 'invalid-parameter'],
  ['q=a&q=b', 400, 'invalid-parameter'],
  ['q=a&limit=101', 400, 'invalid-parameter'],
  [`q=${'a'.repeat(257)}`, 400, 'invalid-parameter'],
  ['q=a&games=tevyat', 404, 'unknown-game'],
  ['q=a&games=unborn', 404, 'unknown-game'],
] as const) {
  search(`${query.slice(0, 30)} is an error`, async ({ gateway }) => {
    const response = await gateway.ask(`/api/search?${query}`);
    assert.equal([response.status, response.json<{ code: string }>().code], [status, code]);
  });
}

search('what a caller may not see yet is not found, and found when it is released', async ({ gateway }) => {
  const before = await gateway.ask('/api/search?q=stranger');
  assert.is(before.json<Results>().total, 0);
  assert.is((await find(gateway, 'q=newcomer')).total, 0);
  gateway.clock.now = Date.parse('2026-07-01T12:00:00Z');
  assert.equal(idsOf(await find(gateway, 'q=stranger')), ['teyvat/characters/9']);
  assert.equal(idsOf(await find(gateway, 'q=newcomer')), ['teyvat/characters/9']);
  const free = await gateway.ask('/api/search?q=stranger', { key: gateway.keys.free });
  assert.is(free.json<Results>().total, 0);
  assert.ok(free.headers.get('ratelimit'));
  const after = await gateway.ask('/api/search?q=stranger');
  assert.is.not(after.headers.get('etag'), before.headers.get('etag'));
});

search.run();
