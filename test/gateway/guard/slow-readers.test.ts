import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const slow = suite<{ gateway: TestGateway }>('slow readers');

const CHARACTERS = 500;
/** The size of a page. */
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

/** A page of about 45 KB; all pages are different. */
const pathOf = (page: number) => `/api/game/characters?limit=${LIMIT}&offset=${page}&sort=-id`;

/** The bodies of responses that were received one after the other. */
const bodiesOf = (responses: string) => responses.split(/HTTP\/1\.1 200 OK\r\n[^{]*?\r\n\r\n/).slice(1);

async function connectTo({ address }: TestGateway): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').pause();
  await once(socket, 'connect');
  return socket;
}

/** The bytes of a request with the Pro key. The last one closes the connection. */
function requestFor(path: string, { keys }: TestGateway, isLast: boolean): string {
  const last = isLast ? 'Connection: close\r\n' : '';
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys.pro}\r\n${last}\r\n`;
}

slow('get their responses, whatever others request meanwhile', async ({ gateway }) => {
  const pages = Array.from({ length: CHARACTERS - LIMIT }, (_, page) => page);
  const socket = await connectTo(gateway);
  const send = (page: number) => socket.write(requestFor(pathOf(page), gateway, page === pages.length - 1));
  const expected: string[] = [];
  const ask = async (page: number) => expected.push((await gateway.ask(pathOf(page))).text);
  // One by one until the connection is full, then many that wait.
  const [oneByOne, together] = [pages.slice(0, 200), pages.slice(200)];
  for (const page of oneByOne) {
    send(page);
    await ask(page);
  }
  for (const page of together) send(page);
  for (const page of together) await ask(page);

  const bodies = bodiesOf(await text(socket));
  assert.is(bodies.length, pages.length);
  for (const page of pages) assert.is(bodies[page], expected[page], `page ${page}`);
});

slow(
  'get their own responses when more requests arrive in a tick than one batch holds',
  async ({ gateway }) => {
    const pages = Array.from({ length: 150 }, (_, page) => page);
    const sockets = await Promise.all(pages.map(() => connectTo(gateway)));
    const pathsOf = (page: number) => [`${pathOf(page)}&fields=text`, pathOf(page)] as const;
    // Two requests on each: the second waits for the first.
    for (const [page, socket] of sockets.entries()) {
      const [first, second] = pathsOf(page);
      socket.write(requestFor(first, gateway, false) + requestFor(second, gateway, true));
    }
    const responses = await Promise.all(sockets.map((socket) => text(socket)));
    for (const page of pages) {
      const [first, second] = pathsOf(page);
      const expected = [(await gateway.ask(first)).text, (await gateway.ask(second)).text];
      assert.equal(bodiesOf(responses[page] as string), expected, `page ${page}`);
    }
  },
);

slow.run();
