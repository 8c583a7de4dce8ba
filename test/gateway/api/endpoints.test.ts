import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const api = suite<{ gateway: TestGateway }>('endpoints');
api.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
api.after(({ gateway }) => gateway.stop());

interface Problem {
  code: string;
  detail: string;
  parameter?: string;
  ids?: string[];
}

api('/api/games lists what is released, in slug order', async ({ gateway }) => {
  const response = await gateway.ask('/api/games');
  const { attribution, terms, ...rest } = response.json<Record<string, unknown>>();
  assert.equal(rest, {
    total: 2,
    games: [
      {
        slug: 'star-rail',
        title: 'Star Rail',
        build: '1.1',
        released_at: '2026-02-01T00:00:00Z',
        counts: { characters: 4, datasets: 4, builds: 2 },
        datasets: ['banners', 'events', 'level_costs', 'pull_planner'],
        age_days: 120,
        usual_interval_days: null,
        behind: null,
      },
      {
        slug: 'tiny-game',
        title: 'Tiny',
        build: '1',
        released_at: '2026-02-28T15:00:00Z',
        counts: { characters: 1, datasets: 1, builds: 1 },
        datasets: ['pull_planner'],
        age_days: 93,
        usual_interval_days: null,
        behind: null,
      },
    ],
  });
  assert.type(attribution, 'string');
  const page = await fetch(new URL(terms as string, gateway.address));
  assert.match(await page.text(), /Terms of use/);
});

api('a character is the full record itself', async ({ gateway }) => {
  const response = await gateway.ask('/api/star-rail/characters/unit-10');
  assert.is(
    response.text,
    '{"id":"unit-10","name":"Hu Tao","element":"Pyro","name_ja":"胡桃","name_ko":"호두","rarity":5,"skills":[{"id":"s1"}],"stats":{"atk":120,"hp":15},"tags":["dps"]}',
  );
});

api('a character with fields has only these, and its id', async ({ gateway }) => {
  const response = await gateway.ask(
    '/api/star-rail/characters/unit-10?fields=name_ja,stats.atk&fields=name',
  );
  assert.is(response.text, '{"id":"unit-10","name_ja":"胡桃","stats":{"atk":120},"name":"Hu Tao"}');
  const unknown = await gateway.ask('/api/star-rail/characters/unit-10?fields=nmae');
  assert.equal([unknown.status, unknown.json<Problem>().parameter], [400, 'fields']);
});

api('a record of a dataset is the record itself', async ({ gateway }) => {
  const whole = await gateway.ask('/api/star-rail/banners/b10');
  assert.is(whole.text, '{"id":"b10","name":"Tenth","pulls":90,"starts_at":"2026-02-01","unit":"unit-10"}');
  assert.is(whole.headers.get('game-build'), '1.1');
  assert.is((await gateway.ask('/api/star-rail/banners/b10?fields=pulls')).text, '{"id":"b10","pulls":90}');
  const again = await gateway.ask('/api/star-rail/banners/b10', {
    headers: { 'if-none-match': whole.headers.get('etag') as string },
  });
  assert.is(again.status, 304);
});

for (const [path, code, detail] of [
  ['/api/star-rail/banners/b1', 'unknown-record', /no record with the id "b1" in banners.*"b10"|"b2"/],
  ['/api/star-rail/level_costs/2', 'unknown-record', /no records with ids/],
  ['/api/star-rail/pull_planner/currency', 'unknown-record', /no records with ids/],
  ['/api/star-rail/baners/b10', 'unknown-dataset', /"banners"/],
  ['/api/star-rail/pull_planner/facets', 'unknown-dataset', /one object/],
  ['/api/star-rail/baners/facets', 'unknown-dataset', /"banners"/],
  ['/api/star-rial/names', 'unknown-game', /"star-rail"/],
] as const) {
  api(`${path} is a 404 that helps`, async ({ gateway }) => {
    const response = await gateway.ask(path);
    const problem = response.json<Problem>();
    assert.equal([response.status, problem.code], [404, code]);
    assert.match(problem.detail, detail);
  });
}

