import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLine, type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { findFreePort } from '../../support/free-port.ts';
import { issueKeyIn, runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const serve = suite<{ folder: string; options: string[] }>('gateway serve');
serve.before(async (context) => {
  context.folder = await makeFolder('serve');
  const long = Array.from({ length: 400 }, (_, index) => ({ id: `r${index}`, text: 'x'.repeat(50_000) }));
  await buildGames({ ...SAMPLE_GAMES, 'tiny-game/1/long.json': long }, path.join(context.folder, 'dist'));
  context.options = [
    '--port',
    '0',
    '--dist',
    path.join(context.folder, 'dist'),
    '--store',
    path.join(context.folder, 'store'),
  ];
});

const ADDRESS = /"address":"(http:[^"]+)"/;

async function addressOf(running: Running): Promise<string> {
  return (await running.printed(ADDRESS))[1] as string;
}

async function statusOf(address: string, key: string): Promise<number> {
  return (await fetch(`${address}/api/games`, { headers: { 'x-api-key': key } })).status;
}

const issueKey = (folder: string) => issueKeyIn(path.join(folder, 'store'), 'pro');

serve(
  'finishes open requests on SIGTERM, accepts no new connections, and exits 0',
  async ({ folder, options }) => {
    const key = await issueKey(folder);
    const gateway = startCommand('gateway', ['serve', ...options]);
    const { port } = new URL(await addressOf(gateway));
    // What follows a refused CONNECT holds nothing up.
    const tunnel = connect(Number(port), '127.0.0.1').on('error', () => {});
    tunnel.write(`CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n${'a'.repeat(900_000)}`);
    await new Promise((resolve) => tunnel.once('data', resolve));
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /api/tiny-game/long HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    // 20 MB do not fit into the socket buffers: the response is not finished until the client reads it.
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.pause();
    gateway.child.kill('SIGTERM');
    await gateway.printed(/shutting down/);
    const refused = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    );
    assert.ok(refused, 'a new connection was accepted');
    const parts = [first];
    socket.on('data', (part: Buffer) => parts.push(part)).resume();
    await new Promise((resolve) => socket.on('close', resolve));
    const response = Buffer.concat(parts);
    const length = Number(/content-length: (\d+)/i.exec(response.toString('latin1', 0, 2000))?.[1]);
    assert.ok(length > 20e6);
    assert.is(response.length - response.indexOf('\r\n\r\n') - 4, length);
    assert.is((await gateway.ended).code, 0);
  },
);

