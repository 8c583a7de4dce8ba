import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpServer } from '../../../gateway/http/http-server.ts';
import { endWithClient } from '../../../gateway/pages/on-close.ts';
import { FAST_WRITER } from '../../../gateway/fast-wire/fast-writer.ts';
import { guardServer } from '../../../gateway/guard/guard-server.ts';
import { QUIET } from '../../support/quiet.ts';

const test = suite('HTTP server');

const REQUESTS = 2000;

for (const writer of [FAST_WRITER, undefined]) {
  const how = writer ? 'the fast path' : 'node:http';
  test(`only few of thousands of requests that arrive at once on a connection wait for others: ${how}`, async () => {
    let received = 0;
    let responded = 0;
    let mostWaiting = 0;
    const http = new HttpServer({
      respond: (request, response) => {
        mostWaiting = Math.max(mostWaiting, received - responded);
        responded++;
        response.end(request.path);
      },
      log: QUIET,
      guard: guardServer,
      writer,
      maxTargetBytes: 100,
    });
    http.server.prependListener('request', () => received++);
    http.server.listen(0, '127.0.0.1');
    await once(http.server, 'listening');
    const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
    const requests = Array.from({ length: REQUESTS }, (_, n) => `GET /${n} HTTP/1.1\r\n`);
    socket.write(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
    const bodies = [...(await text(socket)).matchAll(/\r\n\r\n\/(\d+)/g)].map(([, n]) => Number(n));
    await http.close();
    assert.equal(bodies, [...requests.keys()], 'each is responded to, in order');
    assert.ok(mostWaiting <= 100, `${mostWaiting} waited together`);
  });
}

for (const writer of [FAST_WRITER, undefined]) {
  const how = writer ? 'the fast path' : 'node:http';
  test(`requests for another protocol, and those behind them, are responded to as any other: ${how}`, async () => {
    const long = Buffer.alloc(4 * 1024 * 1024, '-');
    const http = new HttpServer({
      respond: async (request, response) => {
        const body = request.method === 'POST' ? await text(request) : '';
        if (request.path !== '/long') response.end(`${request.path} ${body}`);
        else await pipeline(Readable.from([long, long]), response);
      },
      log: QUIET,
      guard: guardServer,
      writer,
      maxTargetBytes: 100,
    });
    http.server.listen(0, '127.0.0.1');
    await once(http.server, 'listening');
    const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
    const host = 'HTTP/1.1\r\nHost: x\r\n';
    const upgrade = `${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n`;
    const upgrades = Array.from({ length: 20 }, (_, at) => `GET /u${at} ${upgrade}\r\n`);
    const first = `GET /first ${host}\r\nGET /long ${host}\r\nGET /upgrade ${upgrade}\r\nGET /behind ${host}\r\n`;
    const posted = `POST /posted ${upgrade}Content-Length: 25\r\n\r\nGET /hidden HTTP/1.1\r\n\r\nx`;
    socket.write(`${first}${posted}${upgrades.join('')}GET /last ${host}Connection: close\r\n\r\n`);
    const received = await text(socket);
    await http.close();
    const found = [...received.matchAll(/\r\n\r\n(?:[^/]*?)(\/\w+) /g)].map(([, path]) => path);
    const expected = ['/first', '/upgrade', '/behind', '/posted', ...upgrades.keys()].map((path) =>
      typeof path === 'number' ? `/u${path}` : path,
    );
    assert.equal(found, [...expected, '/last']);
    assert.ok(received.includes('/posted GET /hidden HTTP/1.1'));
    assert.is(received.split('-').length > long.length * 2, true);
  });
}

for (const writer of [FAST_WRITER, undefined]) {
  const how = writer ? 'the fast path' : 'node:http';
  test(`a request for another protocol is not lost when the client then closes its side: ${how}`, async () => {
    const { promise: released, resolve: release } = withResolver();
    const http = new HttpServer({
      respond: async ({ path }, response) => {
        if (path === '/release') release();
        if (path === '/slow') await released;
        response.end(`${path} `);
      },
      log: QUIET,
      guard: guardServer,
      writer,
      maxTargetBytes: 100,
    });
    http.server.listen(0, '127.0.0.1');
    await once(http.server, 'listening');
    const { port } = http.server.address() as AddressInfo;
    const host = 'HTTP/1.1\r\nHost: x\r\n';
    const upgrade = `${host}Connection: Upgrade\r\nUpgrade: h2c\r\n`;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(`GET /slow ${host}\r\nGET /u ${upgrade}\r\nGET /last ${host}\r\n`);
    await once(socket, 'finish');
    await fetch(`http://127.0.0.1:${port}/release`);
    const found = [...(await text(socket)).matchAll(/\r\n\r\n(?:[^/]*?)(\/\w+) /g)].map(([, path]) => path);
    await http.close();
    assert.equal(found, ['/slow', '/u', '/last']);
  });
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('a response that never ends by itself ends when the client closes its side', async () => {
  const { promise: ended, resolve } = withResolver();
  const http = new HttpServer({
    respond: (_, response) => {
      response.on('close', resolve).writeHead(200).write('first');
      endWithClient(response);
    },
    log: QUIET,
    guard: guardServer,
    maxTargetBytes: 100,
  });
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const { port } = http.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.end();
  await ended;
  socket.destroy();
  await http.close();
});

test.run();
