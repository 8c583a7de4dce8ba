import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CHATS,
  type ChatName,
  type ChannelName,
  readSubscription,
  setChannel,
} from '../../../../gateway/people/alerts/channels.ts';
import { type GameEvent, makeTestEvent } from '../../../../gateway/people/alerts/event.ts';
import { writeMessage } from '../../../../gateway/people/alerts/message.ts';
import { postJson } from '../../../../gateway/people/alerts/post.ts';
import { exportAccount } from '../../../../gateway/people/privacy.ts';
import { OPERATOR } from '../../../../gateway/store/audit.ts';
import { keysOf } from '../../../../scripts/format/dist-format.ts';
import { EXAMPLES, startChatServer } from './chat-services.ts';
import { SAGA } from './games.ts';
import { type AlertWorld, PUBLIC_URL, startAlertWorld } from './world.ts';

const SERVICES = keysOf(CHATS);

const chat = suite<{ servers: { stop(): Promise<void> }[]; worlds: AlertWorld[] }>(
  'webhooks of chat services',
);
chat.before.each((context) => {
  context.servers = [];
  context.worlds = [];
});
chat.after.each(async ({ servers, worlds }) => {
  for (const world of worlds) await world.stop();
  for (const server of servers) await server.stop();
});

chat('have addresses of their services, which are shown without their secret', async ({ worlds }) => {
  const world = await startAlertWorld(SAGA);
  worlds.push(world);
  const account = await world.subscribe('ada@example.org', {});
  const set = async (kind: ChannelName, address: string) => {
    const owner = { account, actor: OPERATOR };
    await setChannel(world.store, owner, kind, { address, policy: { isStrict: true } });
    return (await readSubscription(world.store, account)).channels[kind]?.shown;
  };
  for (const service of SERVICES) {
    const { addresses, wrong } = EXAMPLES[service];
    for (const [url, shown] of addresses) assert.is(await set(service, url), shown, url);
    for (const other of [
      ...wrong,
      'https://example.org/',
      'https://discord.com.example.org/api/webhooks/1/aZ',
    ]) {
      const error = await set(service, other).catch((reason: Error) => reason.message);
      assert.match(String(error), `it is not that of a webhook of ${CHATS[service].label}; expected`);
    }
    for (const other of ['no address', ...addresses.map(([, shown]) => shown)]) {
      const error = await set(service, other).catch((reason: Error) => reason.message);
      assert.match(String(error), /^webhooks cannot be sent to this address: /, other);
    }
  }
  assert.is(await set('webhook', 'https://u:aZ09@example.org/aZ09?t=aZ09'), 'https://example.org/…');
  const rows = await world.store.all('SELECT * FROM channels');
  const told = JSON.stringify([rows, await exportAccount(world.store, 'ada@example.org')]);
  assert.not.match(told, /aZ09/, 'the secrets of addresses are encrypted and not exported');
});

const HOSTILE =
  '@everyone @here <!channel> <!here|x> <@123> <@&5> <#7> [a](https://evil.example) **b** `c` ||d|| \\ &amp; # e';

/** What is said of the page about that event for a day. */
const SEEN_BY = 'The page is public from 2026-06-18 03:00 UTC. Pro accounts see the build now.';

/** An event with as much as an event can have, all of it hostile. */
function largestEvent(text = HOSTILE): GameEvent {
  const long = text.repeat(3).slice(0, 300);
  const names = {
    count: 500,
    first: Array.from({ length: 100 }, (_, index) => ({ id: `${index}`, name: long })),
  };
  const event = makeTestEvent('event-1', Date.parse('2026-06-17T03:00:00Z'));
  const change = { collection: 'characters', name: long, path: '/atk', label: long, from: 120, to: 110 };
  return {
    ...event,
    type: 'build.released',
    data: {
      ...event.data,
      game: 'saga',
      title: long,
      build: '1.1',
      note: long,
      characters: {
        added: names,
        changed: names,
        removed: names,
        attributes: { gained: { count: 9, first: Array(9).fill(long) }, lost: { count: 1, first: [long] } },
      },
      datasets: { count: 1, first: [{ key: 'items', added: 1, removed: 0, changed: 2 }] },
      largest: Array(20).fill(change),
    },
  };
}

async function send(
  servers: { stop(): Promise<void> }[],
  service: ChatName,
  event: GameEvent,
  respond?: (response: ServerResponse) => void,
) {
  const server = await startChatServer(service, respond);
  servers.push(server);
  const { signal } = new AbortController();
  const chatService = CHATS[service];
  const options = { policy: { isStrict: false }, now: 0, signal, final: chatService.final };
  const message = writeMessage(event, { publicUrl: PUBLIC_URL, hasSite: true });
  const posting = chatService.post(server.url, message, event);
  const failure = await postJson(posting, options);
  assert.equal(server.faults, [], service);
  return { failure, message: JSON.parse(server.messages[0] ?? '') as unknown };
}