api("a dataset has facets, and those of characters are the roster's", async ({ gateway }) => {
  const facets = (await gateway.ask('/api/star-rail/banners/facets?fields=count,max')).json<{
    dataset: string;
    records: unknown[];
  }>();
  assert.equal(facets.records, [
    { id: 'id', count: 2 },
    { id: 'name', count: 2 },
    { id: 'pulls', count: 2, max: 90 },
    { id: 'starts_at', count: 2 },
    { id: 'unit', count: 2 },
  ]);
  assert.is(
    (await gateway.ask('/api/star-rail/characters/facets')).text,
    (await gateway.ask('/api/star-rail/facets')).text,
  );
});

api('names has the names of all characters in every language', async ({ gateway }) => {
  const { names } = (await gateway.ask('/api/star-rail/names')).json<{ names: { id: string }[] }>();
  assert.equal(names.at(-1), { id: 'unit-10', name: 'Hu Tao', name_ja: '胡桃', name_ko: '호두' });
  assert.equal(
    names.map(({ id }) => id),
    ['constructor', 'unit-1', 'unit-2', 'unit-10'],
  );
});

api('random characters are full records, none twice, and are never cached', async ({ gateway }) => {
  const ask = async (search: string) => {
    const response = await gateway.ask(`/api/star-rail/characters/random${search}`);
    assert.is(response.headers.get('cache-control'), 'no-store');
    return response.json<{ count: number; characters: { id: string }[] }>();
  };
  const all = await ask('?count=100');
  assert.is(all.count, 4);
  assert.is(new Set(all.characters.map(({ id }) => id)).size, 4);
  const seen = new Set<string>();
  while (seen.size < 4) seen.add((await ask('')).characters[0]?.id as string);
  const hu = all.characters.find(({ id }) => id === 'unit-10');
  assert.equal(hu, (await gateway.ask('/api/star-rail/characters/unit-10')).json());
  for (const search of ['?count=0', '?count=101', '?count=x', '?count=1&count=2', '?cuont=1']) {
    assert.is((await gateway.ask(`/api/star-rail/characters/random${search}`)).status, 400, search);
  }
});

api('the id of a character may be constructor', async ({ gateway }) => {
  assert.is(
    (await gateway.ask('/api/star-rail/characters/constructor')).json<{ name: string }>().name,
    'Proto',
  );
});

api('numeric ids are strings, and keep their leading zeros', async ({ gateway }) => {
  assert.equal((await gateway.ask('/api/tiny-game/characters/1')).json(), {
    id: '1',
    name: 'Only',
    code: '007',
    stats: { atk: 5 },
  });
});

api('a list dataset is complete without a limit, with filters, sort and fields', async ({ gateway }) => {
  const whole = (await gateway.ask('/api/star-rail/banners')).json<Record<string, unknown>>();
  assert.equal(
    [whole.total, whole.count, whole.limit, whole.sort, whole.dataset],
    [2, 2, null, 'id', 'banners'],
  );
  const some = (await gateway.ask('/api/star-rail/banners?pulls[gt]=80&fields=starts_at')).json<{
    records: unknown;
  }>();
  assert.equal(some.records, [{ id: 'b10', starts_at: '2026-02-01' }]);
  const named = (await gateway.ask('/api/star-rail/banners?q=tenth')).json<{ total: number }>();
  assert.is(named.total, 1);
});

