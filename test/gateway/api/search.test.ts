import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { table } from '../../support/table.ts';

const CHARACTERS = [
  { id: '1', name: 'Beidou' },
  { id: '2', name: 'Raiden Shogun', name_ja: '雷電将軍', aliases: ['Baal'] },
  { id: '3', name: 'Hu Taoist', name_ja: '道士' },
];
const FILES = {
  ...SAMPLE_GAMES,
  'teyvat/game.json': { title: 'Teyvat World', language: 'en', other_names: ['tvt', '提瓦特'] },
  'teyvat/aliases.json': {
    characters: { '2': ['ei', 'Baal'], '9': ['newcomer'] },
    weapons: { w2: ['spear of light'] },
  },
  'teyvat/1/build.json': { released_at: '2026-01-01' },
  'teyvat/1/characters.json': CHARACTERS,
  'teyvat/1/weapons.json': [
    { id: 'w1', name: 'Staff of Hu Tao' },
    { id: 'w2', name: 'Homa' },
    { id: 'w3', name: 'Raidnaught' },
  ],
  'teyvat/1/foods.json': [{ id: 'f1', name: 'Thu Xtao' }],
  'teyvat/1/levels.json': [{ level: 1, cost: 3 }],
  'teyvat/1/pull_planner.json': { price: 1 },
  'teyvat/2/build.json': { released_at: '2026-07-01' },
  'teyvat/2/characters.json': [...CHARACTERS, { id: '9', name: 'Stranger' }],
};

const search = suite<{ gateway: TestGateway }>('search');
search.before(async (context) => {
  context.gateway = await startGateway(FILES);
});

interface Results {
  results: { game: string; collection: string; id: string; matched: { attribute: string; kind: string } }[];
}

/** What a search over all games finds, best first, as `<game>/<collection>/<id> by <attribute>, <kind>`. */
async function find({ ask }: TestGateway, query: string): Promise<string> {
  const { status, text, json } = await ask(`/api/search?${encodeURI(query)}`);
  assert.is(status, 200, text);
  const { results } = json<Results>();
  const found = results.map(
    ({ game, collection, id, matched }) =>
      `${game}/${collection}/${id} by ${matched.attribute}, ${matched.kind}`,
  );
  return found.join('; ');
}

const FOUND = table`
  q=hu+tao | star-rail/characters/unit-10 by name, exact; teyvat/characters/3 by name, prefix; teyvat/weapons/w1 by name, word
  q=hu+tao&limit=1&offset=1 | teyvat/characters/3 by name, prefix
  q=hu+tao+tvt | teyvat/characters/3 by name, prefix; teyvat/weapons/w1 by name, word
  q=raidn | teyvat/characters/2 by name, typo; teyvat/weapons/w3 by name, prefix
  q=shogun+raiden+banners | teyvat/characters/2 by name, word
  q=beidou+pity | teyvat/characters/1 by name, exact
  q=bediou+qqq | teyvat/characters/1 by name, typo
  q=idnaug | teyvat/weapons/w3 by name, substring
  q=oma | teyvat/weapons/w2 by name, substring
  q=staf | teyvat/weapons/w1 by name, prefix
  q=homma&games=star-rail |
  q=ei | teyvat/characters/2 by aliases, exact
  q=電将 | teyvat/characters/2 by name_ja, substring
  q=o |
`;
for (const [query = '', expected = ''] of FOUND)
  search(`${query} finds ${expected || 'nothing'}`, async ({ gateway }) => {
    assert.is(await find(gateway, query), expected);
  });

const MEANT = table`
  tvt pity | teyvat/pull_planner
  提瓦特 weapon | teyvat/weapons
  teyvat world patch | teyvat/
  teyv | teyvat/
  teyvt world | teyvat/
  Wish | /pull_planner
  beidou weapons | /weapons
  world | /
`;
for (const [q = '', expected = ''] of MEANT)
  search(`${q} means ${expected}`, async ({ gateway }) => {
    const { json } = await gateway.ask(`/api/search?q=${encodeURIComponent(q)}&games=teyvat`);
    const { games = [], datasets = [] } = json<Record<string, Record<string, string>[]>>();
    const named = [games.map(({ game }) => game), datasets.map(({ dataset }) => dataset)];
    assert.is(named.join('/'), expected);
  });

search('of one list finds by aliases too, which names list, and records do not', async ({ gateway }) => {
  const { text } = await gateway.ask('/api/teyvat/characters?q=ei&fields=name,aliases');
  assert.match(text, '[{"id":"2","name":"Raiden Shogun","aliases":["Baal"]}]');
  const names = (await gateway.ask('/api/teyvat/names')).json<{ names: object[] }>();
  assert.equal(Reflect.get(names.names[1] ?? {}, 'aliases'), ['Baal', 'ei']);
});

search('what a caller may not see yet is not found, and found when it is released', async ({ gateway }) => {
  const before = await gateway.ask('/api/search?q=stranger');
  const listed = async () => (await gateway.ask('/api/teyvat/names')).text.includes('newcomer');
  assert.equal(
    [await find(gateway, 'q=stranger'), await find(gateway, 'q=newcomer'), await listed()],
    ['', '', false],
  );
  gateway.clock.now = Date.parse('2026-07-01T12:00:00Z');
  assert.match(await find(gateway, 'q=stranger'), 'teyvat/characters/9');
  assert.match(await find(gateway, 'q=newcomer'), 'teyvat/characters/9');
  assert.ok(await listed());
  const free = await gateway.ask('/api/search?q=stranger', { key: gateway.keys.free });
  assert.equal(free.json<Results>().results, []);
  assert.is.not(
    (await gateway.ask('/api/search?q=stranger')).headers.get('etag'),
    before.headers.get('etag'),
  );
});

search.run();
