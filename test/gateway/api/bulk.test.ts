import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { erasePerson } from '../../../gateway/people/privacy.ts';
import type { Files } from '../../support/fixtures.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';

/** A game whose second build only Pro keys see, and whose third is not released yet. */
const FILES: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.1/build.json': { released_at: '2026-06-01T00:00:00Z' },
  'saga/1.1/characters.json': [
    { id: 'ann', name: 'Ann' },
    { id: 'fresh', name: 'Freshling' },
  ],
  'saga/2.0/build.json': { released_at: '2026-09-01' },
  'saga/2.0/characters.json': [
    { id: 'ann', name: 'Ann' },
    { id: 'fresh', name: 'Freshling' },
    { id: 'hidden', name: 'Hidden one' },
  ],
};

const bulk = suite<{ gateway: TestGateway }>('downloads of builds');
bulk.before(async (context) => {
  context.gateway = await startGateway(FILES, { formats: ['ndjson', 'csv', 'sqlite'] });
});

async function get(
  gateway: TestGateway,
  address: string,
  key: string | null,
  headers: Record<string, string> = {},
) {
  const all = { ...(key !== null && { 'X-API-Key': key }), ...headers };
  const response = await fetch(gateway.address + address, { headers: all });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

bulk('are databases, compressed for clients that accept it', async ({ gateway }) => {
  const { pro } = gateway.keys;
  const read = (coding: string) =>
    get(gateway, '/api/saga/snapshot/latest?format=sqlite', pro, { 'Accept-Encoding': coding });
  const plain = await read('identity');
  const header = (name: string) => plain.headers.get(name);
  assert.equal(['content-type', 'content-encoding', 'content-disposition'].map(header), [
    'application/vnd.sqlite3',
    null,
    'attachment; filename="saga-1.1.sqlite"',
  ]);
  assert.is(plain.text.slice(0, 15), 'SQLite format 3');
  for (const coding of ['gzip', 'br']) {
    const compressed = await read(coding);
    assert.is(compressed.headers.get('content-encoding'), coding);
    assert.equal(compressed.bytes, plain.bytes);
  }
});

bulk('have a signed link that needs no key', async ({ gateway }) => {
  for (const choice of ['format=sqlite', 'format=ndjson&collection=characters']) {
    const issued = (await gateway.ask(`/api/saga/snapshot/1.0?via=link&${choice}`)).json<{
      url: string;
      bytes: number;
      sha256: string;
    }>();
    const file = await get(gateway, issued.url, null);
    assert.equal([file.status, file.bytes.length], [200, issued.bytes], choice);
    assert.is(createHash('sha256').update(file.bytes).digest('hex'), issued.sha256);
  }
});

bulk('never name a build that is newer than the one of the signed link', async ({ gateway }) => {
  const choice = 'format=csv&collection=pull_planner';
  const [old = '', latest = ''] = await Promise.all(
    ['1.0', 'latest'].map(async (build) => {
      const link = await gateway.ask(`/api/saga/snapshot/${build}?via=link&${choice}`);
      return link.json<{ url: string }>().url.split('?')[0];
    }),
  );
  assert.is(old, latest, 'both builds have the same file');
  const { url } = (await gateway.ask(`/api/saga/snapshot/1.0?via=link&${choice}`)).json<{ url: string }>();
  const { headers } = await get(gateway, url, null);
  assert.equal(
    ['game-build', 'content-disposition'].map((name) => headers.get(name)),
    ['1.0', 'attachment; filename="saga-1.0.pull_planner.csv"'],
  );
});

bulk('are one in a UTC day for a free account, of the build that it may see', async ({ gateway }) => {
  const { free } = gateway.keys;
  for (const choice of [
    'format=csv',
    'format=sqlite',
    'format=csv&collection=characters',
    'via=link&format=csv',
  ])
    assert.equal((await gateway.ask(`/api/saga/snapshot/1.0?${choice}`, { key: free })).status, 403);
  const head = await gateway.ask('/api/saga/bulk', { key: free, method: 'HEAD' });
  assert.is(head.status, 200);
  const first = await get(gateway, '/api/saga/bulk?format=ndjson', free);
  assert.match(first.headers.get('ratelimit') ?? '', /^"minute";r=4;/);
  assert.equal([first.status, first.headers.get('game-build')], [200, '1.0']);
  const texts = Object.values(unzipSync(first.bytes)).map((file) => strFromU8(file));
  assert.not.match(texts.join(), /fresh|1\.1/i);
  const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
  const part = (range: string, path = '/api/saga/bulk?format=ndjson') =>
    gateway.ask(path, { key: free, headers: { range } });
  assert.is((await get(gateway, '/api/saga/bulk?format=ndjson', free, known)).status, 304);
  // A broken download goes on, but another file is another download.
  assert.equal(
    [(await part('bytes=10-')).status, (await part('bytes=0-9', '/api/saga/bulk')).status],
    [206, 429],
  );
  const second = await gateway.ask('/api/saga/bulk', { key: free });
  assert.is(second.status, 429);
  const problem = second.json<{ code: string; 'violated-policies': string[] }>();
  assert.equal([problem.code, problem['violated-policies']], ['quota-exceeded', ['bulk']]);
  assert.match(second.headers.get('retry-after') ?? '', /^\d+$/);
  // Other requests, and other accounts, are not affected; the next day it is possible again. Neither a 304 nor a 429 counted.
  const after = await gateway.ask('/api/saga/characters', { key: free });
  assert.match(after.headers.get('ratelimit') ?? '', /^"minute";r=2;/);
  const other = await issueKey(gateway.store, 'free', 'other@example.org');
  const json = await gateway.ask('/api/saga/bulk', { key: other });
  assert.equal([json.status, json.json<{ build: string }>().build], [200, '1.0']);
  gateway.clock.now += 12 * 3_600_000;
  const one = await get(gateway, '/api/saga/bulk?format=csv&collection=characters', free);
  assert.equal([one.status, one.text], [200, 'id,name\r\nann,Ann\r\nfresh,Freshling\r\n']);
  assert.is((await get(gateway, '/api/saga/bulk?format=sqlite', free)).status, 429);
});

bulk('are one in a UTC day for all accounts of a person', async ({ gateway }) => {
  const { store } = gateway;
  const statusFor = async (email: string) => {
    const key = await issueKey(store, 'free', email);
    return (await get(gateway, '/api/saga/bulk', key)).status;
  };
  assert.is(await statusFor('bulker+1@example.org'), 200);
  assert.is(await statusFor('bulker+2@example.org'), 429, 'another tag');
  assert.is(await statusFor('bulker@example.org'), 429, 'no tag');
  await erasePerson(store, 'bulker+1@example.org');
  assert.is(await statusFor('bulker+1@example.org'), 429, 'opened again');
});

bulk('that cannot be read do not count', async ({ gateway }) => {
  const key = await issueKey(gateway.store, 'free', 'third@example.org');
  const folder = path.join(gateway.dist, 'saga');
  const files = (await readdir(folder)).filter((file) => file.startsWith('bulk.csv.'));
  for (const file of files) await rename(path.join(folder, file), path.join(folder, `${file}.away`));
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', key)).status, 503);
  for (const file of files) await rename(path.join(folder, `${file}.away`), path.join(folder, file));
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', key)).status, 200);
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', key)).status, 429);
});

bulk.run();