chat(
  'get the largest event within their limits, and nothing in it is a mention or markup',
  async ({ servers }) => {
    for (const event of [largestEvent(), largestEvent('&'), largestEvent('👾')])
      for (const service of SERVICES) {
        const { failure, message } = await send(servers, service, event);
        assert.is(failure, undefined, service);
        const { texts, special } = EXAMPLES[service].textsIn(message);
        for (const text of texts) assert.not.match(text, special, service);
        const written = JSON.stringify(message);
        for (const name of ['Added', 'Largest changes', 'Datasets', 'no longer has'])
          assert.ok(written.includes(name), `${service}: ${name}`);
        assert.ok(
          written.includes(`${PUBLIC_URL}/games/saga/patches/1.1`) && written.includes(SEEN_BY),
          service,
        );
      }
  },
);

chat('name what changed, with values, and link to the page of the patch', async ({ servers }) => {
  const { data, ...event } = largestEvent();
  const named = (...names: string[]) => ({
    count: names.length,
    first: names.map((name) => ({ id: name, name })),
  });
  const small: GameEvent = {
    ...event,
    data: {
      ...data,
      title: 'Saga',
      note: null,
      datasets: { count: 0, first: [] },
      characters: {
        added: named('Ann', 'Bob'),
        removed: named(),
        changed: { count: 3, first: [{ id: 'c', name: 'Cleo' }] },
      },
      largest: [
        { collection: 'characters', name: 'Cleo', path: '/stats/atk', label: 'ATK', from: 120, to: 110 },
        { collection: 'items', id: 'i', path: '/price', from: 0.5, to: -1 },
      ],
    },
  };
  const { message: discord } = await send(servers, 'discord', small);
  assert.equal(discord, {
    embeds: [
      {
        title: 'Saga\\: build 1\\.1 is out',
        url: `${PUBLIC_URL}/games/saga/patches/1.1`,
        timestamp: '2026-06-17T03:00:00.000Z',
        description:
          'Added \\(2\\)\\: Ann, Bob\n\nChanged \\(3\\)\\: Cleo, …\n\n' +
          'Largest changes \\(2\\)\\: Cleo\\: ATK 120 → 110, i\\: price 0\\.5 → \\-1',
        footer: { text: `Game Data Read API. ${SEEN_BY}` },
      },
    ],
    allowed_mentions: { parse: [] },
  });
  const { message: telegram } = await send(servers, 'telegram', small);
  assert.equal(telegram, {
    chat_id: '-100123',
    text: `<b>Saga: build 1.1 is out</b>

Added (2): Ann, Bob

Changed (3): Cleo, …

Largest changes (2): Cleo: ATK 120 → 110, i: price 0.5 → -1

<a href="${PUBLIC_URL}/games/saga/patches/1.1">Open the page</a> ${SEEN_BY}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  });
});

chat('link to a page that exists, and say from when on visitors see it', () => {
  const event = largestEvent();
  const linksOf = (changes: Partial<Omit<GameEvent, 'data'>>, data: object = {}, hasSite = true) => {
    const changed = { ...event, ...changes, data: { ...event.data, ...data } } as GameEvent;
    const { url, seenBy } = writeMessage(changed, { publicUrl: PUBLIC_URL, hasSite });
    return [url.slice(PUBLIC_URL.length), seenBy];
  };
  const old = { released_at: '2026-06-16T03:00:00Z' };
  assert.equal(linksOf({}), ['/games/saga/patches/1.1', SEEN_BY]);
  assert.equal(linksOf({}, { build: '1.1 a/b' }), ['/games/saga/patches/1.1%20a%2Fb', SEEN_BY]);
  assert.equal(linksOf({ type: 'build.amended' }, old), ['/games/saga/patches/1.1', '']);
  assert.equal(linksOf({ type: 'game.added' }), ['/games/saga', SEEN_BY]);
  assert.equal(linksOf({ type: 'build.withdrawn' }, old), ['/games/saga', '']);
  assert.equal(linksOf({ type: 'alerts.test' }), ['/account', '']);
  assert.equal(linksOf({}, {}, false), ['/account', ''], 'a gateway without the site');
});

chat('have the outcomes that the services document', async ({ servers }) => {
  const event = makeTestEvent('test-1', 0);
  for (const service of SERVICES)
    for (const [status, body, expected, retryAfter] of EXAMPLES[service].responses) {
      const { failure } = await send(servers, service, event, (response) =>
        response.writeHead(status, retryAfter ? { 'Retry-After': '7' } : {}).end(body),
      );
      const waits = failure?.retryAfter || undefined;
      assert.equal([failure?.failure, waits], [expected, retryAfter], `${service} ${status} ${body}`);
    }
});

chat.run();
