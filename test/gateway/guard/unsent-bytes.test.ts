import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Incoming, readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import { HttpServer } from '../../../gateway/http/http-server.ts';
import { guardServer } from '../../../gateway/guard/guard-server.ts';
import { UnsentBytes } from '../../../gateway/guard/unsent-bytes.ts';
import { VISITOR_LIMITS } from '../../../gateway/guard/unsent-of-visitors.ts';
import { startGateway } from '../../support/harness.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { QUIET } from '../../support/quiet.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const test = suite('clients that do not read');

/** The parts of a response to a client of an account that counting its bytes needs. */
function responseTo(account: string | undefined, secret = 'key', weight = 1) {
  const listeners: (() => void)[] = [];
  const request = { ...(account !== undefined && { holder: { account, secret, weight } }) } as Incoming;
  const response = {
    req: request,
    destroyed: false,
    once: (_: string, done: () => void) => listeners.push(done),
  };
  return {
    request,
    response: response as unknown as ServerResponse,
    close: () => {
      for (const done of listeners.splice(0)) done();
    },
  };
}

/** The same for a client without an account. */
function responseFrom(address: string) {
  const made = responseTo(undefined);
  made.request.clientAddress = () => address;
  return made;
}

function codeOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof HttpProblem ? error.code : String(error);
  }
}

test('have a limit per account and one per process, until their responses are closed', () => {
  const visitors = { network: 1000, site: 1000, all: 1000 };
  const unsent = new UnsentBytes({ account: 100, visitors, process: 250 });
  const checkFor = (account: string | undefined) =>
    codeOf(() => unsent.check((account ? responseTo(account) : responseFrom('192.0.2.1')).response));
  const [first, second, third] = [responseTo('a'), responseTo('b'), responseFrom('192.0.2.1')];
  unsent.hold(first.response, 1000);
  assert.equal([checkFor('a'), checkFor('b')], ['unread-responses', 'unavailable']);
  first.close();
  assert.equal([checkFor('a'), unsent.total], [undefined, 0]);
  unsent.hold(first.response, 99);
  unsent.hold(second.response, 100);
  assert.equal([checkFor('a'), checkFor('b'), checkFor('c')], [undefined, 'unread-responses', undefined]);
  unsent.hold(third.response, 51);
  assert.equal(
    [checkFor('a'), checkFor('c'), checkFor(undefined)],
    ['unavailable', 'unavailable', 'unavailable'],
  );
  second.close();
  assert.equal([checkFor('a'), checkFor('b')], [undefined, undefined]);
});

test('leave the other keys and addresses of their account room', () => {
  const unsent = new UnsentBytes({ account: 110, visitors: VISITOR_LIMITS, process: 1000 });
  const [published, own] = [responseTo('a', 'address'), responseTo('a', 'key', 10)];
  const codes = () => [published, own].map(({ response }) => codeOf(() => unsent.check(response)));
  unsent.hold(published.response, 110);
  assert.equal(codes(), ['unread-responses', undefined]);
  unsent.hold(own.response, 99);
  assert.equal(codes(), ['unread-responses', undefined]);
  unsent.hold(own.response, 1);
  assert.equal(codes(), ['unread-responses', 'unread-responses']);
  published.close();
  assert.equal(codes(), [undefined, undefined]);
});

test('without an account have a limit per network, per IPv6 site and together', () => {
  const visitors = { network: 100, site: 150, all: 300 };
  const unsent = new UnsentBytes({ account: 100, visitors, process: 1000 });
  const checkFrom = (...addresses: string[]) =>
    addresses.map((address) => codeOf(() => unsent.check(responseFrom(address).response)));
  const hold = (address: string, bytes: number) => {
    const held = responseFrom(address);
    unsent.hold(held.response, bytes);
    return held;
  };
  const first = hold('192.0.2.1', 100);
  assert.equal(checkFrom('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'), [
    'unread-responses',
    'unread-responses',
    undefined,
  ]);
  hold('2001:db8:1:1::1', 75);
  hold('2001:db8:1:2::1', 75);
  assert.equal(checkFrom('2001:db8:1:3::1', '2001:db8:2::1'), ['unread-responses', undefined]);
  hold('192.0.2.2', 50);
  assert.equal(checkFrom('192.0.2.3'), ['unavailable']);
  assert.is(
    codeOf(() => unsent.check(responseTo('a').response)),
    undefined,
    'an account',
  );
  first.close();
  assert.equal(checkFrom('192.0.2.1', '192.0.2.3'), [undefined, undefined]);
});

