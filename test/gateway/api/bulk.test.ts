import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Files } from '../../support/fixtures.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';

/** A game whose second build only Pro keys see. */
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
};

const bulk = suite<{ gateway: TestGateway }>('downloads of builds');
bulk.before(async (context) => {
  context.gateway = await startGateway(FILES, { formats: ['ndjson', 'csv'] });
});
bulk.after(({ gateway }) => gateway.stop());

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

bulk('are zips with a name, an ETag and parts, for Pro keys of every build', async ({ gateway }) => {
  const { pro } = gateway.keys;
  const whole = await get(gateway, '/api/saga/snapshot/1.0?format=ndjson', pro, {
    'Accept-Encoding': 'br, gzip',
  });
  assert.is(whole.status, 200, whole.text);
  const header = (name: string) => whole.headers.get(name);
  assert.equal(['content-type', 'content-encoding', 'content-disposition', 'game-build'].map(header), [
    'application/zip',
    null,
    'attachment; filename="saga-1.0.ndjson.zip"',
    '1.0',
  ]);
  const files = unzipSync(whole.bytes);
  assert.is(strFromU8(files['characters.ndjson'] ?? new Uint8Array()), '{"id":"ann","name":"Ann"}\n');
  const part = await get(gateway, '/api/saga/snapshot/1.0?format=ndjson', pro, { Range: 'bytes=0-3' });
  assert.equal([part.status, part.text], [206, 'PK\u0003\u0004']);
  const known = { 'If-None-Match': header('etag') ?? '' };
  assert.is((await get(gateway, '/api/saga/snapshot/1.0?format=ndjson', pro, known)).status, 304);
  const newest = await get(gateway, '/api/saga/bulk?format=csv', pro);
  assert.is(newest.headers.get('game-build'), '1.1');
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', pro)).status, 200);
});

bulk('have a signed address that needs no key', async ({ gateway }) => {
  const link = (await gateway.ask('/api/saga/snapshot/latest?via=link&format=csv')).json<{
    url: string;
    bytes: number;
  }>();
  const download = await get(gateway, link.url, null);
  assert.equal([download.status, download.bytes.length], [200, link.bytes]);
  assert.is(download.headers.get('content-type'), 'application/zip');
  assert.ok('characters.csv' in unzipSync(download.bytes));
});

bulk('are one in a UTC day for a free account, of the build that it may see', async ({ gateway }) => {
  const { free } = gateway.keys;
  assert.equal((await gateway.ask('/api/saga/snapshot/1.0?format=csv', { key: free })).status, 403);
  const first = await get(gateway, '/api/saga/bulk?format=ndjson', free);
  assert.equal([first.status, first.headers.get('game-build')], [200, '1.0']);
  const texts = Object.values(unzipSync(first.bytes)).map((file) => strFromU8(file));
  assert.not.match(texts.join(), /fresh|1\.1/i);
  const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
  assert.is((await get(gateway, '/api/saga/bulk?format=ndjson', free, known)).status, 304);
  const second = await gateway.ask('/api/saga/bulk', { key: free });
  assert.is(second.status, 429);
  const problem = second.json<{ code: string; 'violated-policies': string[] }>();
  assert.equal([problem.code, problem['violated-policies']], ['quota-exceeded', ['bulk']]);
  assert.match(second.headers.get('retry-after') ?? '', /^\d+$/);
  // Other requests, and other accounts, are not affected; the next day it is possible again.
  assert.is((await gateway.ask('/api/saga/characters', { key: free })).status, 200);
  const other = await issueKey(gateway.store, 'free', 'other@example.org');
  const json = await gateway.ask('/api/saga/bulk', { key: other });
  assert.equal([json.status, json.json<{ build: string }>().build], [200, '1.0']);
  gateway.clock.now += 12 * 3_600_000;
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', free)).status, 200);
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

bulk('say which formats there are', async ({ gateway }) => {
  const missing = await gateway.ask('/api/saga/snapshot/1.0?format=parquet');
  assert.is(missing.status, 404);
  assert.match(missing.json<{ detail: string }>().detail, /not here as parquet, only as json, ndjson, csv;/);
  const wrong = await gateway.ask('/api/saga/bulk?format=xlsx');
  assert.is(wrong.status, 400);
  assert.match(wrong.json<{ detail: string }>().detail, /expected one of json, ndjson, csv, parquet/);
  assert.is((await gateway.ask('/api/none/bulk')).status, 404);
});

bulk.run();
