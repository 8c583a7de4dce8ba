import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BuildChangedError,
  createClient,
  type GamePaths,
  ProblemError,
} from '../../../gateway/client/client.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';
import { listen } from '../../support/listen.ts';

interface Character {
  id: string;
  name: string;
  element: 'fire' | 'ice';
  stats: { atk: number; hp: number };
}

/** As `gamedata types` writes it. */
interface Saga {
  characters: {
    entry: Character;
    record: Character & { skills: { id: string; name: string }[] };
    facets: { element: 'fire' | 'ice'; 'stats.atk': number; limited: boolean };
  };
  lists: { timeline: { record: { id: string; who: string; year: number }; facets: { year: number } } };
  objects: { pull_planner: { currency: string; cost: number } };
}

const client = suite<{ gateway: TestGateway }>('the typed client');
client.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
});

type Paths = GamePaths<'saga', Saga>;
const clientFor = ({ address, keys }: TestGateway) =>
  createClient<Paths>({ baseUrl: `${address}/`, key: keys.pro });

client('filters, sorts and reads typed records', async ({ gateway }) => {
  const saga = clientFor(gateway);
  const query = { element: 'fire', 'stats.atk[gte]': 4, sort: '-stats.atk', lang: 'ja' } as const;
  const page = (await saga.GET('/api/saga/characters', { params: { query } })).data;
  assert.equal([page?.total, page?.build, page?.characters[0]?.stats.atk], [1, '1.1', 10.5]);
  assert.is(page?.characters[0]?.name, 'アン');
  const byId = { params: { path: { id: 'ann' } } };
  assert.is((await saga.GET('/api/saga/characters/{id}', byId)).data?.skills[0]?.name, 'Cut');
  assert.is((await saga.GET('/api/saga/pull_planner')).data?.data.cost, 160);
  const chosen = { params: { query: { fields: ['name', 'stats.atk'], ids: ['bob', 'ann'] } } };
  const { data } = await saga.GET('/api/saga/characters', chosen);
  assert.equal(data?.characters[0], { id: 'bob', name: 'Bob', stats: { atk: 3 } });
});

client('reads all pages of a list', async ({ gateway }) => {
  const saga = clientFor(gateway);
  const names: string[] = [];
  for await (const { name } of saga.each('/api/saga/characters', { limit: 1, 'element[ne]': ['ice'] }))
    names.push(name);
  assert.equal(names, ['Ann', 'Secret']);
  const years: number[] = [];
  for await (const { year } of saga.each('/api/saga/timeline', { 'year[gt]': 3 })) years.push(year);
  assert.equal(years, [4]);
});

client('returns the problem of an error, and each() throws it', async ({ gateway }) => {
  const query = { sort: 'powr' as 'limited' };
  const { error } = await clientFor(gateway).GET('/api/saga/characters', { params: { query } });
  assert.equal([error?.status, error?.code, error?.parameter], [400, 'invalid-parameter', 'sort']);
  const thrown = await readAll(clientFor(gateway).each('/api/saga/characters', query)).catch(
    (e: unknown) => e,
  );
  assert.instance(thrown, ProblemError);
  assert.match((thrown as ProblemError).message, /cannot sort by "powr"/);
});

client('sends own headers beside the key, and reads nothing for no ids', async ({ gateway }) => {
  const headers = { Accept: 'text/csv' };
  const own = createClient<Paths>({ baseUrl: gateway.address, key: gateway.keys.pro, headers });
  const { response } = await own.GET('/api/saga/characters', { parseAs: 'text' });
  assert.match(response.headers.get('content-type') ?? '', 'text/csv');
  assert.equal(await readAll(own.each('/api/saga/characters', { ids: [] })), []);
});

async function readAll(list: AsyncIterable<unknown>): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const each of list) read.push(each);
  return read;
}

/** A client whose requests get these responses, one after the other. */
function clientOf(
  responses: readonly [status: number, headers: Record<string, string>, body: object][],
  options = {},
) {
  const sent: string[] = [];
  const rest = [...responses];
  const made = createClient({
    baseUrl: 'https://api.example.org',
    ...options,
    async fetch({ url }) {
      sent.push(url);
      const [status, headers, body] = rest.shift() ?? [500, {}, {}];
      return new Response(JSON.stringify(body), { status, headers });
    },
  });
  return { made, sent };
}

const PROBLEM = { 'content-type': 'application/problem+json' };
const SPENT = { type: '', title: '', status: 429, code: 'quota-exceeded', detail: 'wait' };

client('tries again after 429 and 503, when the response says so', async () => {
  const { made, sent } = clientOf([
    [429, { ...PROBLEM, 'retry-after': '0' }, SPENT],
    [503, { 'retry-after': '0' }, {}],
    [200, {}, { total: 1 }],
  ]);
  const query = { q: 'a b', ids: ['x', 'y'] };
  assert.equal((await made.GET('/api/games', { params: { query } })).data, { total: 1 });
  assert.equal(sent, Array<string>(3).fill('https://api.example.org/api/games?q=a+b&ids=x%2Cy'));
});

client('does not wait for longer than it may, nor try for ever', async () => {
  const long = clientOf([[429, { ...PROBLEM, 'retry-after': '61' }, SPENT]]);
  assert.is((await long.made.GET('/')).error?.code, 'quota-exceeded');
  assert.is(long.sent.length, 1);
  const often = clientOf(Array(9).fill([503, { 'retry-after': '0' }, {}]), { retries: 2 });
  assert.is((await often.made.GET('/')).response.status, 503);
  assert.is(often.sent.length, 3);
});

client('stops waiting when the program aborts', async () => {
  const { made, sent } = clientOf([[503, { 'retry-after': '50' }, {}]]);
  const aborter = new AbortController();
  const waiting = made.GET('/', { signal: aborter.signal }).catch((error: unknown) => error);
  setTimeout(() => aborter.abort(new Error('enough')), 1);
  assert.is(((await waiting) as Error).message, 'enough');
  assert.is(sent.length, 1);
});

client('says when the build or its content changes between two pages', async () => {
  const page = (build: string) => ({ build, total: 2, count: 1, records: [{ id: build }] });
  const tag = (text: string) => ({ etag: text });
  for (const [first, second, isSame] of [
    [{}, {}, false],
    [tag('"a-x-y-br"'), tag('W/"b-x-y-gzip"'), true],
    [tag('"a-x-y-br"'), tag('"a-x-z-br"'), false],
  ] as const) {
    const { made } = clientOf([
      [200, first, page('1.0')],
      [200, second, page(isSame ? '1.0' : '1.1')],
    ]);
    const read = await readAll(made.each('/api/saga/items')).catch((error: unknown) => error);
    if (isSame) assert.equal(read, [{ id: '1.0' }, { id: '1.0' }]);
    else assert.instance(read, BuildChangedError);
  }
});

client('follows no redirect, so that the key stays with the gateway', async () => {
  const requests: string[] = [];
  const other = createServer((request, response) => {
    requests.push(String(request.headers['x-api-key']));
    response.end('{}');
  });
  const target = `${await listen(other)}/api/me`;
  const redirecting = createServer((_, response) => {
    response.writeHead(302, { location: target }).end();
  });
  const address = await listen(redirecting);
  const { response } = await createClient({ baseUrl: address, key: 'secret' }).GET('/api/me');
  assert.equal(requests, []);
  assert.is(response.status, 302);
});

client.run();
