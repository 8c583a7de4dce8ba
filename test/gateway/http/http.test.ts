import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import { MAX_FAILED } from '../../../gateway/access/attempts.ts';
import { readBody } from '../../../gateway/http/html.ts';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import type { HttpProblem } from '../../../gateway/http/problem.ts';
import { ASSETS_FOLDER } from '../../../gateway/site/files.ts';
import { assetPath } from '../../../gateway/site/layout.ts';
import { countOpen } from '../../support/count-open.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { sendRaw } from '../../support/send-raw.ts';
import { until } from '../../support/until.ts';

const http = suite<{ gateway: TestGateway }>('http');
http.before(async (context) => {
  const crowd = Array.from({ length: 200 }, (_, index) => ({ id: `c${index}`, name: `Character ${index}` }));
  const { clientAddress } = readTrustedProxies('1');
  context.gateway = await startGateway(
    { ...SAMPLE_GAMES, 'tiny-game/1/crowd.json': crowd },
    { clientAddress },
  );
});

const ROSTER = '/api/star-rail/characters';

http(
  'refuses a request without a key, on every address under /api, and says how to send one',
  async ({ gateway }) => {
    for (const path of [
      '/api/games',
      ROSTER,
      `${ROSTER}/unit-1`,
      '/api/me',
      '/api/nothing/at/all',
      '/API/games',
      '/Api/star-rail/characters/',
    ]) {
      const { status, headers, json } = await gateway.ask(path, { key: null });
      assert.equal([status, json<{ code: string }>().code], [401, 'missing-key'], path);
      assert.match(headers.get('www-authenticate') ?? '', /^ApiKey /);
    }
  },
);

http('refuses a parameter whose name is too long before anything parses it', async ({ gateway }) => {
  for (const name of ['.'.repeat(8000), '['.repeat(4000) + '.'.repeat(4000), 'a'.repeat(201)]) {
    const { status, text, json } = await gateway.ask(`${ROSTER}?${name}=1`);
    assert.equal([status, json<{ parameter: string }>().parameter], [400, 'query']);
    assert.match(json<{ detail: string }>().detail, /expected at most 200$/);
    assert.ok(text.length < 500, 'the response repeats the name');
  }
  const { json } = await gateway.ask(`${ROSTER}?${'a'.repeat(200)}=1`);
  assert.match(json<{ detail: string }>().detail, /is neither a parameter nor a facet/);
});

http('does not read an Accept header that no client sends', async ({ gateway }) => {
  const accept = (filler: string) => `text/html${filler.repeat(8)}`;
  for (const [header, type] of [
    [accept(','), 'text/html; charset=utf-8'],
    [accept(','.repeat(1000)), 'application/problem+json'],
  ] as const) {
    const { headers } = await sendPlainly(`${gateway.address}/nothing`, { headers: { accept: header } });
    assert.is(headers['content-type'], type);
  }
});

http('refuses a mistyped key and repeats none of it, and refuses two keys', async ({ gateway }) => {
  const good = gateway.keys.pro;
  const mistyped = good.slice(0, 20) + (good[20] === 'a' ? 'b' : 'a') + good.slice(21);
  for (const key of [good.toUpperCase(), `${good}a`, mistyped, `${good}, ${good}`, 'g'.repeat(5000)]) {
    const { status, text } = await gateway.ask(ROSTER, { key });
    assert.is(status, 401);
    assert.not.ok(text.includes(key.slice(0, 30)));
  }
  const { free, pro } = gateway.keys;
  const { status, body } = await sendPlainly(`${gateway.address}/api/games`, {
    headers: { 'X-API-Key': [free, pro] },
  });
  assert.equal([status, JSON.parse(body.toString()).code], [401, 'invalid-key']);
});

