import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CHATS,
  type ChatName,
  type PostChannel,
  readSubscription,
  setAddress,
} from '../../../../gateway/people/alerts/channels.ts';
import { type GameEvent, makeTestEvent } from '../../../../gateway/people/alerts/event.ts';
import { readChatResponse, writeMessage } from '../../../../gateway/people/alerts/message.ts';
import { AddressError, postJson } from '../../../../gateway/people/alerts/post.ts';
import { exportAccount } from '../../../../gateway/people/privacy.ts';
import { OPERATOR } from '../../../../gateway/store/audit.ts';
import {
  type DiscordMessage,
  type SlackMessage,
  startChatServer,
  type TelegramMessage,
} from './chat-server.ts';
import { SAGA } from './games.ts';
import { type AlertWorld, PUBLIC_URL, startAlertWorld } from './world.ts';

const TOKEN = 'aZ09_-'.repeat(11);
const DISCORD = `https://discord.com/api/webhooks/1234567890/${TOKEN}`;
const SLACK = 'https://hooks.slack.com/services/T0AB/B0CD/aZ09aZ09aZ09';
const TELEGRAM = 'https://api.telegram.org/bot123456789:aZ09_-aZ09_-aZ09_-aZ09_-aZ09/sendMessage';

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

chat('are recognised by their addresses, which are shown without their secret', async ({ worlds }) => {
  const world = await startAlertWorld(SAGA);
  worlds.push(world);
  const id = await world.subscribe('ada@example.org', {});
  const set = async (address: string, channel: PostChannel = 'webhook') => {
    const options = { channel, policy: { isStrict: true }, actor: OPERATOR };
    const kind = await setAddress(world.store, id, address, options);
    return [kind, (await readSubscription(world.store, id)).channels[kind]?.shown];
  };
  const known: [string, PostChannel, string][] = [
    [DISCORD, 'discord', 'https://discord.com/api/webhooks/1234567890/…'],
    [`${DISCORD}?thread_id=5`, 'discord', 'https://discord.com/api/webhooks/1234567890/…'],
    [
      `https://canary.discord.com/api/v10/webhooks/1/${TOKEN}/`,
      'discord',
      'https://canary.discord.com/api/v10/webhooks/1/…',
    ],
    [`https://discordapp.com/api/webhooks/1/${TOKEN}`, 'discord', 'https://discordapp.com/api/webhooks/1/…'],
    [SLACK, 'slack', 'https://hooks.slack.com/services/T0AB/B0CD/…'],
    [`${TELEGRAM}?chat_id=-100123`, 'telegram', 'https://api.telegram.org/bot123456789:…'],
    [`${TELEGRAM}?message_thread_id=4&chat_id=@games`, 'telegram', 'https://api.telegram.org/bot123456789:…'],
  ];
  for (const [url, service, masked] of known) assert.equal(await set(url), [service, masked], url);
  for (const other of [
    'https://example.org/api/webhooks/1/x',
    `https://discord.com.example.org/api/webhooks/1/${TOKEN}`,
    'https://hooks.slack.com/workflows/T0AB/A0/1/x',
  ])
    assert.equal(await set(other), ['webhook', other]);
  for (const [wrong, channel] of [
    ['no address', 'webhook'],
    ['https://discord.com/channels/1/2', 'webhook'],
    [`${DISCORD}/github`, 'webhook'],
    ['https://example.org/', 'slack'],
    [TELEGRAM, 'telegram'],
    [`${TELEGRAM.replace('sendMessage', 'getMe')}?chat_id=1`, 'webhook'],
    ['https://discord.com/api/webhooks/1234567890/…', 'discord'],
  ] as [string, PostChannel][])
    await set(wrong, channel).then(
      () => assert.unreachable(wrong),
      (error: unknown) => assert.instance(error, AddressError),
    );
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
  const change = {
    collection: 'characters',
    id: 'a',
    name: long,
    path: '/atk',
    label: long,
    from: 120,
    to: 110,
  };
  return {
    ...event,
    type: 'build.released',
    data: {
      ...event.data,
      ...{ game: 'saga', title: long, build: '1.1', note: long },
      characters: {
        ...{ added: names, changed: names, removed: names },
        attributes: {
          gained: { count: 9, first: Array(9).fill(long) },
          lost: { count: 1, first: [long] },
        },
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
  respond?: (response: ServerResponse) => boolean,
) {
  const server = await startChatServer(service, respond);
  servers.push(server);
  const signal = new AbortController().signal;
  const options = { policy: { isStrict: false }, now: 0, signal };
  const chatService = CHATS[service];
  const message = writeMessage(event, { publicUrl: PUBLIC_URL, hasSite: true }, chatService);
  const posting = chatService.post(server.url, message, event);
  const outcome = await postJson(posting, options, (response) => readChatResponse(chatService, response));
  assert.equal(server.faults, []);
  return { outcome, message: server.messages[0] ?? '' };
}

chat(
  'get the largest event within their limits, and nothing in it is a mention or markup',
  async ({ servers }) => {
    for (const event of [largestEvent(), largestEvent('&'), largestEvent('👾')]) {
      const discord = await send(servers, 'discord', event);
      assert.is(discord.outcome.kind, 'delivered');
      const [embed] = (JSON.parse(discord.message) as DiscordMessage).embeds;
      assert.is(embed?.fields.length, 7);
      for (const text of [
        embed?.title,
        embed?.description,
        ...(embed?.fields ?? []).map(({ value }) => value),
      ]) {
        // Without the escaped characters, no special one is left.
        assert.not.match((text ?? '').replace(/\\[^0-9A-Za-z\s]/g, ''), /[\\*_~`|<>#[\]@]/);
      }
      const telegram = await send(servers, 'telegram', event);
      assert.is(telegram.outcome.kind, 'delivered');
      const { text, chat_id } = JSON.parse(telegram.message) as TelegramMessage;
      assert.equal([chat_id, (text.match(/<[^>]+>/g) ?? []).length], ['-100123', 2 * 8 + 2]);
      const slack = await send(servers, 'slack', event);
      assert.is(slack.outcome.kind, 'delivered');
      const { blocks } = JSON.parse(slack.message) as SlackMessage;
      assert.equal(
        blocks.filter(({ text }) => text.type === 'mrkdwn').map(({ text }) => text.text),
        [
          '*Added (500)*',
          '*Changed (500)*',
          '*Removed (500)*',
          '*Largest changes (20)*',
          '*Datasets (1)*',
          '*New attributes of the data (9)*',
          '*Attributes that the data no longer has (1)*',
          `<${PUBLIC_URL}/games/saga/patches/1.1|Open the page> ${SEEN_BY}`,
        ],
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
      ...{ title: 'Saga', note: null, datasets: { count: 0, first: [] } },
      characters: {
        added: named('Ann', 'Bob'),
        removed: named(),
        changed: { count: 3, first: [{ id: 'c', name: 'Cleo' }] },
      },
      largest: [
        {
          collection: 'characters',
          id: 'c',
          name: 'Cleo',
          path: '/stats/atk',
          label: 'ATK',
          from: 120,
          to: 110,
        },
        { collection: 'items', id: 'i', path: '/price', from: 0.5, to: -1 },
      ],
    },
  };
  const discord = JSON.parse((await send(servers, 'discord', small)).message) as DiscordMessage;
  assert.equal(discord, {
    embeds: [
      {
        title: 'Saga\\: build 1\\.1 is out',
        url: `${PUBLIC_URL}/games/saga/patches/1.1`,
        color: 0x1565c0,
        timestamp: '2026-06-17T03:00:00.000Z',
        fields: [
          { name: 'Added (2)', value: 'Ann, Bob' },
          { name: 'Changed (3)', value: 'Cleo and 2 more' },
          { name: 'Largest changes (2)', value: 'Cleo\\: ATK 120 → 110\ni\\: price 0\\.5 → \\-1' },
        ],
        footer: { text: `Game Data Read API. ${SEEN_BY}` },
      },
    ],
    allowed_mentions: { parse: [] },
  });
  const telegram = JSON.parse((await send(servers, 'telegram', small)).message) as TelegramMessage;
  assert.equal(telegram, {
    chat_id: '-100123',
    text: `<b>Saga: build 1.1 is out</b>

<b>Added (2)</b>
Ann, Bob

<b>Changed (3)</b>
Cleo and 2 more

<b>Largest changes (2)</b>
Cleo: ATK 120 → 110
i: price 0.5 → -1

<a href="${PUBLIC_URL}/games/saga/patches/1.1">Open the page</a> ${SEEN_BY}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  });
});

chat('link to a page that exists, and say from when on visitors see it', () => {
  const event = largestEvent();
  const linksOf = (changes: Partial<Omit<GameEvent, 'data'>>, data: object = {}, hasSite = true) => {
    const changed = { ...event, ...changes, data: { ...event.data, ...data } } as GameEvent;
    const { url, seenBy } = writeMessage(changed, { publicUrl: PUBLIC_URL, hasSite }, CHATS.slack);
    return [url.slice(PUBLIC_URL.length), seenBy];
  };
  const old = { released_at: '2026-06-16T03:00:00Z' };
  assert.equal(linksOf({}), ['/games/saga/patches/1.1', SEEN_BY]);
  assert.equal(linksOf({}, { build: '1.1 a/b' }), ['/games/saga/patches/1.1%20a%2Fb', SEEN_BY]);
  assert.equal(linksOf({ type: 'build.amended' }, old), ['/games/saga/patches/1.1', '']);
  assert.equal(linksOf({ type: 'game.added' }), ['/games', SEEN_BY]);
  assert.equal(linksOf({ type: 'game.added' }, old), ['/games/saga', '']);
  assert.equal(linksOf({ type: 'build.withdrawn' }, old), ['/games/saga', '']);
  assert.equal(linksOf({ type: 'alerts.test' }), ['/account', '']);
  assert.equal(linksOf({}, {}, false), ['/account', ''], 'a gateway without the site');
});

const RESPONSES: [ChatName, number, string, object][] = [
  ['discord', 204, '', { kind: 'delivered' }],
  [
    'discord',
    429,
    '{"message":"slow down","retry_after":1.25,"global":false}',
    { kind: 'failed', retryAfter: 1250 },
  ],
  ['discord', 429, '<html>', { kind: 'failed', retryAfter: 7000 }],
  ['discord', 404, '{"code":10015,"message":"Unknown Webhook"}', { kind: 'gone' }],
  ['discord', 401, '{"code":50027}', { kind: 'gone' }],
  ['discord', 403, '<html>blocked</html>', { kind: 'failed' }],
  ['discord', 404, 'null', { kind: 'failed' }],
  ['discord', 400, '{"code":50035}', { kind: 'refused' }],
  ['discord', 500, '', { kind: 'failed' }],
  ['slack', 200, 'ok', { kind: 'delivered' }],
  ['slack', 429, 'rate_limited', { kind: 'failed', retryAfter: 7000 }],
  ['slack', 404, 'no_service', { kind: 'gone' }],
  ['slack', 410, 'channel_is_archived', { kind: 'gone' }],
  ['slack', 403, 'blocked', { kind: 'failed' }],
  ['slack', 400, 'invalid_blocks', { kind: 'refused' }],
  ['telegram', 200, '{"ok":true}', { kind: 'delivered' }],
  ['telegram', 429, '{"ok":false,"parameters":{"retry_after":3}}', { kind: 'failed', retryAfter: 3000 }],
  ['telegram', 403, '{"ok":false,"description":"Forbidden: bot was kicked"}', { kind: 'gone' }],
  ['telegram', 401, '{"ok":false,"description":"Unauthorized"}', { kind: 'gone' }],
  ['telegram', 400, '{"ok":false,"description":"Bad Request: chat not found"}', { kind: 'gone' }],
  ['telegram', 400, '{"ok":false,"description":"Bad Request: can\'t parse entities"}', { kind: 'refused' }],
  ['telegram', 502, '<html>', { kind: 'failed' }],
];

chat('have the outcomes that the services document', async ({ servers }) => {
  const event = makeTestEvent('test-1', 0);
  for (const [service, status, body, expected] of RESPONSES) {
    const { outcome } = await send(servers, service, event, (response) => {
      response.writeHead(status, status === 429 ? { 'Retry-After': '7' } : {}).end(body);
      return true;
    });
    const { kind, ...rest } = outcome;
    const retryAfter = 'retryAfter' in rest ? { retryAfter: rest.retryAfter } : {};
    const isLimited = status === 429 || 'retryAfter' in expected;
    assert.equal(isLimited ? { kind, ...retryAfter } : { kind }, expected, `${service} ${status} ${body}`);
  }
});

chat.run();
