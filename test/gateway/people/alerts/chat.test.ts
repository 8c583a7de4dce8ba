import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Vault } from '../../../../gateway/keys/vault.ts';
import {
  type ChatService,
  checkChatAddress,
  findChatService,
  maskAddress,
} from '../../../../gateway/people/alerts/chat-service.ts';
import { type GameEvent, makeTestEvent } from '../../../../gateway/people/alerts/event.ts';
import { AddressError } from '../../../../gateway/people/alerts/public-address.ts';
import * as settings from '../../../../gateway/people/alerts/settings.ts';
import { postMessage } from '../../../../gateway/people/alerts/webhook.ts';
import { OPERATOR } from '../../../../gateway/people/audit/audit-event.ts';
import { exportAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { until } from '../../../support/until.ts';
import { type ChatServer, type DiscordMessage, type SlackMessage, startChatServer } from './chat-server.ts';
import { nextBuild, SAGA } from './games.ts';
import { type AlertWorld, PUBLIC_URL, startAlertWorld } from './world.ts';

const TOKEN = 'aZ09_-'.repeat(11);
const DISCORD = `https://discord.com/api/webhooks/1234567890/${TOKEN}`;
const SLACK = 'https://hooks.slack.com/services/T0AB/B0CD/aZ09aZ09aZ09';

const chat = suite<{ servers: ChatServer[]; worlds: AlertWorld[] }>('webhooks of chat services');
chat.before.each((context) => {
  context.servers = [];
  context.worlds = [];
});
chat.after.each(async ({ servers, worlds }) => {
  for (const world of worlds) await world.stop();
  for (const server of servers) await server.stop();
});

chat('are recognised by their addresses, which are shown without their secret', () => {
  const known: [string, ChatService | undefined, string][] = [
    [DISCORD, 'discord', 'https://discord.com/api/webhooks/1234567890/…'],
    [`${DISCORD}?thread_id=5`, 'discord', 'https://discord.com/api/webhooks/1234567890/…'],
    [
      `https://canary.discord.com/api/v10/webhooks/1/${TOKEN}/`,
      'discord',
      'https://canary.discord.com/api/v10/webhooks/1/…',
    ],
    [`https://discordapp.com/api/webhooks/1/${TOKEN}`, 'discord', 'https://discordapp.com/api/webhooks/1/…'],
    [SLACK, 'slack', 'https://hooks.slack.com/services/T0AB/B0CD/…'],
  ];
  for (const [url, service, masked] of known)
    assert.equal([findChatService(url), maskAddress(url)], [service, masked], url);
  for (const other of [
    'no address',
    'https://example.org/api/webhooks/1/x',
    `https://discord.com.example.org/api/webhooks/1/${TOKEN}`,
    'https://discord.com/channels/1/2',
    `${DISCORD}/slack`,
    'https://hooks.slack.com/workflows/T0AB/A0/1/x',
  ]) {
    assert.is(findChatService(other), undefined, other);
    assert.is(maskAddress(other), other);
  }
  for (const wrong of ['https://discord.com/channels/1/2', `${DISCORD}/github`])
    assert.throws(
      () => checkChatAddress(new URL(wrong)),
      (error: unknown) => error instanceof AddressError,
    );
  for (const right of [DISCORD, SLACK, 'https://example.org/channels/1']) checkChatAddress(new URL(right));
});

const HOSTILE =
  '@everyone @here <!channel> <!here|x> <@123> <@&5> <#7> [a](https://evil.example) **b** `c` ||d|| \\ &amp; # e';

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
  servers: ChatServer[],
  service: ChatService,
  event: GameEvent,
  respond?: (response: ServerResponse) => boolean,
) {
  const server = await startChatServer(service, respond);
  servers.push(server);
  const signal = new AbortController().signal;
  const options = { policy: { isStrict: false }, now: 0, signal };
  const outcome = await postMessage({ service, url: server.url, publicUrl: PUBLIC_URL }, event, options);
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
          `<${PUBLIC_URL}/games/saga/patches/1.1|Open the page>`,
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
        footer: { text: 'Game Data Read API' },
      },
    ],
    allowed_mentions: { parse: [] },
  });
  const slack = JSON.parse((await send(servers, 'slack', small)).message) as SlackMessage;
  assert.equal(
    slack.blocks.map(({ text }) => text.text),
    [
      'Saga: build 1.1 is out',
      ...['*Added (2)*', 'Ann, Bob', '*Changed (3)*', 'Cleo and 2 more'],
      ...['*Largest changes (2)*', 'Cleo: ATK 120 → 110\ni: price 0.5 → -1'],
      `<${PUBLIC_URL}/games/saga/patches/1.1|Open the page>`,
    ],
  );
});

const RESPONSES: [ChatService, number, string, object][] = [
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

chat('get a new build, also when they have refused it for a time', async ({ servers, worlds }) => {
  const server = await startChatServer('discord', (response, before) => {
    if (before > 0) return false;
    response.writeHead(429).end('{"retry_after":600}');
    return true;
  });
  servers.push(server);
  const world = await startAlertWorld(SAGA, undefined, new Vault([]), () => 'discord');
  worlds.push(world);
  const account = await world.subscribe('ada@example.org', { follows: ['saga'], url: server.url });
  await world.publish(nextBuild(world.clock.now));
  await until(async () => (await world.attempts(account)).length === 1);
  const [first] = await world.attempts(account);
  assert.ok(Date.parse(first?.next_at ?? '') - world.clock.now >= 590_000);
  world.clock.now = Date.parse(first?.next_at ?? '');
  await until(async () => (await world.attempts(account))[0]?.outcome === 'delivered');
  assert.equal(server.faults, []);
  const [embed] = (JSON.parse(server.messages[0] ?? '') as DiscordMessage).embeds;
  assert.equal(embed?.fields, [{ name: 'Added (1)', value: 'Bo \\& \\<1\\>' }]);
});

chat('are set like others, and no report or log has their secret', async ({ worlds }) => {
  const world = await startAlertWorld(SAGA);
  worlds.push(world);
  const { store, clock } = world;
  const account = await world.subscribe('ada@example.org', {});
  const by = { policy: { isStrict: true }, vault: new Vault([]), actor: OPERATOR, now: clock.now };
  assert.is((await settings.setWebhook(store, account, DISCORD, by)).url, DISCORD);
  const exported = JSON.stringify(await exportAccount(store, 'ada@example.org'));
  assert.ok(exported.includes('https://discord.com/api/webhooks/1234567890/…'), exported);
  assert.not.ok(exported.includes(TOKEN));
  for (const wrong of [maskAddress(DISCORD), 'https://discord.com/channels/1/2']) {
    const refused = await settings.setWebhook(store, account, wrong, by).catch((error: unknown) => error);
    assert.instance(refused, AddressError);
  }
});

chat.run();
