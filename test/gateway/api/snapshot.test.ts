import { createHash } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { type PlainResponse, sendPlainly } from '../../support/plain-request.ts';
import { until } from '../../support/until.ts';

interface Context {
  gateway: TestGateway;
  /** Requests a snapshot with the Pro key, and does not decode it. */
  fetchFile(build: string, headers?: Record<string, string>, method?: string): Promise<PlainResponse>;
  /** The signed link of a snapshot. */
  requestLink(build: string): Promise<{ url: string; expires_at: string; bytes: number; sha256: string }>;
}

const MINUTE = 60_000;

const snapshot = suite<Context>('snapshots, and links to them');
snapshot.before(async (context) => {
  const crowd = Array.from({ length: 300 }, (_, index) => ({ id: `c${index}`, name: `Someone ${index}` }));
  const gateway = await startGateway({ ...OVER_TIME, 'saga/1.0/crowd.json': crowd });
  context.gateway = gateway;
  context.fetchFile = (build, headers = {}, method = 'GET') =>
    sendPlainly(`${gateway.address}/api/saga/snapshot/${build}`, {
      method,
      headers: { 'X-API-Key': gateway.keys.pro, ...headers },
    });
  context.requestLink = async (build) => (await gateway.ask(`/api/saga/snapshot/${build}?via=link`)).json();
});
snapshot.after.each(({ gateway }) => {
  gateway.clock.now = NOON;
});

const sha256 = (bytes: Buffer, form: 'hex' | 'base64') => createHash('sha256').update(bytes).digest(form);
const CODINGS: [string, string | undefined, (bytes: Buffer) => Buffer][] = [
  ['identity', undefined, (bytes) => bytes],
  ['gzip', 'gzip', gunzipSync],
  ['br, gzip', 'br', brotliDecompressSync],
];

for (const [accepted, coding, decode] of CODINGS)
  snapshot(
    `have the bytes that history and a link name, in parts and by a link too, as ${coding ?? 'plain JSON'}`,
    async ({ gateway, fetchFile, requestLink }) => {
      const coded = { 'Accept-Encoding': accepted };
      const { status, headers, body } = await fetchFile('1.2', coded);
      assert.is(status, 200);
      assert.equal(
        [headers['content-encoding'], headers['repr-digest'], headers['content-length']],
        [coding, `sha-256=:${sha256(body, 'base64')}:`, String(body.length)],
      );
      const plain = decode(body);
      const { builds } = (await gateway.ask('/api/saga/history?build=1.2')).json<{
        builds: { snapshot: object }[];
      }>();
      const named = { bytes: plain.length, sha256: sha256(plain, 'hex') };
      assert.equal(builds[0]?.snapshot, named);
      const { url, expires_at, ...linked } = await requestLink('1.2');
      assert.equal([linked, expires_at], [named, new Date(NOON + 10 * MINUTE).toISOString()]);

      const byLink = (further: object = {}, method = 'GET') =>
        sendPlainly(gateway.address + url, { method, headers: { ...coded, ...further } });
      const part = { Range: 'bytes=10-99' };
      for (const response of [await fetchFile('1.2', { ...coded, ...part }), await byLink(part)]) {
        assert.equal(
          [response.status, response.headers['content-range']],
          [206, `bytes 10-99/${body.length}`],
        );
        assert.ok(response.body.equals(body.subarray(10, 100)));
        assert.is(response.headers.etag, headers.etag);
      }
      assert.ok((await byLink()).body.equals(body));
      assert.is((await byLink({ 'If-None-Match': headers.etag })).status, 304);
      const head = await byLink({}, 'HEAD');
      for (const name of ['content-length', 'etag', 'repr-digest', 'content-disposition', 'content-type'])
        assert.is(head.headers[name], headers[name], name);
    },
  );

