import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { BYSTANDERS, OVER_TIME } from '../../support/over-time.ts';
import { sendPlainly } from '../../support/plain-request.ts';

interface Link {
  url: string;
  expires_at: string;
  bytes: number;
  sha256: string;
}

interface Context {
  gateway: TestGateway;
  requestLink(build: string): Promise<Link>;
}

const MINUTE = 60_000;

const links = suite<Context>('links of a snapshot');
links.before.each(async (context) => {
  const gateway = await startGateway({ ...OVER_TIME, 'saga/1.0/crowd.json': BYSTANDERS });
  context.gateway = gateway;
  context.requestLink = async (build) =>
    (await gateway.ask(`/api/saga/snapshot/${build}?via=link`)).json<Link>();
});
links.after.each(({ gateway }) => gateway.stop());

links('lead to the same bytes without a key, in every coding', async ({ gateway, requestLink }) => {
  const { url, expires_at, bytes, sha256 } = await requestLink('1.2');
  assert.is(expires_at, new Date(NOON + 10 * MINUTE).toISOString());
  const codings: [string, (body: Buffer) => Buffer][] = [
    ['identity', (body) => body],
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ];
  for (const [coding, decode] of codings) {
    const headers = { 'Accept-Encoding': coding };
    const byLink = await sendPlainly(gateway.address + url, { headers });
    const byKey = await sendPlainly(`${gateway.address}/api/saga/snapshot/1.2`, {
      headers: { ...headers, 'X-API-Key': gateway.keys.pro },
    });
    assert.is(byLink.status, 200);
    assert.ok(byLink.body.equals(byKey.body));
    for (const name of ['etag', 'repr-digest', 'content-encoding', 'content-disposition', 'content-type'])
      assert.is(byLink.headers[name], byKey.headers[name], name);
    const plain = decode(byLink.body);
    assert.equal([plain.length, createHash('sha256').update(plain).digest('hex')], [bytes, sha256]);
  }
});

links('support ranges, ETags and HEAD', async ({ gateway, requestLink }) => {
  const { url, bytes } = await requestLink('latest');
  const ask = (headers: Record<string, string>, method = 'GET') =>
    sendPlainly(gateway.address + url, { headers, method });
  const whole = await ask({});
  const part = await ask({ Range: 'bytes=10-19' });
  assert.equal([part.status, part.headers['content-range']], [206, `bytes 10-19/${bytes}`]);
  assert.ok(part.body.equals(whole.body.subarray(10, 20)));
  assert.is((await ask({ 'If-None-Match': whole.headers.etag ?? '' })).status, 304);
  const head = await ask({}, 'HEAD');
  assert.equal([head.status, head.body.length, head.headers.etag], [200, 0, whole.headers.etag]);
});

links('are not cached, and are not redirects', async ({ gateway }) => {
  const { status, headers } = await gateway.ask('/api/saga/snapshot/1.2?via=link');
  assert.equal(
    [status, headers.get('cache-control'), headers.get('etag'), headers.get('game-build')],
    [200, 'no-store', null, '1.2'],
  );
});

links('are valid for exactly ten minutes', async ({ gateway, requestLink }) => {
  const { url } = await requestLink('1.2');
  gateway.clock.now = NOON + 10 * MINUTE - 1;
  assert.is((await gateway.ask(url, { key: null })).status, 200);
  gateway.clock.now = NOON + 10 * MINUTE;
  const { status, json } = await gateway.ask(url, { key: null });
  const { code, detail } = json<{ code: string; detail: string }>();
  assert.equal([status, code], [403, 'invalid-link']);
  assert.match(detail, /has expired; request the snapshot with via=link again/);
});

links('are refused if any part of them was changed', async ({ gateway, requestLink }) => {
  const { url } = await requestLink('1.2');
  const other = await requestLink('1.0');
  const [path = '', query = ''] = url.split('?');
  const [otherPath = ''] = other.url.split('?');
  const { searchParams } = new URL(url, gateway.address);
  const expires = Number(searchParams.get('expires'));
  const signature = searchParams.get('signature') ?? '';
  const altered = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  const WRONG = [
    `${otherPath}?${query}`,
    `${path}?expires=${expires + 1}&signature=${signature}`,
    `${path}?expires=0${expires}&signature=${signature}`,
    `${path}?expires=${expires}&signature=${altered}`,
    `${path}?expires=${expires}&signature=${signature.slice(0, -1)}`,
    `${path}?expires=${expires}&expires=${expires + 9}&signature=${signature}`,
    `${path}?expires=${expires}&signature=`,
    `${path}?expires=&signature=${signature}`,
    `${path}?expires=${expires}`,
    path,
    `${path.replace(/snapshot\.\w+/, 'roster')}?${query}`,
    `/files/saga/index.json?${query}`,
    `/files/saga/..%2findex.json?${query}`,
  ];
  for (const wrong of WRONG) {
    const { status, headers, body } = await sendPlainly(gateway.address + wrong);
    const { code } = JSON.parse(body.toString()) as { code: string };
    assert.equal([status, code, headers.etag], [403, 'invalid-link', undefined], wrong);
  }
  for (const folder of ['/files', '/files/', '/files/saga', '/files/saga/', '/files/index.json'])
    assert.is((await gateway.ask(folder, { key: null })).status, 404, folder);
});

links('of another gateway, with another secret, are refused', async ({ gateway, requestLink }) => {
  const { url } = await requestLink('1.2');
  const other = await startGateway(OVER_TIME);
  try {
    assert.is((await sendPlainly(gateway.address + url)).status, 200);
    assert.is((await sendPlainly(other.address + url)).status, 403);
  } finally {
    await other.stop();
  }
});

links('exist only for builds that Pro sees and for Pro keys', async ({ gateway }) => {
  const ask = async (target: string, key = gateway.keys.pro) => {
    const { status, json } = await gateway.ask(target, { key });
    return [status, json<{ code: string }>().code];
  };
  assert.equal(await ask('/api/saga/snapshot/2.0?via=link'), [404, 'unknown-build']);
  assert.equal(await ask('/api/saga/snapshot/1.2?via=link', gateway.keys.free), [403, 'pro-only']);
  for (const via of ['via=', 'via=file', 'via=link&via=x'])
    assert.equal(await ask(`/api/saga/snapshot/1.2?${via}`), [400, 'invalid-parameter'], via);
});

links('lead to a build that free keys do not see yet', async ({ gateway, requestLink }) => {
  gateway.clock.now = Date.parse('2026-07-01T00:00:00Z');
  const { url, sha256 } = await requestLink('2.0');
  const { status, body } = await sendPlainly(gateway.address + url);
  assert.equal([status, createHash('sha256').update(body).digest('hex')], [200, sha256]);
});

links('are logged without their signatures', async ({ gateway, requestLink }) => {
  const { url } = await requestLink('1.2');
  await gateway.ask(url, { key: null });
  const signature = /signature=(.*)/.exec(url)?.[1] ?? '';
  assert.is(signature.length, 43);
  const logged = gateway.logged.join('\n');
  assert.match(logged, /"path":"\/files\/saga\/snapshot\./);
  assert.not.match(logged, signature);
});

links.run();
