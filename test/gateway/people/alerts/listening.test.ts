import { recordsIn } from '../../../support/store-content.ts';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issueKey as issueWith } from '../../../support/issue-key.ts';
import { grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { readBrowserEnd, readBrowserTerms } from '../../../../gateway/access/key-options.ts';
import { keyFields } from '../../../../gateway/access/key-options.ts';
import { makeTestEvent } from '../../../../gateway/people/alerts/events/event.ts';
import { raiseEvents } from '../../../../gateway/people/alerts/events/event-log.ts';
import { EventLogStreams } from '../../../../gateway/people/alerts/events/event-streams.ts';
import { feedPath } from '../../../../gateway/people/alerts/events/feed.ts';
import { follow, renewFeed } from '../../../../gateway/people/alerts/settings.ts';
import { GATEWAY } from '../../../../gateway/people/audit/audit-event.ts';
import { issueKey } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';
import { listen, type StreamClient } from './event-stream.ts';
import { newGame, nextBuild, SAGA } from './games.ts';
import { type AlertWorld, PUBLIC_URL, startAlertWorld } from './world.ts';

interface Context {
  world: AlertWorld;
  /** Listens with the Pro key of ada@example.org. */
  open(search?: string, headers?: Record<string, string>): Promise<StreamClient>;
  clients: StreamClient[];
  account: string;
}

const listening = suite<Context>('streams and feeds');

/** A key of an account. */
const holderIn = (account: string) => ({ account, secret: 'key', weight: 1 });
listening.before.each(async (context) => {
  context.clients = [];
  const world = await startAlertWorld(SAGA);
  context.world = world;
  context.account = await world.subscribe('ada@example.org', { follows: ['saga'] });
  const key = await issueKey(world.store, 'pro', 'ada@example.org');
  context.open = async (search = '', headers = {}) => {
    const client = await listen(`${world.gateway.address}/api/events${search}`, {
      'x-api-key': key,
      ...headers,
    });
    context.clients.push(client);
    return client;
  };
});
listening.after.each(async ({ world, clients }) => {
  for (const client of clients) client.close();
  await world.stop();
});

listening(
  'a stream sends what the account follows, from now on or after Last-Event-ID',
  async ({ world, open }) => {
    const { clock } = world;
    await world.publish(nextBuild(clock.now, '1.1'));
    await until(async () => (await recordsIn(world.store, 'event:')).length === 1);
    const first = await open();
    assert.is(first.headers.get('content-type'), 'text/event-stream');
    await world.publish(newGame('novel', clock.now));
    await world.publish(nextBuild(clock.now, '1.2'));
    await until(() => first.events.length === 1);
    const { id, event, data } = first.events[0] as StreamClient['events'][number];
    assert.equal([event, data.type, data.data.build], ['build.released', 'build.released', '1.2']);

    await world.publish(nextBuild(clock.now, '1.3'));
    const builds = async (search: string, lastEventId: string, count: number) => {
      const client = await open(search, { 'Last-Event-ID': lastEventId });
      await until(() => client.events.length === count);
      return client.events.map((each) => `${each.data.data.game} ${each.data.data.build}`);
    };
    await until(() => first.events.length === 2);
    assert.equal(await builds('', id, 1), ['saga 1.3']);
    assert.equal(await builds('', '0', 3), ['saga 1.1', 'saga 1.2', 'saga 1.3']);
    assert.equal(await builds('?follows=novel,new_games', '0', 1), ['novel 1.0']);
    // An id from another store is past the end of this log: the stream starts now and misses nothing.
    const foreign = await open('', { 'Last-Event-ID': '999999' });
    await until(() => foreign.text !== '');
    await world.publish(nextBuild(clock.now, '1.4'));
    await until(() => foreign.events.at(-1)?.data.data.build === '1.4');
  },
);

listening(
  'streams are only for Pro, at most five per account, and refuse unknown parameters and values',
  async ({ world, open }) => {
    const { gateway } = world;
    assert.is((await gateway.ask('/api/events', { key: gateway.keys.free })).status, 403);
    for (const [path, headers] of [
      ['/api/events?follows=No%20Game', {}],
      ['/api/events?follows=', {}],
      ['/api/events?nonsense=1', {}],
      ['/api/events', { 'Last-Event-ID': 'x' }],
    ] as const) {
      assert.is((await gateway.ask(path, { headers })).status, 400, path);
    }
    const head = await gateway.ask('/api/events', { method: 'HEAD' });
    assert.equal([head.status, head.text], [200, '']);
    for (let count = 0; count < 5; count++) assert.is((await open()).status, 200);
    const sixth = await open();
    assert.is(sixth.status, 429);
    assert.ok(sixth.headers.has('retry-after'));
    await sixth.ended;
    assert.is((JSON.parse(sixth.text) as { code: string }).code, 'too-many-streams');
  },
);

listening(
  'streams of one key leave the others of its account some, and one with nothing open has one',
  async ({ world, open }) => {
    for (let count = 0; count < 5; count++) assert.is((await open()).status, 200);
    const other = { 'x-api-key': await issueKey(world.store, 'pro', 'ada@example.org') };
    const third = { 'x-api-key': await issueKey(world.store, 'pro', 'ada@example.org') };
    const statuses = [];
    for (const headers of [other, other, other, third, third, {}])
      statuses.push((await open('', headers)).status);
    assert.equal(statuses, [200, 200, 429, 200, 429, 429]);
  },
);

listening(
  'a browser key has to name what it listens to, and leaves the keys of its owner their streams',
  async ({ world, open }) => {
    const { store, clock } = world;
    const browser = readBrowserTerms({ origins: 'https://example.org', minute: '600', day: '1000' });
    const { secret: key } = await issueWith(store, {
      email: 'ada@example.org',
      grant: { tier: 'pro', pro_until: null },
      options: keyFields({ browser, expires: readBrowserEnd(undefined, clock.now) }),
    });
    const headers = { 'x-api-key': key, Origin: 'https://example.org' };
    const refused = await open('', headers);
    await refused.ended;
    assert.is(refused.status, 400);
    const { code, parameter } = JSON.parse(refused.text) as { code: string; parameter: string };
    assert.equal([code, parameter], ['invalid-parameter', 'follows']);
    assert.not.match(refused.text, /saga/);
    for (let count = 0; count < 5; count++) assert.is((await open('?follows=novel', headers)).status, 200);
    assert.is((await open('?follows=novel', headers)).status, 429);
    for (let count = 0; count < 4; count++) assert.is((await open()).status, 200);
  },
);

listening(
  'a stream ends before it sends an event that the account may not get any more',
  async ({ world, open }) => {
    const { store, clock } = world;
    const client = await open();
    await grantTier(store, 'ada@example.org', { tier: 'free', pro_until: null });
    await world.publish(nextBuild(clock.now));
    await client.ended;
    assert.equal(client.events, []);
  },
);

listening('an idle stream sends heartbeats', async ({ world, clients, account }) => {
  const streams = new EventLogStreams({ store: world.store, heartbeat: 10 });
  const server = createServer((_request, response) => {
    void streams.serve({ account, holder: holderIn(account), isAllowed: async () => true }, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await listen(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {});
  clients.push(client);
  await until(() => client.text.includes(':\n\n:\n\n:\n\n'));
  streams.close();
  await client.ended;
  server.close();
});

/** Serves streams of the game `big`, whose events do not fit into the buffers of a connection. */
async function serveBig({ store, clock }: AlertWorld, heartbeat: number) {
  const responses: ServerResponse[] = [];
  const streams = new EventLogStreams({ store, heartbeat });
  const server = createServer((_request, response) => {
    responses.push(response);
    const request = {
      account: 'ada',
      holder: holderIn('ada'),
      follows: ['big'],
      isAllowed: async () => true,
    };
    void streams.serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    responses,
    async raise() {
      const event = makeTestEvent('big', clock.now);
      const data = { ...event.data, game: 'big', title: 'x'.repeat(1024 * 1024) };
      const events = Array.from({ length: 20 }, (_, index) => ({ ...event, id: `big-${index}`, data }));
      assert.ok(await raiseEvents(store, 'big', undefined, events, [], clock.now));
    },
    stop() {
      streams.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

listening('a client that reads nothing is disconnected', async ({ world }) => {
  const { port, responses, raise, stop } = await serveBig(world, 50);
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  try {
    await until(() => responses.length === 1);
    await raise();
    await until(() => responses[0]?.destroyed === true);
  } finally {
    client.destroy();
    stop();
  }
});

listening(
  'clients that disconnect before their streams begin do not count as open streams',
  async ({ world }) => {
    const streams = new EventLogStreams({ store: world.store, heartbeat: 5 });
    let ended = 0;
    for (let index = 0; index < 6; index++) {
      const response = new ServerResponse(new IncomingMessage(new Socket())).destroy();
      void streams
        .serve(
          { account: 'ada', holder: holderIn('ada'), follows: ['saga'], isAllowed: async () => true },
          response,
        )
        .then(() => ended++);
      await until(() => ended === index + 1);
    }
  },
);

listening('a stream adds no listeners each time it waits for its client', async ({ world, clients }) => {
  const { port, responses, raise, stop } = await serveBig(world, 2000);
  try {
    const client = await listen(`http://127.0.0.1:${port}/`, {});
    clients.push(client);
    const [response] = responses as [ServerResponse];
    await until(() => client.text.includes(':\n\n'));
    const before = response.listenerCount('close');
    await raise();
    let most = before;
    response.on('drain', () => {
      most = Math.max(most, response.listenerCount('close'));
    });
    await until(() => client.text.includes('id: 20\n') && client.text.endsWith(':\n\n'));
    assert.ok(most <= before + 1, `${most} listeners, ${before} before`);
  } finally {
    stop();
  }
});

listening('a gateway that shuts down does not wait for open streams', async ({ world, open }) => {
  const client = await open();
  await until(() => client.text !== '');
  await world.gateway.gateway.close();
  await client.ended;
});

/** The title and the content of the entry that a feed begins with. */
const MADE = [
  '<![CDATA[This feed was made]]>',
  '<![CDATA[<p>New builds, corrections and new games follow here while the account has Pro. What it follows is chosen on its page.</p>]]>',
];

/** Returns the content of each element with a tag name. */
function textsOf(tag: string, xml: string): string[] {
  return [...xml.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, text = '']) => text);
}

listening(
  'a feed has what the account follows, at an address that can be changed and is never logged',
  async ({ world, account }) => {
    const { gateway, store, clock } = world;
    const before = await renewFeed(store, account, { actor: GATEWAY, now: 7000 });
    const token = await renewFeed(store, account, { actor: GATEWAY, now: 9000 });
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(gateway.address + path, { headers });
    for (const path of [feedPath(before), feedPath('x'), '/feeds/', feedPath(`${token}a`)]) {
      assert.is((await get(path)).status, 404, path);
    }
    const empty = await (await get(feedPath(token))).text();
    assert.equal(textsOf('updated', empty), ['1970-01-01T00:00:07.000Z', '1970-01-01T00:00:07.000Z']);
    await world.publish(newGame('novel', clock.now));
    await world.publish(nextBuild(clock.now));
    await until(async () => (await recordsIn(store, 'event:')).length === 2);
    const response = await get(feedPath(token));
    assert.is(response.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const atom = await response.text();
    const entries = textsOf('entry', atom);
    assert.equal(
      entries.map((entry) => [...textsOf('title', entry), ...textsOf('content', entry)]),
      [['<![CDATA[Saga: build 1.1 is out]]>', '<![CDATA[<p>Added (1): Bo &#38; &#60;1&#62;</p>]]>'], MADE],
    );
    assert.match(textsOf('id', entries[0] ?? '')[0] ?? '', /^urn:uuid:[0-9a-f-]{36}$/);
    assert.match(atom, `<link rel="self" href="${PUBLIC_URL}${feedPath(token)}"/>`);
    const etag = response.headers.get('etag') ?? '';
    assert.is((await get(feedPath(token), { 'If-None-Match': etag })).status, 304);

    await follow(store, account, ['new_games']);
    assert.match(await (await get(feedPath(token))).text(), 'New game: NOVEL');
    await grantTier(store, 'ada@example.org', { tier: 'free', pro_until: null });
    const lapsed = await get(feedPath(token));
    assert.is(lapsed.status, 200);
    assert.equal(
      textsOf('entry', await lapsed.text()).map((entry) => textsOf('title', entry)[0]),
      [MADE[0]],
    );
    await until(() => gateway.logged.filter((line) => line.includes('/feeds/')).length >= 8);
    assert.not(gateway.logged.some((line) => line.includes(token) || line.includes(before)));
  },
);

listening('/api/me lists what the account follows', async ({ world, account }) => {
  const { gateway, store } = world;
  await follow(store, account, ['all_games']);
  const key = await issueKey(store, 'pro', 'ada@example.org');
  assert.equal((await gateway.ask('/api/me', { key })).json<{ follows: string[] }>().follows, [
    'all_games',
    'saga',
  ]);
});

listening.run();
