import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_MEMBERS } from '../../../scripts/diff/history.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { BYSTANDERS, OVER_TIME } from '../../support/over-time.ts';

const history = suite<{ gateway: TestGateway; ask: TestGateway['ask'] }>('history');
history.before(async (context) => {
  const gateway = await startGateway(OVER_TIME);
  context.gateway = gateway;
  context.ask = (path, options) => gateway.ask(path, { key: gateway.keys.pro, ...options });
});
history.after(({ gateway }) => gateway.stop());

interface Page {
  game: string;
  total: number;
  count: number;
  builds: { build: string; previous: string | null; snapshot: object; amended: unknown[] }[];
}

interface LongEntry extends Lists {
  build: string;
  pages?: number;
  next?: string;
  amended: { changes?: Lists }[];
}

interface Lists {
  datasets: Partial<Record<'rows', { added: string[]; counts?: object }>>;
}

history('shows what each build changed, newest first', async ({ ask }) => {
  const { headers, json } = await ask('/api/saga/history');
  const { builds, ...head } = json<Page>();
  assert.equal(head, { game: 'saga', total: 4, count: 4 });
  assert.is(headers.get('game-build'), '1.3');
  assert.equal(
    builds.map(({ build, previous }) => [build, previous]),
    [
      ['1.3', '1.2'],
      ['1.2', '1.1'],
      ['1.1', '1.0'],
      ['1.0', null],
    ],
  );
  const { snapshot, ...third } = builds[1] as Page['builds'][number];
  assert.equal(third, {
    build: '1.2',
    released_at: '2026-03-01T00:00:00Z',
    previous: '1.1',
    note: 'Bob leaves',
    amended: [],
    characters: {
      added: [],
      removed: [{ id: 'bob', name: 'Bob' }],
      changed: [{ id: 'ann', name: 'Anna', fields: ['name'] }],
    },
    datasets: {
      items: {
        added: ['i3'],
        removed: ['i1'],
        changed: ['i2'],
        names: { i1: 'One', i2: 'Two', i3: 'Three' },
      },
      pull_planner: { fields: ['cost'] },
    },
  });
  const plain = (await ask('/api/saga/snapshot/1.2')).text;
  assert.equal(snapshot, {
    bytes: Buffer.byteLength(plain),
    sha256: createHash('sha256').update(plain).digest('hex'),
  });
});

const PAGES: [string, string[], string[]][] = [
  ['?limit=2', ['1.3', '1.2'], ['first', 'next', 'last']],
  ['?limit=2&offset=2', ['1.1', '1.0'], ['first', 'prev', 'last']],
  ['?limit=1&offset=1', ['1.2'], ['first', 'prev', 'next', 'last']],
  ['?offset=3', ['1.0'], ['first', 'prev', 'last']],
  ['?offset=9', [], ['first', 'prev', 'last']],
  ['?limit=0', [], []],
  ['?limit=1000', ['1.3', '1.2', '1.1', '1.0'], ['first', 'last']],
];
for (const [search, names, rels] of PAGES) {
  history(`gives the page ${search} with its links`, async ({ ask }) => {
    const { headers, json } = await ask(`/api/saga/history${search}`);
    const { total, count, builds } = json<Page>();
    assert.equal([total, count, builds.map(({ build }) => build)], [4, names.length, names]);
    const links = (headers.get('link') ?? '').matchAll(/rel="(\w+)"/g);
    assert.equal(
      Array.from(links, ([, rel]) => rel),
      rels,
    );
  });
}

history('shows one build by its name, or the newest', async ({ ask }) => {
  for (const [build, name, previous] of [
    ['1.1', '1.1', '1.0'],
    ['latest', '1.3', '1.2'],
  ]) {
    const { total, count, builds } = (await ask(`/api/saga/history?build=${build}`)).json<Page>();
    assert.equal(
      [total, count, builds.map((each) => [each.build, each.previous])],
      [1, 1, [[name, previous]]],
    );
  }
  const { status, json } = await ask('/api/saga/history?build=2.0');
  assert.equal([status, json<{ code: string }>().code], [404, 'unknown-build']);
});

const rows = Array.from({ length: 2 * MAX_MEMBERS + 1 }, (_, at) => ({ id: `r${at}`, name: `Row ${at}` }));
const AMENDED = {
  characters: { added: [], removed: [], changed: [] },
  datasets: { rows: { added: rows.map(({ id }) => id), removed: [], changed: [] } },
};

