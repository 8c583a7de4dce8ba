import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from './harness.ts';

const slow = suite<{ gateway: TestGateway }>('slow readers');

const CHARACTERS = 500;
/** Of a page. */
const LIMIT = 200;

slow.before(async (context) => {
  const characters = Array.from({ length: CHARACTERS }, (_, row) => ({
    id: `c-${row}`,
    name: `Character ${row}`,
    text: `${row} `.repeat(40),
  }));
  context.gateway = await startGateway({
    'game/game.json': { title: 'Game' },
    'game/1/build.json': { released_at: '2026-01-01' },
    'game/1/characters.json': characters,
    'game/1/pull_planner.json': { currency: 'jade', cost: 160 },
  });
});
slow.after(({ gateway }) => gateway.stop());

/** A page of about 45 KB; no two are the same. */
const pathOf = (page: number) => `/api/game/characters?limit=${LIMIT}&offset=${page}&sort=-id`;

slow('get what they asked for, whatever others ask meanwhile', async ({ gateway }) => {
  const pages = Array.from({ length: CHARACTERS - LIMIT }, (_, page) => page);
  const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1').pause();
  await once(socket, 'connect');
  const head = `Host: x\r\nX-API-Key: ${gateway.keys.pro}\r\n`;
  const send = (page: number) => {
    const last = page === pages.length - 1 ? 'Connection: close\r\n' : '';
    socket.write(`GET ${pathOf(page)} HTTP/1.1\r\n${head}${last}\r\n`);
  };
  const expected: string[] = [];
  const ask = async (page: number) => expected.push((await gateway.ask(pathOf(page))).text);
  // One by one until the connection takes no more, and then many that wait for it.
  const [oneByOne, together] = [pages.slice(0, 200), pages.slice(200)];
  for (const page of oneByOne) {
    send(page);
    await ask(page);
  }
  for (const page of together) send(page);
  for (const page of together) await ask(page);

  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part)).resume();
  await once(socket, 'close');
  const answers = Buffer.concat(parts)
    .toString()
    .split(/HTTP\/1\.1 200 OK\r\n[^{]*?\r\n\r\n/);
  assert.is(answers.length, pages.length + 1);
  for (const page of pages) assert.is(answers[page + 1], expected[page], `page ${page}`);
});

slow('get what they asked for when more ask at once than are answered together', async ({ gateway }) => {
  const pages = Array.from({ length: 150 }, (_, page) => page);
  const port = Number(new URL(gateway.address).port);
  const sockets = await Promise.all(
    pages.map(async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  const head = `Host: x\r\nX-API-Key: ${gateway.keys.pro}\r\nConnection: close\r\n\r\n`;
  // Two requests on each: the second waits for the first.
  for (const [page, socket] of sockets.entries()) {
    const first = `GET ${pathOf(page)}&fields=text HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\n\r\n`;
    socket.write(`${first}GET ${pathOf(page)} HTTP/1.1\r\n${head}`);
  }
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      const parts: Buffer[] = [];
      for await (const part of socket) parts.push(part as Buffer);
      return Buffer.concat(parts).toString();
    }),
  );
  for (const [page, answer] of answers.entries()) {
    const bodies = answer.split(/HTTP\/1\.1 200 OK\r\n[^{]*?\r\n\r\n/).slice(1);
    const expected = [await gateway.ask(`${pathOf(page)}&fields=text`), await gateway.ask(pathOf(page))];
    assert.ok(bodies[0] === expected[0]?.text && bodies[1] === expected[1]?.text, `page ${page}`);
  }
});

slow.run();