/** Waits until the access log has this many lines for a path. They are written after the responses. */
async function logged(gateway: TestGateway, path: string, count: number): Promise<Record<string, unknown>[]> {
  for (;;) {
    const all = gateway.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    const lines = all.filter((line) => line.path === path);
    if (lines.length >= count) return lines;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

http('logs each response with only the prefix of the key', async ({ gateway }) => {
  const path = '/api/star-rail/characters/nobody-else-asks-for-it';
  await gateway.ask(`${path}?q=hu`);
  await gateway.ask(path, { key: `${gateway.keys.pro.slice(0, -1)}1` });
  const lines = await logged(gateway, path, 2);
  assert.equal(
    lines.map(({ method, status, key }) => [method, status, key]),
    [
      ['GET', 400, gateway.keys.pro.slice(0, 12)],
      ['GET', 401, undefined],
    ],
  );
  assert.not.ok(gateway.logged.join().includes(gateway.keys.pro.slice(0, 13)));
});

http(
  'logs of each answer how many bytes it has, also when its request was pipelined',
  async ({ gateway }) => {
    const path = '/api/tiny-game/nobody-else-asks-for-this';
    const send = (query: string, further = '') =>
      `GET ${path}?q=${query} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\n${further}\r\n`;
    const response = await sendRaw(
      gateway,
      send('a') + send('b', 'A: b\r\n') + send('c', 'Connection: close\r\n'),
    );
    const lengths = response.split(/(?=HTTP\/1.1 404 )/).map((text) => Buffer.byteLength(text));
    assert.is(lengths.length, 3);
    assert.equal(
      (await logged(gateway, path, 3)).map(({ bytes }) => bytes),
      lengths,
    );
  },
);

http(
  'closes the connection at bytes that are not HTTP, after the responses to the valid requests before them',
  async ({ gateway }) => {
    const good = `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`;
    const response = await sendRaw(gateway, `${good}${good}garbage\r\n\r\n`);
    assert.equal(response.match(/HTTP\/1.1 ... /g), ['HTTP/1.1 200 ', 'HTTP/1.1 200 ', 'HTTP/1.1 400 ']);
  },
);

http('compresses to the same content, and to the same bytes each time', async ({ gateway }) => {
  const ask = (coding: string) =>
    sendPlainly(`${gateway.address}/api/tiny-game/crowd`, {
      headers: { 'X-API-Key': gateway.keys.pro, 'Accept-Encoding': coding },
    });
  const plain = await ask('identity');
  for (const [accepted, coding, decode] of [
    ['br;q=0.1, gzip;q=0.9', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['deflate', undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const [first, second] = [await ask(accepted), await ask(accepted)];
    assert.equal([first.headers['content-encoding'], second.headers['content-encoding']], [coding, coding]);
    assert.ok(first.body.equals(second.body));
    assert.ok(decode(first.body).equals(plain.body));
    if (coding) assert.ok(first.body.length < plain.body.length / 2);
  }
});

http('leaves the rest of a body that is too long to the server, which ends it if it is late', async () => {
  const request = Object.assign(Readable.from([Buffer.alloc(5)]), { headers: {} });
  const refused = await readBody(request as unknown as IncomingMessage, 4).catch(
    (error: HttpProblem) => error,
  );
  assert.equal([(refused as HttpProblem).status, request.listenerCount('error')], [413, 0]);
});

http('refuses a body', async ({ gateway }) => {
  const chunked = { 'X-API-Key': gateway.keys.pro, 'Transfer-Encoding': 'chunked' };
  const sized = { 'X-API-Key': gateway.keys.pro, 'Content-Length': '2' };
  for (const headers of [chunked, sized]) {
    const { status, body } = await sendPlainly(gateway.address + ROSTER, { headers, body: '{}' });
    assert.equal([status, JSON.parse(body.toString()).parameter], [400, 'body']);
  }
});

http(
  'reports errors in requests under /api only to callers with a key, and counts these requests',
  async ({ gateway }) => {
    const FAULTS: [status: number, path: string, body?: string][] = [
      [400, `${ROSTER}/%zz`],
      [400, ROSTER, '{}'],
      [414, `${ROSTER}?q=${'a'.repeat(9000)}`],
      [404, '/api/'],
    ];
    const key = await issueKey(gateway.store, 'free', 'faults@example.org');
    for (const [index, [expected, path, body]] of FAULTS.entries()) {
      const ask = (headers: Record<string, string>) =>
        sendPlainly(gateway.address + path, {
          headers: { ...headers, ...(body !== undefined && { 'Content-Length': String(body.length) }) },
          ...(body !== undefined && { body }),
        });
      assert.is((await ask({})).status, 401, path);
      const { status, headers } = await ask({ 'X-API-Key': key });
      assert.is(status, expected, path);
      assert.match(String(headers.ratelimit), new RegExp(`"minute";r=${9 - index};`));
    }
  },
);

http('tells headers that come in pieces from an address that is too long', async ({ gateway }) => {
  const { port } = new URL(gateway.address);
  const socket = connect(Number(port), '127.0.0.1');
  let response = '';
  socket.setEncoding('utf8').on('data', (text) => {
    response += text;
  });
  const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  for (let piece = 0; piece < 20 && socket.writable; piece++) {
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(`X-Piece-${piece}: ${'a'.repeat(1000)}\r\n`);
  }
  await closed;
  assert.match(response, /^HTTP\/1.1 431 /);
});

const RAW: [string, string, RegExp][] = [
  ['a path with ..', '/api/../../etc/passwd', /^HTTP\/1.1 404 /],
  ['an encoded path with ..', '/api/%2e%2e/%2e%2e/etc/passwd', /^HTTP\/1.1 404 /],
  ['a page with ..', '/../../package.json', /^HTTP\/1.1 404 /],
  ['a page with encoded ..', '/..%2f..%2fpackage.json', /^HTTP\/1.1 404 /],
  ['an encoded NUL', '/api/star-rail/characters/%00', /^HTTP\/1.1 404 /],
  ['malformed percent-encoding in the path', '/api/star-rail/characters/%zz', /^HTTP\/1.1 400 /],
  ['percent-encoding in the path that is not UTF-8', '/api/%ff/characters', /^HTTP\/1.1 400 /],
  ['a NUL', '/api/\u0000', /^HTTP\/1.1 400 /],
  ['a letter that is not encoded', `${ROSTER}?q=ㅊ`, /^HTTP\/1.1 400 .*percent-encoded/s],
  [
    'a chunk that is not valid after Upgrade',
    '/healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    /^HTTP\/1.1 400 /,
  ],
];
for (const [what, target, expected] of RAW) {
  http(`answers ${what} with a 4xx`, async ({ gateway }) => {
    const response = await sendRaw(
      gateway,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(response, expected);
  });
}

http('refuses 10,000 guessed keys with the right checksum', async ({ gateway }) => {
  const guesses = Array.from({ length: 10_000 }, () => createKey().key);
  const text = guesses.map((guess, index) => {
    const close = index === guesses.length - 1 ? 'Connection: close\r\n' : '';
    return `GET /api/me HTTP/1.1\r\nHost: x\r\nX-API-Key: ${guess}\r\nX-Forwarded-For: 203.0.113.66\r\n${close}\r\n`;
  });
  const response = await sendRaw(gateway, text.join(''));
  const countOf = (start: string) => response.split(`HTTP/1.1 ${start}`).length - 1;
  assert.equal([countOf('401 '), countOf('429 '), countOf('')], [MAX_FAILED, 10_000 - MAX_FAILED, 10_000]);
});

http('accepts a target in absolute form, as proxies send it, with the same rules', async ({ gateway }) => {
  const send = (line: string, key = gateway.keys.pro) =>
    sendRaw(gateway, `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`);
  assert.match(await send('GET http://x:1/api/games?x=1'), /^HTTP\/1.1 400 .*"parameter":"x"/s);
  assert.match(await send('GET http://x/api/games'), /^HTTP\/1.1 200 /);
  assert.match(await send('GET http://x/api/games', 'nonsense'), /^HTTP\/1.1 401 /);
  assert.match(await send('POST http://x/api/games'), /^HTTP\/1.1 405 /);
  assert.match(await send('OPTIONS *'), /^HTTP\/1.1 204 /);
});

http('sends 100 Continue before the response, also if the response has to wait', async ({ gateway }) => {
  const ask = (path: string, further: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\n${further}\r\n`;
  for (const path of ['/api/games', '/api/nobody/characters']) {
    const last = ask(path, 'Expect: 100-continue\r\nConnection: close\r\n');
    const alone = await sendRaw(gateway, last);
    assert.match(alone, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 (200|404) .*\r\n\r\n\{[^\r]*\}$/s);
    const [, behind = ''] = (await sendRaw(gateway, ask('/api/games', '') + last)).split(/(?<=\})(?=HTTP)/);
    const response = behind.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '');
    assert.match(response, /^HTTP\/1.1 (200|404) [^{]*\r\n\r\n\{[^\r]*\}$/s);
    assert.not.match(response, '100 Continue');
  }
});

http(
  'responds to a request with an unknown expectation, or with thousands of headers',
  async ({ gateway }) => {
    const key = `X-API-Key: ${gateway.keys.pro}\r\nConnection: close\r\n\r\n`;
    assert.match(
      await sendRaw(gateway, `GET /api/games HTTP/1.1\r\nHost: x\r\nExpect: a\r\n${key}`),
      /^HTTP\/1.1 200 /,
    );
    assert.match(
      await sendRaw(gateway, `GET /api/games HTTP/1.1\r\nHost: x\r\n${'a:1\r\n'.repeat(2100)}${key}`),
      /^HTTP\/1.1 200 /,
    );
  },
);

http('refuses a request without a Host, or with more than one', async ({ gateway }) => {
  const HOSTS: [fields: string, version: string, status: number][] = [
    ['', '1.1', 400],
    ['Host: x\r\nHost: x\r\n', '1.1', 400],
    ['Host: x\r\nhost: y\r\n', '1.0', 400],
    ['Host: x, y\r\n', '1.1', 400],
    ['Host: x/y\r\n', '1.1', 400],
    ['Host: a@x\r\n', '1.1', 400],
    ['', '1.0', 200],
    ['Host: [::1]:3000\r\n', '1.1', 200],
    ['Host: API.Example.org\r\n', '1.1', 200],
  ];
  for (const path of ['/api/games', '/', '/healthz']) {
    for (const [fields, version, status] of HOSTS) {
      const rest = `${fields}X-API-Key: ${gateway.keys.pro}\r\nConnection: close\r\n\r\n`;
      const response = await sendRaw(gateway, `GET ${path} HTTP/${version}\r\n${rest}`);
      assert.is(response.slice(0, 13), `HTTP/1.1 ${status} `, `${path} ${version} ${fields}`);
      if (status === 400) assert.match(response, /"parameter":"host"/);
    }
  }
});

http('only a gateway that is reached by https tells browsers to use nothing else', async ({ gateway }) => {
  const secure = await startGateway(SAMPLE_GAMES, { isHttpsOnly: true });
  for (const path of ['/', '/api/games', '/api/nothing', '/healthz', '/nowhere']) {
    for (const method of ['GET', 'OPTIONS']) {
      const field = async (each: TestGateway) =>
        (await fetch(each.address + path, { method })).headers.get('strict-transport-security');
      assert.equal([await field(secure), await field(gateway)], ['max-age=31536000', null], path);
    }
  }
});

http('closes the files of assets whose clients have disconnected', async ({ gateway }) => {
  const { server } = gateway.gateway;
  const countConnections = promisify(server.getConnections.bind(server));
  const before = await countConnections();
  const requests = `GET ${assetPath('site.css')} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20);
  for (let index = 0; index < 100; index++) {
    const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1');
    await new Promise((resolve) => socket.write(requests, resolve));
    socket.resetAndDestroy();
  }
  await until(async () => (await countConnections()) <= before);
  await until(async () => (await countOpen(ASSETS_FOLDER)) === 0);
});

http.run();