snapshot(
  'that cannot be read are a 503 until they can be read, which is logged',
  async ({ gateway, fetchFile }) => {
    const folder = path.join(gateway.dist, 'saga');
    const files = (await readdir(folder)).filter((file) => /^(snapshot|characters|diff)\./.test(file));
    const move = async (from: string, to: string) => {
      for (const file of files) await rename(path.join(folder, file + from), path.join(folder, file + to));
    };
    const TARGETS = ['snapshot/1.2', 'diff?from=1.0&to=1.1', 'diff?from=1.1&to=1.0'];
    await move('', '.away');
    gateway.logged.length = 0;
    try {
      for (const coding of ['identity', 'gzip', 'br'])
        for (const target of TARGETS) {
          const response = await gateway.ask(`/api/saga/${target}`, {
            headers: { 'accept-encoding': coding },
          });
          const { code } = response.json<{ code: string }>();
          assert.equal(
            [response.status, response.headers.get('retry-after'), code],
            [503, '5', 'unavailable'],
          );
          assert.not.match(response.text, /(snapshot|characters|diff)\.|ENOENT/);
        }
      const logged = gateway.logged.join('\n');
      assert.match(
        logged,
        /a file of dist cannot be read.*no \S+snapshot\S+, to which index\.json leads: run gamedata build/,
      );
    } finally {
      await move('.away', '');
    }
    assert.is((await fetchFile('1.2')).status, 200);
    for (const target of TARGETS) assert.is((await gateway.ask(`/api/saga/${target}`)).status, 200, target);
  },
);

snapshot(
  'with a damaged byte are a 503 and are reported, until they are replaced',
  async ({ gateway, fetchFile }) => {
    const folder = path.join(gateway.dist, 'saga');
    const names = (await readdir(folder)).filter((file) => /^snapshot\S+gz$/.test(file));
    const good = await Promise.all(names.map((name) => readFile(path.join(folder, name))));
    const replace = async (change: (byte: number) => number) => {
      for (const [at, name] of names.entries()) {
        const bytes = Buffer.from(good[at] as Buffer);
        bytes[3] = change(bytes.readUInt8(3));
        await writeFile(path.join(folder, `${name}.new`), bytes);
        await rename(path.join(folder, `${name}.new`), path.join(folder, name));
      }
    };
    const statusOf = async () => (await fetchFile('1.2', { 'Accept-Encoding': 'gzip' })).status;
    await replace((byte) => byte ^ 1);
    assert.equal([await statusOf(), await statusOf()], [503, 503]);
    const damage = /snapshot\S+ is damaged \(its SHA-256 differs\): delete it and run gamedata build$/;
    const isReported = () => gateway.follower.degraded.some(({ problem }) => damage.test(problem));
    await until(isReported);
    await replace((byte) => byte);
    await until(async () => (await statusOf()) === 200 && !isReported());
  },
);

snapshot('have links that are valid for exactly ten minutes', async ({ gateway, requestLink }) => {
  const { url } = await requestLink('1.2');
  gateway.clock.now = NOON + 10 * MINUTE - 1;
  assert.is((await gateway.ask(url, { key: null })).status, 200);
  gateway.clock.now = NOON + 10 * MINUTE;
  const { status, text } = await gateway.ask(url, { key: null });
  assert.is(status, 403);
  assert.match(text, /has expired; request the snapshot with via=link again/);
});

snapshot('have links that are refused if any part of them was changed', async ({ gateway, requestLink }) => {
  const { url } = await requestLink('1.2');
  const [path = '', query = ''] = url.split('?');
  const [otherPath = ''] = (await requestLink('1.0')).url.split('?');
  const { searchParams } = new URL(url, gateway.address);
  const [expires, signature] = [Number(searchParams.get('expires')), searchParams.get('signature') ?? ''];
  const altered = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  const WRONG = [
    `${otherPath}?${query}`,
    `${path}?expires=${expires + 1}&signature=${signature}`,
    `${path}?expires=${expires}&signature=${altered}`,
    `${path}?expires=${expires}&signature=${signature.slice(0, -1)}`,
    `${path}?expires=${expires}`,
    path,
    `${path.replace(/snapshot\.\w+/, 'roster')}?${query}`,
    `/files/saga/index.json?${query}`,
  ];
  for (const wrong of WRONG) {
    const { status, headers, body } = await sendPlainly(gateway.address + wrong);
    const { code } = JSON.parse(body.toString()) as { code: string };
    assert.equal([status, code, headers.etag], [403, 'invalid-link', undefined], wrong);
  }
  for (const folder of ['/files', '/files/', '/files/saga', '/files/saga/', '/files/index.json'])
    assert.is((await gateway.ask(folder, { key: null })).status, 404, folder);
});

snapshot.run();