api('a dataset without ids keeps its order, and has no addresses of records', async ({ gateway }) => {
  const costs = (await gateway.ask('/api/star-rail/level_costs?limit=2')).json<{
    sort: unknown;
    records: unknown;
  }>();
  assert.is(costs.sort, null);
  assert.equal(costs.records, [
    { cost: 100, level: 2 },
    { cost: 50, level: 1 },
  ]);
  const sorted = (await gateway.ask('/api/star-rail/level_costs?sort=-cost&fields=cost')).json<{
    records: unknown;
  }>();
  assert.equal(sorted.records, [{ cost: 900 }, { cost: 100 }, { cost: 50 }]);
  for (const search of ['ids=1', 'q=a']) {
    assert.is((await gateway.ask(`/api/star-rail/level_costs?${search}`)).status, 400);
  }
});

api('an empty list accepts the parameters that it would accept with records', async ({ gateway }) => {
  const search = 'sort=-starts_at&fields=id,name&q=a&starts_at=x&pulls[gt]=1&limit=5';
  const response = await gateway.ask(`/api/star-rail/events?${search}`);
  const { total, sort, records } = response.json<{ total: number; sort: string; records: unknown[] }>();
  assert.equal([response.status, total, sort, records], [200, 0, '-starts_at', []]);
  assert.is((await gateway.ask('/api/star-rail/events')).json<{ sort: string }>().sort, 'id');
  assert.is((await gateway.ask('/api/star-rail/events?limit=x')).status, 400);
});

api('an object dataset is the object, and takes no parameters', async ({ gateway }) => {
  const response = await gateway.ask('/api/star-rail/pull_planner');
  assert.equal(response.json(), {
    game: 'star-rail',
    build: '1.1',
    dataset: 'pull_planner',
    data: { cost: 160, currency: 'jade' },
  });
  assert.is((await gateway.ask('/api/star-rail/pull_planner?limit=1')).status, 400);
});

api('facets show types, values with counts, and ranges', async ({ gateway }) => {
  const { records } = (await gateway.ask('/api/star-rail/facets')).json<{
    records: Record<string, unknown>[];
  }>();
  const facet = (id: string) => records.find((record) => record.id === id);
  assert.equal(
    records.map(({ id }) => id),
    [
      'attack',
      'element',
      'id',
      'limited',
      'name',
      'name_ja',
      'name_ko',
      'rarity',
      'stats.atk',
      'stats.hp',
      'tags',
      'toString',
    ],
  );
  assert.equal(facet('element'), {
    id: 'element',
    type: 'string',
    list: false,
    count: 3,
    distinct: 2,
    values: [
      { value: 'Hydro', count: 1 },
      { value: 'Pyro', count: 2 },
    ],
  });
  assert.equal(facet('stats.atk'), {
    id: 'stats.atk',
    type: 'number',
    list: false,
    count: 3,
    distinct: 2,
    min: 90.5,
    max: 120,
    values: [
      { value: 90.5, count: 2 },
      { value: 120, count: 1 },
    ],
  });
  assert.equal(facet('tags'), {
    id: 'tags',
    type: 'string',
    list: true,
    count: 2,
    distinct: 2,
    values: [
      { value: 'dps', count: 2 },
      { value: 'heal', count: 1 },
    ],
  });
  const one = (await gateway.ask('/api/star-rail/facets?type=number&fields=min')).json<{
    records: unknown;
  }>();
  assert.equal(one.records, [
    { id: 'rarity', min: 4 },
    { id: 'stats.atk', min: 90.5 },
    { id: 'stats.hp', min: 15 },
  ]);
});

