import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Running } from '../support/command.ts';
import { CorePackage } from '../support/core-package.ts';
import { buildGames } from '../support/dist-fixture.ts';

const UNITS = [
  { id: 'unit-2', name: 'Élan', name_ko: '라이덴', element: 'Pyro', rarity: 5, stats: { atk: 20 } },
  { id: 'unit-10', name: 'Second', element: 'Cryo', rarity: 4, stats: { atk: 10 } },
  { id: 'unit-11', name: 'Third', element: 'Pyro', rarity: 4, stats: { atk: 15 } },
];
const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
const FILES = {
  'saga/game.json': { title: 'Saga' },
  'saga/1/build.json': { released_at: '2026-01-01' },
  'saga/1/pull_planner.json': { currency: 'gems 1' },
  'saga/1/banners.json': [{ id: 'b', name: 'Banner' }],
  'saga/1/characters.json': UNITS,
  'saga/2/build.json': { released_at: '2026-02-01' },
  'saga/2/pull_planner.json': { currency: 'gems 2' },
  'saga/2/banners.json': [{ id: 'b', name: 'Banner' }],
  'saga/2/characters.json': UNITS.map((unit) => ({ ...unit, rarity: 5 })),
  'saga/3/build.json': { released_at: anHourAgo },
  'saga/3/pull_planner.json': { currency: 'gems 3' },
  'saga/3/banners.json': [{ id: 'b', name: 'Banner' }],
  'saga/3/characters.json': [...UNITS, { id: 'unit-12', name: 'Fourth', element: 'Cryo', rarity: 5 }],
};

interface Context {
  core: CorePackage;
  running: Running;
  address: string;
  /** The keys of a Pro account, of a free one, and of a free one that uses up its quota. */
  keys: Record<'pro' | 'free' | 'used', string>;
}

/** `gateway serve` of the package with both `parts/` folders deleted. */
const alone = suite<Context>('the gateway alone');

alone.before(async (context) => {
  const core = await CorePackage.make();
  await buildGames(FILES, path.join(core.folder, 'dist'));
  const running = core.start('gateway', 'serve', '--port', '0');
  const [, address] = await running.printed(/"address":"(http:[^"]+)"/);
  const issue = async (name: string, ...args: string[]) => {
    const { code, stdout, stderr } = await core.run(
      'gateway',
      'keys',
      'issue',
      `${name}@example.org`,
      ...args,
    );
    assert.is(code, 0, stderr);
    return stdout.split('\n')[0];
  };
  const keys = {
    pro: await issue('pro', '--tier', 'pro'),
    free: await issue('free'),
    used: await issue('used'),
  };
  Object.assign(context, { core, running, address, keys });
});
alone.after(async ({ core, running }) => {
  running.child.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  await core.remove();
  assert.equal([code, stderr], [0, '']);
});

/** Sends a request, of the Pro key unless the headers have another one. */
function ask({ address, keys }: Context, target: string, headers: Record<string, string> = {}) {
  return fetch(address + target, { headers: { 'x-api-key': keys.pro, ...headers } });
}

interface Unit {
  id: string;
}

alone('filters, sorts, searches and pages the roster', async (context) => {
  const CASES: [query: string, ids: string[]][] = [
    ['', ['unit-2', 'unit-10', 'unit-11', 'unit-12']],
    ['element=Pyro&sort=-stats.atk', ['unit-2', 'unit-11']],
    ['stats.atk[gte]=15', ['unit-2', 'unit-11']],
    ['element[ne]=Pyro&limit=1&offset=1', ['unit-12']],
    ['stats.atk[exists]=false', ['unit-12']],
    ['q=elan', ['unit-2']],
    ['q=ㄹㅇㄷ', ['unit-2']],
    ['ids=unit-11,unit-2', ['unit-11', 'unit-2']],
    ['q=elam', []],
  ];
  for (const [query, ids] of CASES) {
    const response = await ask(context, `/api/saga/characters?${query}`);
    const { characters } = (await response.json()) as { characters: Unit[] };
    assert.equal(
      characters.map(({ id }) => id),
      ids,
      query,
    );
  }
});

for (const [target, ...expected] of [
  ['/api/games', '"slug":"saga"', '"build":"3"'],
  ['/api/saga/characters/unit-2?fields=name', '{"id":"unit-2","name":"Élan"}'],
  ['/api/saga/banners', '"records":[{"id":"b","name":"Banner"}]'],
  ['/api/saga/pull_planner', '"data":{"currency":"gems 3"}'],
  ['/api/saga/facets', '"id":"stats.atk"'],
  ['/api/saga/compare?ids=unit-2,unit-11', '"best":[0]'],
  ['/api/saga/history', '"build":"2"', '"build":"1"'],
  ['/api/saga/history/unit-10', '"path":"/rarity"'],
  ['/api/saga/snapshot/1', '{"id":"b","name":"Banner"}', '"currency":"gems 1"'],
  ['/api/saga/diff?from=1&to=2', '"path":"/rarity","from":4,"to":5'],
  ['/api/me', '"tier":"pro"'],
] as const) {
  alone(`responds to ${target}`, async (context) => {
    const response = await ask(context, target);
    const text = await response.text();
    assert.is(response.status, 200, text);
    for (const part of expected) assert.ok(text.includes(part), `${part} in ${text}`);
    const etag = response.headers.get('etag') ?? '';
    if (target !== '/api/me') assert.is((await ask(context, target, { 'if-none-match': etag })).status, 304);
  });
}

alone('shows a build to free keys a day after its release', async (context) => {
  const { headers } = await ask(context, '/api/saga/characters', { 'x-api-key': context.keys.free });
  assert.is(headers.get('game-build'), '2');
  const { status } = await ask(context, '/api/saga/history', { 'x-api-key': context.keys.free });
  assert.is(status, 403);
});

alone('counts the requests of a free key exactly', async (context) => {
  const headers = { 'x-api-key': context.keys.used };
  const statuses = [];
  for (let sent = 0; sent < 12; sent++) statuses.push((await ask(context, '/api/games', headers)).status);
  assert.equal(statuses, [...Array(10).fill(200), 429, 429]);
});

alone('describes what is wrong as a problem', async (context) => {
  for (const [target, code] of [
    ['/api/saga/characters?rarityy=5', 'invalid-parameter'],
    ['/api/sage/characters', 'unknown-game'],
    ['/api/saga/characters.csv', 'unknown-dataset'],
    ['/openapi.json', 'not-found'],
    ['/', 'not-found'],
  ] as const) {
    const response = await ask(context, target);
    assert.is(response.headers.get('content-type'), 'application/problem+json', target);
    assert.is(((await response.json()) as { code: string }).code, code, target);
  }
});

alone('says which part it needs for an address that is not a folder', async ({ core }) => {
  for (const [args, part] of [
    [['--dist', 's3://bucket/dist'], 'mirror'],
    [['--store', 'redis://localhost:1'], 'redis'],
  ] as const) {
    const { code, stderr } = await core.run('gateway', 'serve', '--port', '0', ...args);
    assert.is(code, 1);
    assert.match(stderr, `runs without the part ${part}`);
  }
});

alone.run();
