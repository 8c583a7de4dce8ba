import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BULK_FORMATS } from '../../../scripts/format/dist-format.ts';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import type { Files } from '../../support/fixtures.ts';
import { type NginxServer, startNginx } from '../../support/nginx-server.ts';
import { type PlainResponse, sendPlainly } from '../../support/plain-request.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';

const HOUR_MS = 3_600_000;
/** A game whose second build only Pro keys see. */
const FILES: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': [{ id: 'ann', name: 'Ann', text: 'text '.repeat(500) }],
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.1/build.json': { released_at: new Date(Date.now() - HOUR_MS).toISOString() },
  'saga/1.1/characters.json': [
    { id: 'ann', name: 'Ann', text: 'text '.repeat(500) },
    { id: 'fresh', name: 'Freshling' },
  ],
};

interface Context {
  folder: string;
  dist: string;
  options: string[];
  started: Running[];
  nginx: NginxServer;
  /** A gateway that sends files itself. */
  plain: string;
  /** The gateway behind the nginx, which hands files over. */
  handing: string;
}

const files = suite<Context>('files that nginx sends for a gateway');

async function serve({ options, started }: Context, args: string[]): Promise<string> {
  const gateway = startCommand('gateway', ['serve', ...options, ...args]);
  started.push(gateway);
  return (await gateway.printed(/"address":"(http:[^"]+)"/))[1] as string;
}

/** Issues a key for an account of its own. */
async function issueKey({ folder }: Context, name: string, tier: 'free' | 'pro'): Promise<string> {
  const store = path.join(folder, 'store');
  const args = ['keys', 'issue', `${name}@example.org`, '--tier', tier, '--json', '--store', store];
  return (JSON.parse((await runInProcess('gateway', args)).stdout) as { key: string }).key;
}

files.before(async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'hand-over-'));
  const dist = path.join(folder, 'dist');
  await buildGames(FILES, dist, BULK_FORMATS);
  const options = ['--port', '0', '--dist', dist, '--store', path.join(folder, 'store')];
  Object.assign(context, { folder, dist, options, started: [] });
  context.plain = await serve(context, ['--trusted-proxy', '1']);
  context.handing = await serve(context, ['--trusted-proxy', '1', '--accel-redirect', '/dist/']);
  const host = new URL(context.handing).host;
  context.nginx = await startNginx('files', {
    '127.0.0.1:3000': host,
    '/srv/gateway/dist/;': `${dist}/;`,
  });
});
files.after(async ({ folder, nginx, started }) => {
  await nginx.remove();
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  await rm(folder, { recursive: true });
});

const register = withPrograms(files, 'nginx');

/** What differs in every response, or belongs to its connection. */
const OWN = ['connection', 'date', 'keep-alive', 'server', 'transfer-encoding', 'x-request-id'];

/** What has to be the same of two responses. */
function describe({ status, headers, body }: PlainResponse) {
  const fields = Object.entries(headers).filter(([name]) => !OWN.includes(name));
  return { status, headers: Object.fromEntries(fields.sort()), body: body.toString('base64') };
}