api('compare puts characters side by side in the order given', async ({ gateway }) => {
  for (const search of ['ids=unit-10,unit-2,unit-1', 'ids=unit-10&ids=unit-2,unit-1']) {
    const response = (await gateway.ask(`/api/star-rail/compare?${search}`)).json<{
      ids: string[];
      count: number;
      characters: { id: string; skills?: unknown }[];
      fields: { key: string; values: unknown[]; differs: boolean; best: number[] }[];
    }>();
    const row = (key: string) => response.fields.find((field) => field.key === key);
    assert.equal([response.ids, response.count], [['unit-10', 'unit-2', 'unit-1'], 3]);
    assert.equal(
      response.characters.map(({ id }) => id),
      response.ids,
    );
    assert.equal(response.characters[0]?.skills, [{ id: 's1' }]);
    assert.equal(row('stats.atk'), { key: 'stats.atk', values: [120, 90.5, 90.5], differs: true, best: [0] });
    assert.equal(row('stats.hp'), { key: 'stats.hp', values: [15, 20, null], differs: true, best: [1] });
    assert.equal(row('rarity'), { key: 'rarity', values: [5, 5, 4], differs: true, best: [] });
    assert.equal(row('tags'), {
      key: 'tags',
      values: [['dps'], ['heal', 'dps'], null],
      differs: true,
      best: [],
    });
    assert.equal(row('attack'), { key: 'attack', values: [null, null, null], differs: false, best: [] });
  }
});

api('compare lists every best position, and none if all are equal', async ({ gateway }) => {
  type Rows = { fields: { key: string; best: number[]; differs: boolean }[] };
  const best = async (ids: string) =>
    (await gateway.ask(`/api/star-rail/compare?ids=${ids}`))
      .json<Rows>()
      .fields.find(({ key }) => key === 'stats.atk')?.best;
  assert.equal(await best('unit-1,unit-2'), []);
  assert.equal(await best('unit-1,constructor,unit-2'), [0, 2]);
});

const BAD_COMPARISONS: [string, string, number, string][] = [
  ['no ids', '', 400, 'invalid-parameter'],
  ['an empty list', 'ids=', 400, 'invalid-parameter'],
  ['an id twice', 'ids=unit-1,unit-1', 400, 'invalid-parameter'],
  ['a seventh', 'ids=a,b,c,d,e,f,g', 400, 'invalid-parameter'],
  ['another parameter', 'ids=unit-1&fields=name', 400, 'invalid-parameter'],
  ['unknown ids', 'ids=unit-1,unit-3,nobody', 404, 'unknown-character'],
];
for (const [what, search, status, code] of BAD_COMPARISONS) {
  api(`compare refuses ${what}`, async ({ gateway }) => {
    const response = await gateway.ask(`/api/star-rail/compare?${search}`);
    const problem = response.json<Problem>();
    assert.equal([response.status, problem.code], [status, code]);
    if (status === 404) assert.equal(problem.ids, ['unit-3', 'nobody']);
  });
}