test('cannot keep a page from visitors of another network', async () => {
  const { clientAddress } = readTrustedProxies('1');
  const gateway = await startGateway(SAMPLE_GAMES, { clientAddress });
  const sockets: Socket[] = [];
  try {
    const port = Number(new URL(gateway.address).port);
    const ask = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      return (await sendPlainly(`${gateway.address}/openapi.json`, { headers })).status;
    };
    const head = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n';
    while ((await ask('192.0.2.1')) !== 429) {
      for (let count = 0; count < 20; count++) {
        const socket = connect(port, '127.0.0.1').pause();
        sockets.push(socket);
        socket.write(head.repeat(8));
      }
    }
    assert.is(await ask('192.0.2.2'), 200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
  }
});

test('hold a bounded amount of memory, and others of the same account are refused until it is free', async () => {
  const records = Array.from({ length: 500 }, (_, at) => ({ id: `r${at}`, text: 'x'.repeat(40_000) }));
  const gateway = await startGateway({
    'game/game.json': { title: 'Game', checks: { 'game-size': { max_megabytes: 30 } } },
    'game/1/build.json': { released_at: '2026-01-01' },
    'game/1/characters.json': [{ id: 'a', name: 'A' }],
    'game/1/pull_planner.json': { currency: 'jade', cost: 160 },
    'game/1/long.json': records,
  });
  const sockets: Socket[] = [];
  try {
    const port = Number(new URL(gateway.address).port);
    // Each has another response of 20 MB, and reads nothing.
    for (let limit = 490; limit < 500; limit++) {
      const socket = connect(port, '127.0.0.1').pause();
      sockets.push(socket);
      const path = `/api/game/long?limit=${limit}`;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\n\r\n`);
    }
    const ask = (key: string) =>
      gateway.ask('/api/game/long?limit=9', { key, headers: { 'accept-encoding': 'identity' } });
    await until(async () => (await ask(gateway.keys.pro)).status === 429);
    const refused = await ask(gateway.keys.pro);
    assert.is(refused.json<{ code: string }>().code, 'unread-responses');
    assert.ok(refused.headers.has('retry-after'));
    assert.is((await ask(gateway.keys.free)).status, 200, 'another account');
    assert.is((await gateway.ask('/api/me')).status, 200, 'a short response');
    for (const socket of sockets) socket.destroy();
    await until(async () => (await ask(gateway.keys.pro)).status === 200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
  }
});

test('are disconnected if they read nothing for a while, but not if they read slowly or their response is not ready', async () => {
  const body = Buffer.alloc(30 * 1024 * 1024, 'a');
  let finishIdle = () => {};
  const http = new HttpServer({
    respond: (request, response) => {
      if (request.path !== '/idle') response.on('error', () => {}).end(body);
      else {
        response.write('first');
        finishIdle = () => response.end('second');
      }
    },
    log: QUIET,
    guard: guardServer,
    maxTargetBytes: 100,
    stallMs: 1500,
  });
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const { port } = http.server.address() as AddressInfo;
  const open = (path: string) => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  const accepted = once(http.server, 'connection');
  const stalled = open('/stalled');
  const [stalledSide] = (await accepted) as [Socket];
  const idle = open('/idle');
  const slow = open('/slow');
  let received = 0;
  const read = async () => {
    for await (const part of slow) {
      received += (part as Buffer).length;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const reading = read();
  await until(() => stalledSide.destroyed);
  await reading;
  assert.ok(received > body.length);
  finishIdle();
  const text = Buffer.concat(await idle.toArray()).toString();
  assert.match(text, /first.*second/s);
  stalled.destroy();
  await http.close();
});

test.run();