/** Sends the same request to the nginx and to the gateway that sends files itself, and compares the responses. */
async function askBoth(
  { nginx, plain }: Context,
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<PlainResponse> {
  const response = await sendPlainly(nginx.address + target, { method, headers });
  const expected = await sendPlainly(plain + target, { method, headers });
  assert.equal(describe(response), describe(expected), `${method} ${target} ${JSON.stringify(headers)}`);
  assert.match(response.headers['x-request-id'] ?? '', /^[\w-]{8,}$/);
  return response;
}

const SNAPSHOT = '/api/saga/snapshot/latest';
const CODINGS = ['br', 'gzip', 'identity'];

register('have the bytes and the head that the gateway sends', async (context) => {
  const key = await issueKey(context, 'whole', 'pro');
  const link = await sendPlainly(`${context.plain + SNAPSHOT}?via=link`, { headers: { 'X-API-Key': key } });
  const { url } = JSON.parse(String(link.body)) as { url: string };
  const formats = BULK_FORMATS.map((format) => `${SNAPSHOT}?format=${format}`);
  const handed: string[] = [];
  for (const target of [SNAPSHOT, '/api/saga/snapshot/1.0', url, ...formats]) {
    for (const coding of CODINGS) {
      const headers = { 'X-API-Key': key, 'Accept-Encoding': coding };
      const { status, body } = await askBoth(context, target, headers);
      assert.is(status, 200);
      assert.ok(body.length > 0);
      const head = await sendPlainly(context.handing + target, { headers });
      const file = head.headers['x-accel-redirect'];
      if (file === undefined) continue;
      assert.equal([head.status, head.body.length], [200, 0]);
      assert.ok(body.equals(await readFile(path.join(context.dist, file.replace('/dist/', '')))));
      handed.push(`${target.split('?')[0]} ${coding}`);
    }
  }
  // Of JSON, NDJSON, CSV and SQLite there are only compressed files.
  assert.ok(handed.includes(`${SNAPSHOT} br`) && handed.includes(`${url.split('?')[0]} gzip`));
  assert.not(handed.includes('/api/saga/snapshot/1.0 identity'));
});

register('are judged by the gateway: what the client has, and parts', async (context) => {
  const key = await issueKey(context, 'parts', 'pro');
  const all = { 'X-API-Key': key, 'Accept-Encoding': 'br' };
  const etag = (await askBoth(context, SNAPSHOT, all)).headers.etag as string;
  const later = new Date(Date.now() + HOUR_MS).toUTCString();
  const EXPECTED: [number, Record<string, string>, method?: string][] = [
    [304, { 'If-None-Match': etag }],
    [200, { 'If-None-Match': '"other"', 'If-Modified-Since': later }],
    [206, { Range: 'bytes=5-9' }],
    [206, { Range: 'bytes=-5', 'If-Range': etag }],
    [200, { Range: 'bytes=5-9', 'If-Range': '"other"' }],
    [200, { Range: 'bytes=0-1,4-5' }],
    [416, { Range: 'bytes=99999999-' }],
    [200, {}, 'HEAD'],
  ];
  for (const [status, headers, method] of EXPECTED) {
    const response = await askBoth(context, SNAPSHOT, { ...all, ...headers }, method);
    assert.is(response.status, status, JSON.stringify(headers));
  }
});

register('cannot be requested at the location itself', async (context) => {
  const key = await issueKey(context, 'outside', 'pro');
  const names = await readdir(path.join(context.dist, 'saga'));
  const targets = ['/dist/', '/dist/index.json', '/x/../dist/index.json', '//dist/index.json'];
  const encoded = names.map((name) => `/%64ist/saga/${name}`);
  for (const target of [...targets, ...encoded, ...names.map((name) => `/dist/saga/${name}`)]) {
    const { status } = await sendPlainly(context.nginx.address + target, { headers: { 'X-API-Key': key } });
    assert.is(status, 404, target);
  }
});

files('are handed only to a trusted proxy, at a plain path', async (context) => {
  const WRONG: [RegExp, string[]][] = [
    [/needs --trusted-proxy/, ['--accel-redirect', '/dist/']],
    [/begins and ends with a slash/, ['--accel-redirect', 'dist/', '--trusted-proxy', '1']],
    [/begins and ends with a slash/, ['--accel-redirect', '/a/../b/', '--trusted-proxy', '1']],
    [/begins and ends with a slash/, ['--accel-redirect', '/d%20/', '--trusted-proxy', '1']],
  ];
  for (const [message, args] of WRONG) {
    const { code, stderr } = await runInProcess('gateway', ['serve', ...context.options, ...args]);
    assert.match(stderr, message);
    assert.is(code, 2);
  }
  const direct = await serve(context, ['--accel-redirect', '/dist/', '--trusted-proxy', '192.0.2.1']);
  const headers = { 'X-API-Key': await issueKey(context, 'direct', 'pro'), 'Accept-Encoding': 'br' };
  const { status, headers: fields, body } = await sendPlainly(direct + SNAPSHOT, { headers });
  assert.equal(
    [status, fields['x-accel-redirect'], body.length],
    [200, undefined, Number(fields['content-length'])],
  );
  assert.ok(body.length > 0);
});

files.run();
