import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildEntry, Snapshot } from '../../../scripts/format/dist-format.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { BYSTANDERS, OVER_TIME } from '../../support/over-time.ts';
import { sendPlainly, type PlainResponse } from '../../support/plain-request.ts';

interface Context {
  gateway: TestGateway;
  /** Requests a snapshot with the Pro key, and does not decode it. */
  fetchFile(build: string, headers?: Record<string, string>, method?: string): Promise<PlainResponse>;
}

const snapshot = suite<Context>('snapshot');
snapshot.before(async (context) => {
  const crowd = Array.from({ length: 300 }, (_, index) => ({ id: `c${index}`, name: `Someone ${index}` }));
  const gateway = await startGateway({ ...OVER_TIME, 'saga/1.0/crowd.json': crowd });
  context.gateway = gateway;
  context.fetchFile = (build, headers = {}, method = 'GET') =>
    sendPlainly(`${gateway.address}/api/saga/snapshot/${build}`, {
      method,
      headers: { 'X-API-Key': gateway.keys.pro, ...headers },
    });
});
snapshot.after(({ gateway }) => gateway.stop());

function digestOf(bytes: Buffer): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

snapshot('is the complete build', async ({ gateway }) => {
  const { json } = await gateway.ask('/api/saga/snapshot/1.2', { key: gateway.keys.pro });
  const { datasets, ...rest } = json<Snapshot>();
  const { crowd, ...others } = datasets;
  assert.is(crowd?.length, 300);
  assert.equal(others, {
    items: [
      { id: 'i2', name: 'Two', price: 7 },
      { id: 'i3', name: 'Three' },
    ],
    pull_planner: { cost: 150, currency: 'Gem' },
  });
  assert.equal(rest, {
    game: 'saga',
    title: 'Saga',
    build: '1.2',
    released_at: '2026-03-01T00:00:00Z',
    characters: [
      { id: 'ann', name: 'Anna', rarity: 5, skills: [{ id: 's1', power: 2 }], stats: { atk: 120 } },
      { id: 'cy', name: 'Cy', title: 'the new one' },
      ...BYSTANDERS,
    ],
  });
});

const CODINGS: [string, string | undefined, (bytes: Buffer) => Buffer][] = [
  ['identity', undefined, (bytes) => bytes],
  ['gzip', 'gzip', gunzipSync],
  ['br, gzip', 'br', brotliDecompressSync],
];
for (const [accepted, coding, decode] of CODINGS) {
  snapshot(`is sent as ${coding ?? 'plain JSON'} with the headers of a download`, async ({ fetchFile }) => {
    const plain = await fetchFile('1.2');
    const { status, headers, body } = await fetchFile('1.2', { 'Accept-Encoding': accepted });
    assert.is(status, 200);
    assert.ok(decode(body).equals(plain.body));
    assert.equal(
      [headers['content-encoding'], headers['repr-digest'], headers['content-length']],
      [coding, digestOf(body), String(body.length)],
    );
    assert.equal(
      [
        headers['content-disposition'],
        headers['accept-ranges'],
        headers['game-build'],
        headers['cache-control'],
      ],
      ['attachment; filename="saga-1.2.json"', 'bytes', '1.2', 'private, no-cache'],
    );
    assert.is(headers.vary, 'X-API-Key, Accept-Encoding');
  });
}

