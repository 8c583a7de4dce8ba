import { brotliDecompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { querySample, type RosterSample } from '../../../gateway/site/parts/query-sample.ts';
import type { TestGateway } from '../../support/harness.ts';
import { checkMarkup } from '../../support/page-headers.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { until } from '../../support/until.ts';
import { HIDDEN, HOSTILE, PATHS, startSite, visit } from './site-world.ts';

interface Context {
  gateway: TestGateway;
}

const HOUR_MS = 3_600_000;
const MAX_BYTES = 60_000;

const site = suite<Context>('the site');
site.before(async (context) => {
  context.gateway = await startSite();
});
site.after(({ gateway }) => gateway.stop());

site('shows visitors the games, and what the newest build changed', async ({ gateway }) => {
  const home = await visit(gateway, '/');
  assert.is(home.status, 200);
  for (const text of [
    'Saga',
    '11 new characters',
    '1 character changed',
    '$5 a month',
    'href="https://ko-fi.com/x"',
  ])
    assert.ok(home.text.includes(text), text);
  assert.match((await visit(gateway, '/games')).text, /12 characters, 1 dataset/);
  const game = await visit(gateway, '/games/saga');
  assert.match(game.text, /The first 10 of/);
  assert.match(game.text, /<code>stats\.atk<\/code>/);
  assert.match((await visit(gateway, '/games/saga/patches')).text, /href="\/games\/saga\/patches\/1\.0"/);
});

site('has headings, a description and a link to the content on each page', async ({ gateway }) => {
  for (const path of PATHS.filter((each) => !each.endsWith('.json'))) {
    const { status, text } = await visit(gateway, path);
    assert.is(status, 200, path);
    assert.is(text.match(/<h1[ >]/g)?.length, 1, path);
    assert.match(text, /<meta name="description" content="[^"]{20,}"/, path);
    assert.match(text, /<a class="skip-link" href="#content">/, path);
    checkMarkup(text, path);
    assert.not.match(text, /undefined|NaN|\[object/, path);
  }
});

site(
  'shows nothing that a free key does not see yet, and shows it a day after its release',
  async ({ gateway }) => {
    for (const path of PATHS) {
      const { text, headers } = await visit(gateway, path);
      const all = `${[...headers].join('\n')}\n${text}`.toLowerCase();
      for (const word of HIDDEN) assert.not.ok(all.includes(word), `${path} has ${word}`);
    }
    const hidden = [
      '/games/qzpro-young',
      '/games/saga/patches/1.2-qzpro',
      '/games/saga/patches/1.3-qzembargo',
    ];
    for (const path of hidden) {
      const never = path.replace(/qz\w+/, 'never');
      const shown = await visit(gateway, path);
      assert.is(shown.status, 404, path);
      // The same as for what never was, except for the name in the request.
      const name = /qz\w+/.exec(path)?.[0] ?? '';
      assert.is(shown.text.replaceAll(name, 'never'), (await visit(gateway, never)).text, path);
    }
    gateway.clock.now += 12.5 * HOUR_MS;
    try {
      for (const path of [
        '/',
        '/games/saga',
        '/games/saga/patches',
        '/status',
        '/games/saga/patches/1.2-qzpro',
      ])
        assert.match((await visit(gateway, path)).text, /1\.2-qzpro/, path);
      assert.not.match((await visit(gateway, '/games/saga')).text, /qzembargo/i);
    } finally {
      // A time that goes back hides the build again.
      gateway.clock.now -= 12.5 * HOUR_MS;
    }
    // The builds of before are loaded again.
    await until(async () => (await visit(gateway, '/games/saga')).status === 200);
    assert.not.match((await visit(gateway, '/games/saga')).text, /qzpro/i);
  },
);

site(
  'shows ten characters of a game, and ten names of what its newest build changed',
  async ({ gateway }) => {
    const game = await visit(gateway, '/games/saga');
    assert.match(game.text, /Member 10\./);
    assert.not.match(game.text, /Member 1[12]\./);
    const newest = await visit(gateway, '/games/saga/patches/1.1');
    assert.match(newest.text, /Member 11\./);
    assert.not.match(newest.text, /Member 12\.|Old One/);
    assert.match(newest.text, /and 2 more/);
    assert.not.match(newest.text, /a note/);
    assert.not.match((await visit(gateway, '/games/saga/patches/1.0')).text, /Member|Old One/);
  },
);

site('has the first ten characters as the API lists them for a free key', async ({ gateway }) => {
  const { headers, text } = await visit(gateway, '/games/saga/sample.json');
  assert.is(headers.get('content-type'), 'application/json; charset=utf-8');
  const listed = await gateway.ask('/api/saga/characters?limit=10', { key: gateway.keys.free });
  assert.equal(JSON.parse(text), listed.json());
});

const QUERIES = [
  ...['', 'element=Fire', 'element=Fire&element=Ice', 'element[ne]=Fire', 'rank[gte]=4&sort=-stats.atk'],
  ...[
    'stats.atk[lt]=60',
    'stats.atk[gt]=33&stats.atk[lte]=75',
    'nothing[exists]=true',
    'q=member',
    'limit=2&offset=3',
  ],
  ...[
    'fields=name,stats.atk',
    'ids=c03,c05',
    'ids=c05,nobody,c02',
    'sort=element,-rank',
    'element[exists]=true&limit=0',
    'limit=x',
    'sort=nothing',
  ],
  ...['fields=nothing', 'rank[gte]=x', 'rank[near]=1', 'offset=-1', 'fields=stats'],
];

site('runs requests on a sample as the API does', async ({ gateway }) => {
  const { address, keys } = gateway;
  const sample = (await (await fetch(`${address}/games/hostile/sample.json`)).json()) as RosterSample;
  const whole = (await (
    await fetch(`${address}/api/saga/characters`, { headers: { 'X-API-Key': keys.pro } })
  ).json()) as RosterSample;
  assert.is(sample.characters.length, 2);
  for (const query of QUERIES) {
    const { status, body } = querySample(whole, new URLSearchParams(query));
    const expected = await gateway.ask(`/api/saga/characters${query === '' ? '' : `?${query}`}`);
    assert.is(status, expected.status, query);
    const { sort: _, ...list } = expected.json<Record<string, unknown>>();
    if (status === 200) assert.equal({ ...body, sort: undefined }, { ...list, sort: undefined }, query);
    else assert.is(body.parameter, list.parameter, query);
  }
});

site('shows hostile names, titles and descriptions as text', async ({ gateway }) => {
  const paths = [
    '/',
    '/games',
    '/games/hostile',
    '/games/hostile/patches',
    '/games/hostile/patches/1.1',
    '/status',
  ];
  for (const path of paths) {
    const { text } = await visit(gateway, path);
    checkMarkup(text, path);
    assert.ok(text.includes('&lt;script>alert(2)&lt;/script>'), path);
  }
  const echoed = await visit(gateway, `/games/${encodeURIComponent(HOSTILE)}`);
  assert.is(echoed.status, 404);
  assert.not.match(echoed.text, /<img|<script>/);
});

site('shows an error as a page to browsers, and as problem+json to programs', async ({ gateway }) => {
  const page = await visit(gateway, '/games/sagga');
  assert.is(page.status, 404);
  assert.match(page.text, /No such game/);
  assert.match(page.text, /saga/);
  assert.match(page.text, /href="\/games"/);
  const response = await fetch(`${gateway.address}/games/sagga`);
  assert.equal([response.status, response.headers.get('content-type')], [404, 'application/problem+json']);
  assert.is(((await response.json()) as { code: string }).code, 'unknown-game');
});

site('compresses its pages to less than 60 KB, and sends none twice', async ({ gateway }) => {
  for (const path of PATHS) {
    const { headers, body } = await sendPlainly(gateway.address + path, {
      headers: { 'accept-encoding': 'br' },
    });
    assert.is(headers['content-encoding'], 'br', path);
    assert.ok(body.length < MAX_BYTES, `${path}: ${body.length} bytes`);
    assert.is(brotliDecompressSync(body).toString(), (await visit(gateway, path)).text, path);
    const again = await sendPlainly(gateway.address + path, {
      headers: { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' },
    });
    assert.is(again.status, 304, path);
  }
});

site('serves its scripts and styles forever, and says so', async ({ gateway }) => {
  const { text } = await visit(gateway, '/');
  const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset as string);
  assert.ok(assets.length >= 3);
  for (const asset of assets) {
    const { headers, status } = await sendPlainly(gateway.address + asset, {
      headers: { 'accept-encoding': 'br' },
    });
    assert.equal([status, headers['cache-control']], [200, 'public, max-age=31536000, immutable'], asset);
  }
});

site('that is off leaves the pages to which responses link', async () => {
  const off = await startSite(false);
  try {
    for (const path of ['/', '/games', '/games/saga', '/docs', '/status.json'])
      assert.is((await visit(off, path)).status, 404, path);
    const terms = await visit(off, '/terms');
    assert.is(terms.status, 200);
    assert.not.match(terms.text, /href="\/(games|docs|status)?"/);
  } finally {
    await off.stop();
  }
});

site.run();
