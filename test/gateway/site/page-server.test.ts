import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { html } from '../../../gateway/http/html.ts';
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
    pagesInMinute: 1,
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
    pagesInMinute: 1,
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

test('of builds are numbered by whole numbers alone', () => {
  const games = new Map([['saga', { slug: 'saga', builds: new Array(120) }]]);
  const pageFor = (query: string) =>
    patchesPage.relevantQuery?.(query, { view: { games }, params: { game: 'saga' } } as unknown as Visit);
  for (const page of ['1.5', '2.5', '-1', '0', '4', 'x', '1e-9', 'Infinity'])
    assert.is(pageFor(`page=${page}`), '', page);
  assert.equal([pageFor(''), pageFor('page=3'), pageFor('page=03')], ['', 'page=3', 'page=3']);
  assert.equal([patchesPage.counts, patchPage.counts], ['always', 'always']);
});

test.run();