serve(
  'responds to all requests of busy clients while it stops, and resets no connection',
  async ({ folder, options }) => {
    const key = await issueKey(folder);
    const gateway = startCommand('gateway', ['serve', ...options]);
    const { port } = new URL(await addressOf(gateway));
    const head = `GET /api/games HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
    const errors: Error[] = [];
    const connected: Promise<unknown>[] = [];
    const clients = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head));
      let sent = 1;
      let received = 0;
      connected.push(new Promise((resolve) => socket.once('data', resolve)));
      socket.setEncoding('utf8').on('data', (text: string) => {
        const responses = text.split('HTTP/1.1 200').length - 1;
        received += responses;
        if (/connection: close/i.test(text)) return;
        for (let index = 0; index < responses; index++, sent++) socket.write(head);
      });
      socket.on('error', (error) => errors.push(error));
      return new Promise<[number, number]>((resolve) => socket.on('close', () => resolve([sent, received])));
    });
    await Promise.all(connected);
    gateway.child.kill('SIGTERM');
    for (const [sent, received] of await Promise.all(clients)) assert.is(received, sent);
    assert.equal(errors, []);
    assert.is((await gateway.ended).code, 0);
  },
);

serve('keeps running when the reader of its log disconnects', async ({ options }) => {
  const gateway = startCommand('gateway', ['serve', ...options]);
  const address = await addressOf(gateway);
  gateway.child.stdout.destroy();
  for (let request = 0; request < 3; request++) assert.is((await fetch(`${address}/healthz`)).status, 200);
  gateway.child.kill('SIGTERM');
  const code = await new Promise((resolve) => gateway.child.on('exit', resolve));
  assert.is(code, 0);
});

serve('responds, and ends on SIGTERM, while nothing reads its log', async ({ options }) => {
  const port = await findFreePort();
  const [program, ...words] = commandLine('gateway', ['serve', ...options, '--port', String(port)]);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const ask = (target: string) =>
    fetch(`http://127.0.0.1:${port}${target}`).then(
      ({ status }) => status,
      () => undefined,
    );
  try {
    await until(async () => (await ask('/healthz')) === 200);
    // More than a pipe and the queue hold together.
    const target = `/${'x'.repeat(8000)}`;
    for (let request = 0; request < 200; request++) assert.is(await ask(target), 404);
    child.kill('SIGTERM');
    assert.equal(await ended, [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

serve('reads options from environment variables', async ({ folder }) => {
  // All values differ from the defaults: 127.0.0.1, and dist/ and var/store in the working folder.
  const port = await findFreePort();
  const cwd = path.join(folder, 'elsewhere');
  await mkdir(cwd);
  const store = path.join(folder, 'store-of-environment');
  const env = {
    GATEWAY_PORT: String(port),
    GATEWAY_HOST: 'localhost',
    GATEWAY_DIST: path.join(folder, 'dist'),
    GATEWAY_STORE: store,
    GATEWAY_ACCESS_LOG: 'off',
    GATEWAY_DEMO: 'on',
  };
  const gateway = startCommand('gateway', ['serve'], { env, cwd });
  const listening = await addressOf(gateway);
  assert.is(new URL(listening).port, String(port));
  assert.is((await fetch(`${listening}/readyz`)).status, 200);
  gateway.child.kill('SIGINT');
  const { code, stdout } = await gateway.ended;
  assert.is(code, 0);
  assert.match(stdout, /curl .*gdr_/);
  assert.match(stdout, /\/api\/star-rail\//);
  assert.not.match(stdout, /"message":"response"/);
  assert.ok((await readdir(store)).includes('store.sqlite'));
  assert.equal(await readdir(cwd), []);
});

serve('prints requests with demo keys that work', async ({ options }) => {
  const gateway = startCommand('gateway', ['serve', '--demo', ...options]);
  const address = await addressOf(gateway);
  const shell = (await gateway.printed(/listening/)).input as string;
  assert.match(shell, /^(Games|Behind): [a-z]/m);
  const requests = [...shell.matchAll(/^curl (-g )?-H 'X-API-Key: (\S+)' '(\S+)'$/gm)].map(
    ([, , key = '', target = '']) => ({ key, target }),
  );
  assert.is(requests.length, 5);
  for (const { key, target } of requests) {
    const { status } = await fetch(target, { headers: { 'x-api-key': key } });
    assert.equal([target.startsWith(address), status], [true, 200], target);
  }
  assert.is(new Set(requests.map(({ key }) => key)).size, 2);
});

interface Demo {
  gateway: Running;
  address: string;
  keys: string[];
}

async function startDemo(...args: string[]): Promise<Demo> {
  const gateway = startCommand('gateway', ['serve', ...args]);
  const address = await addressOf(gateway);
  const shell = (await gateway.printed(/listening/)).input as string;
  return { gateway, address, keys: [...new Set(shell.match(/gdr_[a-z2-7]{20,}/g))] };
}

async function stop({ gateway }: Demo): Promise<void> {
  gateway.child.kill('SIGTERM');
  assert.is((await gateway.ended).code, 0);
}

serve('revokes the keys of a demo that stopped or was killed, and no others', async ({ options }) => {
  const [first, second] = [await startDemo('--demo', ...options), await startDemo('--demo', ...options)];
  const other = await startDemo(...options);
  assert.equal([first.keys.length, second.keys.length, other.keys.length], [2, 2, 0]);
  await stop(other);
  for (const key of [...first.keys, ...second.keys]) assert.is(await statusOf(first.address, key), 200);
  await stop(second);
  for (const key of first.keys) assert.is(await statusOf(first.address, key), 200);
  for (const key of second.keys) await until(async () => (await statusOf(first.address, key)) === 401);
  first.gateway.child.kill('SIGKILL');
  await first.gateway.ended;
  const next = await startDemo(...options);
  for (const key of first.keys) assert.is(await statusOf(next.address, key), 401);
});

serve(
  'links begin with the public URL, and all gateways on a store accept them',
  async ({ folder, options }) => {
    const base = 'https://api.example.org';
    const key = await issueKey(folder);
    const [first, second] = [
      startCommand('gateway', ['serve', ...options, '--public-url', base]),
      startCommand('gateway', ['serve', ...options]),
    ];
    const asked = `${await addressOf(first)}/api/tiny-game/snapshot/1?via=link`;
    const { url } = (await (await fetch(asked, { headers: { 'x-api-key': key } })).json()) as { url: string };
    assert.match(
      url,
      /^https:\/\/api\.example\.org\/files\/tiny-game\/snapshot\.\w+\.json\?expires=\d+&signature=/,
    );
    for (const gateway of [first, second])
      assert.is((await fetch(url.replace(base, await addressOf(gateway)))).status, 200);
    assert.is((await fetch(`${url.replace(base, await addressOf(second))}x`)).status, 403);
    const wrong = await runInProcess('gateway', [
      'serve',
      '--cdn-url',
      'https://cdn.example.org',
      ...options,
    ]);
    assert.equal([wrong.code, /is not the address of a bucket/.test(wrong.stderr)], [2, true]);
  },
);

serve('refuses a demo that others can reach', async ({ options }) => {
  for (const reachable of [
    ['--host', '0.0.0.0'],
    ['--public-url', 'https://api.example.org'],
  ]) {
    const { code, stderr } = await runInProcess('gateway', ['serve', '--demo', ...reachable, ...options]);
    assert.equal([code, stderr.split('\n').length], [2, 2]);
    assert.match(stderr, /must be loopback addresses, without --trusted-proxy; --dev turns this check off/);
  }
});

serve.run();
