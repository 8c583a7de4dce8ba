import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TIERS } from '../../../gateway/access/account.ts';
import { html } from '../../../gateway/http/html.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import { SETTINGS } from '../../../gateway/commands/settings.ts';
import { PageBudget, type PageKind } from '../../../gateway/site/page-budget.ts';
import {
  PageServer,
  type PageServerOptions,
  type SitePage,
  type Visit,
} from '../../../gateway/site/page-server.ts';
import { patchesPage, patchPage } from '../../../gateway/site/pages/patches.ts';

const test = suite('the pages in memory');

type Get = NonNullable<ReturnType<PageServer['page']>['get']>;

test('are made once for all addresses of which only some parameters matter', async () => {
  const made: string[] = [];
  const page: SitePage = {
    path: '/things/:id',
    relevantParams: ({ params }) => ({ id: params.id === 'known' ? 'known' : '' }),
    make({ params: { id = '' } }) {
      made.push(id);
      return { title: id, path: '/', width: 'text', body: html`${id}` };
    },
  };
  const options = {
    follower: { catalog: { viewAt: () => ({ mark: Symbol.for('one view') }), loaded: [] } },
    services: { images: 'off' },
    frame: { hasSite: true, publicUrl: () => '' },
    now: () => 0,
    budget: new PageBudget({ pages: 1, common: 1 }),
    clientAddress: () => '192.0.2.1',
  } as unknown as PageServerOptions;
  const { get } = new PageServer(options).page(page);
  const response = { writeHead: () => response, end: () => response };
  for (const id of ['known', 'made-up', 'known', 'another', 'third'])
    await get?.(
      { params: { id }, headers: {}, method: 'GET', search: '' } as unknown as Parameters<Get>[0],
      response as unknown as Parameters<Get>[1],
    );
  assert.equal(made, ['known', '']);
});

test('are kept by caches of many visitors for five minutes, which says nothing of what is to come', async () => {
  const day = 24 * 3_600_000;
  let now = 0;
  const page: SitePage = { path: '/', make: () => ({ title: '', path: '/', width: 'text', body: html`` }) };
  const options = {
    follower: { catalog: { viewAt: () => ({ mark: Symbol() }), loaded: [{ released_at: '1970-01-01' }] } },
    services: { images: 'off' },
    frame: { hasSite: true, publicUrl: () => '' },
    now: () => now,
    budget: new PageBudget({ pages: 1, common: 1 }),
  } as unknown as PageServerOptions;
  const { get } = new PageServer(options).page(page);
  const cacheAt = async (time: number) => {
    now = time;
    let sent: Record<string, unknown> = {};
    const response = {
      writeHead: (_status: number, headers: Record<string, unknown>) => {
        sent = headers;
        return response;
      },
      end: () => response,
    };
    await get?.(
      { params: {}, headers: {}, method: 'GET', search: '' } as unknown as Parameters<Get>[0],
      response as unknown as Parameters<Get>[1],
    );
    return String(sent['Cache-Control']).replace(
      /^public, max-age=0, s-maxage=(\d+), must-revalidate$/,
      '$1',
    );
  };
  assert.equal([await cacheAt(0), await cacheAt(day - 90_000), await cacheAt(day)], ['300', '300', '300']);
});

test('of lists are refused when a network opened too many; records and what is in memory wait', async () => {
  const waited: number[] = [];
  let now = 0;
  const pause = async (ms: number) => waited.push(ms);
  const budget = new PageBudget({ pages: 60, common: 1000, clock: () => now, pause });
  const take = (kind: 'record' | 'list', isKept = false, address = '192.0.2.1') =>
    budget.take(address, { kind, isKept });
  for (let page = 0; page < 60; page++) await take('list');
  await take('list', true);
  await take('record');
  await take('record');
  assert.equal(waited, [1000, 2000, 3000], 'each a second after the one before');
  const refused = await take('list').catch((error: HttpProblem) => error);
  assert.ok(refused instanceof HttpProblem);
  assert.equal([refused.status, refused.headers], [429, { 'Retry-After': 4 }]);
  await take('list', false, '192.0.2.2');
  now += 4000;
  await take('list');
  assert.is(waited.length, 3);
});

test('of a whole game take longer than with a free key', async () => {
  // The largest shipped game has so many records with pages, and its lists are so many requests.
  const [records, requests] = [11_722, 18];
  const pages = Number(SETTINGS.siteBudget.initial);
  let now = 0;
  const clock = () => now;
  // Many at once: what is refused is opened again when the page says.
  const pause = async () => undefined;
  const budget = new PageBudget({ pages, common: 25 * pages, clock, pause });
  for (let left = records; left > 0; left--) {
    const take = () => budget.take('192.0.2.1', { kind: 'record', isKept: false });
    await take().catch(async (error: HttpProblem) => {
      now += Number(error.headers?.['Retry-After']) * 1000;
      await take();
    });
  }
  const perMinute = TIERS.free.limits?.minute ?? 0;
  const waits = Math.ceil(requests / perMinute) - 1;
  assert.ok(now > waits * 60_000);
});

test('for all networks together are refused when too many were made: searches first, records never', async () => {
  let now = 0;
  const budget = new PageBudget({ pages: 1000, common: 20, clock: () => now, pause: async () => {} });
  let networks = 0;
  const take = async (kind: PageKind, isKept = false) => {
    const taken = budget.take(`192.0.2.${++networks}`, { kind, isKept });
    return await taken.then(
      () => 'made',
      (error: HttpProblem) => `${error.status} ${error.headers?.['Retry-After']}`,
    );
  };
  for (let page = 0; page < 3; page++) assert.is(await take('search'), 'made');
  assert.equal([await take('search'), budget.isSpare], ['503 6', false], 'half is for other pages');
  for (let page = 0; page < 4; page++) assert.is(await take('list'), 'made');
  assert.is(await take('list'), '503 6');
  for (const [kind, isKept] of [['record'], ['list', true], ['search', true]] as const)
    assert.is(await take(kind, isKept), 'made', kind);
  now += 40_000;
  assert.equal([await take('search'), budget.isSpare], ['made', false]);
});

test('of builds are numbered by whole numbers alone', () => {
  const games = new Map([['saga', { slug: 'saga', builds: new Array(120) }]]);
  const pageFor = (query: string) =>
    patchesPage.relevantQuery?.(query, { view: { games }, params: { game: 'saga' } } as unknown as Visit);
  for (const page of ['1.5', '2.5', '-1', '0', '4', 'x', '1e-9', 'Infinity'])
    assert.is(pageFor(`page=${page}`), '', page);
  assert.equal([pageFor(''), pageFor('page=3'), pageFor('page=03')], ['', 'page=3', 'page=3']);
  assert.equal([patchesPage.kind, patchPage.kind], ['list', 'list'], 'which the budget counts');
});

test('of lists are made also when the common budget is less than what one takes', async () => {
  const budget = new PageBudget({ pages: 9, common: 1, clock: () => 0, pause: async () => {} });
  await budget.take('192.0.2.1', { kind: 'list', isKept: false });
  const refused = await budget.take('192.0.2.2', { kind: 'list', isKept: false }).catch((error) => error);
  assert.is(refused.status, 503);
});

test.run();
