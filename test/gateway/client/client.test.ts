import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BuildChangedError, createClient, ProblemError } from '../../../gateway/client/client.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

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
client.after(({ gateway }) => gateway.stop());

const sagaOf = ({ address, keys }: TestGateway) =>
  createClient<{ saga: Saga }>({ address: `${address}/`, key: keys.pro }).game('saga');

client('filters, sorts and reads typed records', async ({ gateway }) => {
  const saga = sagaOf(gateway);
  const page = await saga.page('characters', { element: 'fire', 'stats.atk[gte]': 4, sort: '-stats.atk' });
  assert.equal([page.total, page.build, page.sort], [1, '1.1', '-stats.atk']);
  assert.is(page.records[0]?.stats.atk, 10.5);
  assert.is((await saga.record('characters', 'ann')).skills[0]?.name, 'Cut');
  assert.is((await saga.record('timeline', 't1')).who, 'ann');
  assert.is((await saga.object('pull_planner')).cost, 160);
  assert.equal(
    (await saga.compare(['ann', 'bob'])).characters.map(({ name }) => name),
    ['Ann', 'Bob'],
  );
  const chosen = await saga.page('characters', { fields: ['name', 'stats.atk'], ids: ['bob', 'ann'] });
  assert.equal(chosen.records[0], { id: 'bob', name: 'Bob', stats: { atk: 3 } });
});

client('reads all pages of a list', async ({ gateway }) => {
  const saga = sagaOf(gateway);
  const names: string[] = [];
  for await (const { name } of saga.each('characters', { limit: 1, 'element[ne]': ['ice'] }))
    names.push(name);
  assert.equal(names, ['Ann', 'Secret']);
  const years: number[] = [];
  for await (const { year } of saga.each('timeline', { 'year[gt]': 3 })) years.push(year);
  assert.equal(years, [4]);
});

client('throws the problem of an error', async ({ gateway }) => {
  const saga = sagaOf(gateway);
  const error = await saga
    .page('characters', { sort: 'powr' as 'limited' })
    .catch((caught: unknown) => caught);
  assert.instance(error, ProblemError);
  const { status, code, message, problem } = error as ProblemError;
  assert.equal([status, code, problem?.parameter], [400, 'invalid-parameter', 'sort']);
  assert.match(message, /cannot sort by "powr"/);
});

client('gets a response again only if it changed, which does not count', async ({ gateway }) => {
  const statuses: number[] = [];
  const { address, keys } = gateway;
  const saga = createClient<{ saga: Saga }>({
    ...{ address, key: keys.free },
    async fetch(...args) {
      const response = await fetch(...args);
      statuses.push(response.status);
      return response;
    },
  }).game('saga');
  const first = await saga.record('characters', 'ann');
  first.name = 'changed by the program';
  for (let count = 0; count < 20; count++) {
    assert.is((await saga.record('characters', 'ann')).name, 'Ann');
  }
  assert.equal(statuses, [200, ...Array<number>(20).fill(304)]);
});

/** A client whose requests get these responses, one after the other. */
function clientOf(
  responses: readonly [status: number, headers: Record<string, string>, body: object][],
  options = {},
) {
  const sent: string[] = [];
  const rest = [...responses];
  const made = createClient({
    address: 'https://api.example.org',
    ...options,
    async fetch(url) {
      sent.push(String(url));
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
    [503, { 'retry-after': new Date(0).toUTCString() }, {}],
    [200, {}, { total: 1 }],
  ]);
  assert.equal(await made.get('/api/games', { q: 'a b', ids: ['x', 'y'] }), { total: 1 });
  assert.equal(sent, Array<string>(3).fill('https://api.example.org/api/games?q=a+b&ids=x%2Cy'));
});

client('does not wait for longer than it may, nor try for ever', async () => {
  const long = clientOf([[429, { ...PROBLEM, 'retry-after': '61' }, SPENT]]);
  const spent = (await long.made.get('/').catch((error: unknown) => error)) as ProblemError;
  assert.equal([spent.code, spent.retryAfter, long.sent.length], ['quota-exceeded', 61, 1]);
  const often = clientOf(Array(9).fill([503, { 'retry-after': '0' }, {}]), { retries: 2 });
  const failed = (await often.made.get('/').catch((error: unknown) => error)) as ProblemError;
  assert.equal([failed.status, failed.code, often.sent.length], [503, '', 3]);
});

client('stops waiting when the program aborts', async () => {
  const { made, sent } = clientOf([[503, { 'retry-after': '50' }, {}]]);
  const aborter = new AbortController();
  const waiting = made.get('/', {}, { signal: aborter.signal }).catch((error: unknown) => error);
  setTimeout(() => aborter.abort(new Error('enough')), 1);
  assert.is(((await waiting) as Error).message, 'enough');
  assert.is(sent.length, 1);
});

client('says when the build changes between two pages', async () => {
  const page = (build: string) => ({ build, total: 2, count: 1, records: [{ id: build }] });
  const { made } = clientOf([
    [200, {}, page('1.0')],
    [200, {}, page('1.1')],
  ]);
  const read: unknown[] = [];
  const reading = async () => {
    for await (const { id } of made.game('saga').each('items')) read.push(id);
  };
  assert.instance(await reading().catch((error: unknown) => error), BuildChangedError);
  assert.equal(read, ['1.0']);
});

client('keeps no more responses than it may', async () => {
  const body = { text: 'x'.repeat(60) };
  const ok = [200, { etag: '"a"' }, body] as const;
  const conditional: boolean[] = [];
  const made = createClient({
    ...{ address: 'https://api.example.org', cacheSize: 150 },
    async fetch(_, init) {
      conditional.push('If-None-Match' in (init?.headers ?? {}));
      return new Response(JSON.stringify(ok[2]), { status: ok[0], headers: ok[1] });
    },
  });
  for (const path of ['/a', '/b', '/a', '/c', '/b', '/c']) await made.get(path);
  assert.equal(conditional, [false, false, true, false, false, true]);
});

client('follows no redirect, so that the key stays with the gateway', async () => {
  const requests: string[] = [];
  const other = createServer((request, response) => {
    requests.push(String(request.headers['x-api-key']));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/api/me`;
  const redirecting = createServer((_, response) => {
    response.writeHead(302, { location: target }).end();
  }).listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  const address = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  const error: unknown = await createClient({ address, key: 'secret' })
    .get('/api/me')
    .catch((caught: unknown) => caught);
  for (const server of [other, redirecting]) {
    server.close();
    server.closeAllConnections();
  }
  assert.equal(requests, []);
  assert.instance(error, ProblemError);
  assert.is((error as ProblemError).status, 302);
  assert.match((error as ProblemError).message, `redirects to ${target}, and the key is not sent there`);
});

client.run();
