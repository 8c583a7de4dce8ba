import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PageServer, type PageServerOptions } from '../../../../gateway/parts/site/page-server.ts';
import type { SitePage } from '../../../../gateway/parts/site/site-page.ts';

const test = suite('the pages in memory');

type Get = NonNullable<ReturnType<PageServer['page']>['get']>;

test('are made once for all addresses of which only some parameters matter', async () => {
  const made: string[] = [];
  const page: SitePage = {
    path: '/things/:id',
    relevantParams: ({ params }) => ({ id: params.id === 'known' ? 'known' : '' }),
    make({ params: { id = '' } }) {
      made.push(id);
      return { title: id, path: '/', width: 'text', body: id };
    },
  };
  const options = {
    follower: { catalog: { viewAt: () => ({ mark: Symbol.for('one view') }) } },
    frame: { hasSite: true },
    now: () => 0,
  } as unknown as PageServerOptions;
  const { get } = new PageServer(options).page(page);
  const response = { writeHead: () => response, end: () => response };
  for (const id of ['known', 'made-up', 'known', 'another', 'third'])
    await get?.(
      { params: { id }, headers: {}, method: 'GET' } as unknown as Parameters<Get>[0],
      response as unknown as Parameters<Get>[1],
    );
  assert.equal(made, ['known', '']);
});

test.run();