snapshot('has a strong ETag a coding and a build, and gets a 304 for it', async ({ fetchFile }) => {
  const etags: string[] = [];
  for (const build of ['1.0', '1.2']) {
    for (const [accepted] of CODINGS) {
      const headers = { 'Accept-Encoding': accepted };
      const etag = (await fetchFile(build, headers)).headers.etag ?? '';
      assert.match(etag, /^"[^"]+"$/);
      const again = await fetchFile(build, {
        ...headers,
        'If-None-Match': `"x", ${etag}`,
        Range: 'bytes=0-1',
      });
      assert.equal([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
      etags.push(etag);
    }
  }
  assert.is(new Set(etags).size, 6);
});

snapshot('is that of the newest released build at latest', async ({ fetchFile }) => {
  const latest = await fetchFile('latest');
  assert.is(latest.headers['content-disposition'], 'attachment; filename="saga-1.3.json"');
  assert.ok(latest.body.equals((await fetchFile('1.3')).body));
});

snapshot('gets the same headers for HEAD as for GET, with any range', async ({ fetchFile }) => {
  const get = await fetchFile('1.2', { 'Accept-Encoding': 'gzip' });
  const head = await fetchFile('1.2', { 'Accept-Encoding': 'gzip', Range: 'bytes=0-1' }, 'HEAD');
  assert.equal([head.status, head.body.length], [200, 0]);
  for (const name of ['content-length', 'etag', 'repr-digest', 'content-encoding', 'content-type'])
    assert.is(head.headers[name], get.headers[name]);
});

/** The part that is sent of a file of `size` bytes. */
const RANGES: [string, (size: number) => [start: number, end: number]][] = [
  ['bytes=0-0', () => [0, 0]],
  ['bytes=10-99', () => [10, 99]],
  ['bytes=10-', (size) => [10, size - 1]],
  ['bytes=-7', (size) => [size - 7, size - 1]],
  ['bytes=-99999999', (size) => [0, size - 1]],
  ['bytes=5-99999999', (size) => [5, size - 1]],
  ['Bytes=0-4', () => [0, 4]],
];
for (const [range, expected] of RANGES) {
  snapshot(`sends the part ${range} of the encoded bytes`, async ({ fetchFile }) => {
    for (const [accepted] of CODINGS) {
      const whole = await fetchFile('1.2', { 'Accept-Encoding': accepted });
      const part = await fetchFile('1.2', { 'Accept-Encoding': accepted, Range: range });
      const size = whole.body.length;
      const [start, end] = expected(size);
      assert.equal([part.status, part.headers['content-range']], [206, `bytes ${start}-${end}/${size}`]);
      assert.ok(part.body.equals(whole.body.subarray(start, end + 1)));
      for (const name of ['etag', 'repr-digest', 'content-encoding', 'content-disposition'])
        assert.is(part.headers[name], whole.headers[name]);
    }
  });
}

for (const range of ['bytes=99999999-', 'bytes=-0', 'bytes=99999999-100000000']) {
  snapshot(`refuses ${range}, and reports the size`, async ({ gateway, fetchFile }) => {
    const { body } = await fetchFile('1.2');
    const { status, headers, json } = await gateway.ask('/api/saga/snapshot/1.2', {
      key: gateway.keys.pro,
      headers: { range, 'accept-encoding': 'identity' },
    });
    assert.equal(
      [status, headers.get('content-range'), json<{ code: string }>().code],
      [416, `bytes */${body.length}`, 'range-not-satisfiable'],
    );
  });
}

for (const range of ['bytes=5-1', 'bytes=-', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b', '']) {
  snapshot(`sends the whole file for ${JSON.stringify(range)}`, async ({ fetchFile }) => {
    assert.is((await fetchFile('1.2', { Range: range })).status, 200);
  });
}

snapshot('sends a part only if If-Range names the current bytes', async ({ fetchFile }) => {
  const etag = (await fetchFile('1.2')).headers.etag ?? '';
  const status = async (given: string) =>
    (await fetchFile('1.2', { Range: 'bytes=0-1', 'If-Range': given })).status;
  assert.is(await status(etag), 206);
  for (const other of [`W/${etag}`, '"other"', 'Sun, 01 Mar 2026 00:00:00 GMT']) {
    assert.is(await status(other), 200, other);
  }
});

const UNKNOWN: [string, string, RegExp][] = [
  ['saga/snapshot/1.4', 'unknown-build', /did you mean "1\.3"/],
  ['saga/snapshot/latets', 'unknown-build', /did you mean "latest"/],
  ['saga/snapshot/2.0', 'unknown-build', /no build "2\.0" \(did you mean "1\.0"\?\)/],
  ['saga/snapshot/..%2F1.2', 'unknown-build', /no build/],
  ['saga/snapshot/__proto__', 'unknown-build', /no build/],
  ['sago/snapshot/1.2', 'unknown-game', /did you mean "saga"/],
  ['saga/snapshot/1.2?via=post', 'invalid-parameter', /via is "post", expected link/],
];
for (const [target, code, detail] of UNKNOWN) {
  snapshot(`${target} is ${code}`, async ({ gateway }) => {
    const { json } = await gateway.ask(`/api/${target}`, { key: gateway.keys.pro });
    const problem = json<{ code: string; detail: string }>();
    assert.is(problem.code, code);
    assert.match(problem.detail, detail);
  });
}

snapshot(
  'that cannot be read is a 503 until it can be read, and is logged',
  async ({ gateway, fetchFile }) => {
    const folder = path.join(gateway.dist, 'saga');
    const files = (await readdir(folder)).filter((file) => file.startsWith('snapshot.'));
    const move = async (from: string, to: string) => {
      for (const file of files) await rename(path.join(folder, file + from), path.join(folder, file + to));
    };
    await move('', '.away');
    gateway.logged.length = 0;
    try {
      for (const coding of ['identity', 'gzip', 'br']) {
        const { status, headers, json, text } = await gateway.ask('/api/saga/snapshot/1.2', {
          key: gateway.keys.pro,
          headers: { 'accept-encoding': coding },
        });
        assert.equal(
          [status, headers.get('retry-after'), json<{ code: string }>().code],
          [503, '5', 'unavailable'],
        );
        assert.not.match(text, /snapshot\.|ENOENT/);
      }
      assert.match(
        gateway.logged.join('\n'),
        /a file of dist cannot be read.*snapshot\S+ is missing: run gamedata build/,
      );
    } finally {
      await move('.away', '');
    }
    assert.is((await fetchFile('1.2')).status, 200);
  },
);

snapshot(
  'has the bytes that the manifest names, and lies on disk in compressed form only',
  async ({ gateway, fetchFile }) => {
    const files = await readdir(path.join(gateway.dist, 'saga'));
    const [game] = gateway.follower.catalog.loaded;
    const entry = game?.builds.find(({ build }) => build === '1.0');
    const { snapshot: refs } = entry as BuildEntry;
    for (const [at, { file, sha256, bytes }] of [refs, refs.gzip, refs.brotli].entries()) {
      const { body } = await fetchFile('1.0', { 'Accept-Encoding': CODINGS[at]?.[0] ?? '' });
      assert.equal([createHash('sha256').update(body).digest('hex'), body.length], [sha256, bytes]);
      assert.is(files.includes(path.basename(file)), at > 0);
    }
  },
);

snapshot.run();