history(
  'divides long lists of a build and of its corrections into pages, each with the address of the next',
  async () => {
    const gateway = await startGateway({
      'saga/game.json': { title: 'Saga' },
      'saga/1.0/build.json': {
        released_at: '2026-01-01',
        amended: [{ at: '2026-01-02T00:00:00Z', reason: 'rows', changes: 'amendments/1.0.1.json' }],
      },
      'saga/1.0/characters.json': BYSTANDERS,
      'saga/1.0/pull_planner.json': { cost: 160 },
      'saga/1.0/rows.json': rows,
      'saga/amendments/1.0.1.json': AMENDED,
    });
    try {
      const added: unknown[] = [];
      const corrected: unknown[] = [];
      const builds: string[] = [];
      const counts: unknown[] = [];
      for (let next: string | undefined = '/api/saga/history'; next !== undefined; ) {
        const { json } = await gateway.ask(next, { key: gateway.keys.pro });
        const [entry] = json<{ builds: LongEntry[] }>().builds;
        added.push(...(entry?.datasets.rows?.added ?? []));
        corrected.push(...(entry?.amended[0]?.changes?.datasets.rows?.added ?? []));
        builds.push(`${entry?.build} of ${entry?.pages}`);
        counts.push(entry?.datasets.rows?.counts);
        next = entry?.next;
      }
      assert.equal(added, AMENDED.datasets.rows.added);
      assert.equal(corrected, AMENDED.datasets.rows.added);
      assert.equal(builds, ['1.0 of 3', '1.0 of 3', '1.0 of 3']);
      assert.equal(counts[2], { added: rows.length, removed: 0, changed: 0 });
      const beyond = await gateway.ask('/api/saga/history?build=1.0&page=4', { key: gateway.keys.pro });
      const [entry] = beyond.json<{ builds: LongEntry[] }>().builds;
      assert.equal([entry?.datasets, entry?.pages, entry?.next], [{}, 3, undefined]);
    } finally {
      await gateway.stop();
    }
  },
);

for (const search of [
  'limit=1001',
  'limit=-1',
  'limit=',
  'limit=1&limit=2',
  'offset=x',
  'sort=build',
  'page=0',
  'page=2',
  'page=1&page=2',
  'build=1.0&build=1.1',
  'amended=x',
]) {
  history(`refuses ?${search}`, async ({ ask }) => {
    const { status, json } = await ask(`/api/saga/history?${search}`);
    assert.equal([status, json<{ code: string }>().code], [400, 'invalid-parameter']);
  });
}

history('shows the timeline of a character, oldest first, with every value', async ({ ask }) => {
  assert.equal((await ask('/api/saga/history/ann')).json(), {
    game: 'saga',
    id: 'ann',
    name: 'Anna',
    timeline: [
      {
        build: '1.0',
        released_at: '2026-01-01T00:00:00Z',
        kind: 'added',
        changes: [],
        record: {
          id: 'ann',
          name: 'Ann',
          rarity: 5,
          stats: { atk: 100 },
          skills: [{ id: 's1', power: 1 }],
        },
      },
      {
        build: '1.1',
        released_at: '2026-02-01T00:00:00Z',
        kind: 'changed',
        changes: [
          { path: '/skills/0/power', from: 1, to: 2 },
          { path: '/stats/atk', from: 100, to: 120 },
        ],
      },
      {
        build: '1.2',
        released_at: '2026-03-01T00:00:00Z',
        kind: 'changed',
        changes: [{ path: '/name', from: 'Ann', to: 'Anna' }],
      },
    ],
  });
});

history('keeps the timeline of a character that was removed', async ({ ask }) => {
  const { name, timeline } = (await ask('/api/saga/history/bob')).json<{
    name: string;
    timeline: { build: string; kind: string }[];
  }>();
  assert.is(name, 'Bob');
  assert.equal(
    timeline.map(({ build, kind }) => [build, kind]),
    [
      ['1.0', 'added'],
      ['1.2', 'removed'],
    ],
  );
});

history('shows attributes in each build that has the character, oldest first', async ({ ask }) => {
  const { headers, json } = await ask('/api/saga/history/ann/series?fields=stats.atk,name,skills');
  assert.is(headers.get('game-build'), '1.3');
  assert.equal(json(), {
    game: 'saga',
    id: 'ann',
    fields: ['stats.atk', 'name', 'skills'],
    series: [
      {
        build: '1.0',
        released_at: '2026-01-01T00:00:00Z',
        values: [100, 'Ann', [{ id: 's1', power: 1 }]],
      },
      { build: '1.1', released_at: '2026-02-01T00:00:00Z', values: [120, 'Ann', [{ id: 's1', power: 2 }]] },
      { build: '1.2', released_at: '2026-03-01T00:00:00Z', values: [120, 'Anna', [{ id: 's1', power: 2 }]] },
      { build: '1.3', released_at: '2026-04-01T00:00:00Z', values: [120, 'Anna', [{ id: 's1', power: 2 }]] },
    ],
  });
});