const UNKNOWN: [string, string, RegExp][] = [
  ['/api/star-rial/characters', 'unknown-game', /did you mean "star-rail"/],
  ['/api/unborn/characters', 'unknown-game', /no game "unborn"/],
  ['/api/__proto__/characters', 'unknown-game', /no game/],
  ['/api/star-rail/banner', 'unknown-dataset', /did you mean "banners"/],
  ['/api/star-rail/__proto__', 'unknown-dataset', /no dataset/],
  ['/api/star-rail/characters/unit-3', 'unknown-character', /did you mean "unit-/],
  ['/api/star-rail/characters/secret', 'unknown-character', /no character/],
  ['/api/star-rail/characters/__proto__', 'unknown-character', /no character/],
  ['/api/star-rail/characters/%00', 'unknown-character', /u0000/],
  ['/api/star-rail/characters/a%2F..%2Fb', 'unknown-character', /no character/],
  ['/api/star-rail/histroy', 'unknown-dataset', /did you mean "history"/],
  ['/api/star-rail', 'not-found', /openapi/],
  ['/api/GAMES', 'not-found', /openapi/],
  ['/api/star-rail/Characters', 'unknown-dataset', /did you mean "characters"/],
  ['/api/games/', 'not-found', /openapi/],
  ['/api', 'not-found', /openapi/],
  ['/api/star-rail/banners/b2/pulls', 'not-found', /openapi/],
];
for (const [path, code, detail] of UNKNOWN) {
  api(`${path} is ${code}`, async ({ gateway }) => {
    const { status, headers, json } = await gateway.ask(path);
    assert.equal(
      [status, json<Problem>().code, headers.get('content-type')],
      [404, code, 'application/problem+json'],
    );
    assert.match(json<Problem>().detail, detail);
  });
}

api('no address shows a build before its release; then all do, without a restart', async ({ gateway }) => {
  const before = gateway.clock.now;
  const key = gateway.keys.pro;
  const seen = async () => {
    const texts = await Promise.all(
      [
        '/api/games',
        '/api/star-rail/characters',
        '/api/star-rail/facets',
        '/api/star-rail/characters/secret',
      ].map(async (path) => (await gateway.ask(path, { key })).text),
    );
    return texts.join('\n');
  };
  try {
    gateway.clock.now = Date.parse('2026-07-01') - 1;
    assert.not.match(await seen(), /Secret|1\.2|embargoed/);
    gateway.clock.now = Date.parse('2026-07-01');
    const after = await seen();
    assert.match(after, /"builds":3/);
    assert.match(after, /Secret/);
    assert.is((await gateway.ask('/api/star-rail/characters', { key })).headers.get('game-build'), '1.2');
    assert.is((await gateway.ask('/api/star-rail/banners', { key })).json<{ build: string }>().build, '1.2');
    assert.is((await gateway.ask('/api/unborn/characters', { key })).status, 404);
  } finally {
    gateway.clock.now = before;
  }
});

api('/api/me shows the tier and masks the email address', async ({ gateway }) => {
  const { key, ...me } = (await gateway.ask('/api/me')).json<{ key: { prefix: string } }>();
  assert.equal(me, {
    tier: 'pro',
    email: 'p…@example.org',
    pro_until: null,
    limits: null,
    usage: null,
    freshness: { delay_hours: 0 },
    follows: [],
    channels: { webhook: 'off', discord: 'off', slack: 'off', telegram: 'off', mail: 'off', feed: 'off' },
  });
  assert.is(key.prefix, gateway.keys.pro.slice(0, 12));
  const free = await gateway.ask('/api/me', { key: gateway.keys.free });
  assert.is(free.json<{ tier: string }>().tier, 'free');
  assert.equal(free.json<{ freshness: unknown }>().freshness, { delay_hours: 24 });
});

api('the service addresses need no key', async ({ gateway }) => {
  assert.equal((await gateway.ask('/healthz', { key: null })).json(), { status: 'alive' });
  assert.equal((await gateway.ask('/readyz', { key: null })).json(), { status: 'ready' });
  const document = (await gateway.ask('/openapi.json', { key: null })).json<{
    openapi: string;
    paths: object;
  }>();
  assert.is(document.openapi, '3.1.0');
  assert.ok('/api/{game}/characters' in document.paths);
});

api('the page to which problems link describes every error code', async ({ gateway }) => {
  const { PROBLEMS, statusesOf } = await import('../../../gateway/http/problem.ts');
  const page = await (await fetch(`${gateway.address}/problems`)).text();
  for (const code of Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[])
    assert.match(
      page,
      `<div id="${code}"><dt><code>${code}</code> <span class="badge">${statusesOf(code).join(' ')}</span>`,
    );
});

api('the guides are there as text for language models, without a key', async ({ gateway }) => {
  const read = async (name: string) => {
    const response = await fetch(gateway.address + name);
    assert.equal(
      [response.status, response.headers.get('content-type')],
      [200, 'text/plain; charset=utf-8'],
      name,
    );
    return await response.text();
  };
  const short = await read('/llms.txt');
  assert.match(short, /^# Game Data Read API\n\n> /);
  assert.match(short, /^- \[Queries\]\(\/docs\/consumers\/queries\): \w/m);
  const full = await read('/llms-full.txt');
  assert.match(full, /^# Queries$/m);
  assert.not.match(full, /\]\([\w-]+\.md/);
});

api.run();