history(
  'shows null where a build has no value, and the series of a character that was removed',
  async ({ ask }) => {
    const valuesOf = async (path: string) =>
      (await ask(path)).json<{ series: { build: string; values: unknown[] }[] }>().series;
    assert.equal(
      (await valuesOf('/api/saga/history/cy/series?fields=title&fields=rarity')).map(({ values }) => values),
      [
        ['the new one', null],
        ['the new one', null],
        ['the new one', null],
      ],
    );
    const bob = await valuesOf('/api/saga/history/bob/series?fields=stats.atk');
    assert.equal(
      bob.map(({ build, values }) => [build, ...values]),
      [
        ['1.0', 50],
        ['1.1', 50],
      ],
    );
  },
);

for (const [search, detail] of [
  ['', /fields is missing, expected 1 to 50 attributes/],
  ['?fields=', /empty part/],
  ['?fields=name,name', /"name" twice/],
  ['?fields=stats.atc', /"stats.atc" is not an attribute of these records \(did you mean "stats.atk"\?\)/],
  ['?fields=skills.power', /"skills.power" is not an attribute/],
  [`?fields=${Array.from({ length: 51 }, (_, at) => `a${at}`).join()}`, /names 51 attributes/],
  ['?fields=name&sort=id', /"sort" is not a parameter/],
] as const) {
  history(`refuses series${search.slice(0, 40)}`, async ({ ask }) => {
    const { status, json } = await ask(`/api/saga/history/ann/series${search}`);
    const problem = json<{ code: string; detail: string }>();
    assert.equal([status, problem.code], [400, 'invalid-parameter']);
    assert.match(problem.detail, detail);
  });
}

const UNKNOWN: [string, string, RegExp][] = [
  ['/api/saga/history/bobb', 'unknown-character', /did you mean "bob"/],
  ['/api/saga/history/secret', 'unknown-character', /never had a character with the id "secret"$/],
  ['/api/saga/history/__proto__', 'unknown-character', /never had/],
  ['/api/saga/history/bobb/series?fields=name', 'unknown-character', /did you mean "bob"/],
  [
    '/api/saga/history/secret/series?fields=name',
    'unknown-character',
    /never had a character with the id "secret"$/,
  ],
  ['/api/sago/history', 'unknown-game', /did you mean "saga"/],
  ['/api/sago/history/ann', 'unknown-game', /did you mean "saga"/],
];
for (const [path, code, detail] of UNKNOWN) {
  history(`${path} is ${code}`, async ({ ask }) => {
    const { status, json } = await ask(path, { headers: { 'if-none-match': '*' } });
    const problem = json<{ code: string; detail: string }>();
    assert.equal([status, problem.code], [404, code]);
    assert.match(problem.detail, detail);
  });
}

history(
  'responds 403 to a free key with the same text whether or not the game exists',
  async ({ gateway }) => {
    for (const rest of [
      'history',
      'history/ann',
      'history/ann/series?fields=name',
      'snapshot/latest',
      'snapshot/9',
      'diff?from=1.0&to=1.1',
      'diff',
    ]) {
      // Refused requests count too.
      gateway.clock.now += 61_000;
      const responses = await Promise.all(
        ['saga', 'nothing'].map((game) => gateway.ask(`/api/${game}/${rest}`, { key: gateway.keys.free })),
      );
      for (const { status, json } of responses) {
        const { code, detail } = json<{ code: string; detail: string }>();
        assert.equal([status, code], [403, 'pro-only'], rest);
        assert.match(detail, /to upgrade/);
      }
      assert.is(responses[0]?.text, responses[1]?.text);
    }
  },
);

history('has an ETag, and responds with 304 to it', async ({ ask }) => {
  for (const path of [
    '/api/saga/history',
    '/api/saga/history/ann',
    '/api/saga/history/ann/series?fields=id',
  ]) {
    const etag = (await ask(path)).headers.get('etag') ?? '';
    assert.is((await ask(path, { headers: { 'if-none-match': etag } })).status, 304);
  }
});

history.run();
