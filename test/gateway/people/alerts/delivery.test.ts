import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHATS, isPosted, KINDS, readSubscription } from '../../../../gateway/people/alerts/channels.ts';
import { sendTest } from '../../../../gateway/people/alerts/deliver.ts';
import { createSmtpMailer } from '../../../../gateway/people/mailer.ts';
import { erasePerson } from '../../../../gateway/people/privacy.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { keysOf } from '../../../../scripts/format/dist-format.ts';
import { grantTier } from '../../../support/accounts.ts';
import { issueKey } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';
import { startSmtp, type TestSmtp } from '../smtp-server.ts';
import { EXAMPLES, startChatServer } from './chat-services.ts';
import { type Consumer, type Post, startConsumer } from './consumer.ts';
import { newGame, nextBuild, SAGA } from './games.ts';
import { type AlertWorld, secretOf, setHook, startAlertWorld } from './world.ts';

/** How many rows a table has. @param where which of them */
async function countRows(store: Store, table: string, where = 'id IS NOT NULL'): Promise<number> {
  const row = await store.get<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE ${where}`);
  return row?.count ?? 0;
}

const WAITING = 'done_at IS NULL AND failed_at IS NULL';

interface Context {
  world: AlertWorld;
  smtp: TestSmtp;
}

const delivery = suite<Context>('deliveries');
delivery.before.each(async (context) => {
  context.smtp = await startSmtp((address) => (address.startsWith('refused@') ? 550 : undefined));
  const mailer = createSmtpMailer(context.smtp.url, 'Games <alerts@example.org>');
  context.world = await startAlertWorld(SAGA, mailer);
});
delivery.after.each(({ world }) => world.stop());

delivery('reach each Pro account that follows the game, all games or new games, once', async (context) => {
  const { world, smtp } = context;
  const { store, clock } = world;
  const follows = {
    game: ['saga'],
    all: ['all_games', 'saga'],
    fresh: ['new_games'],
    other: ['novel'],
    nothing: [],
    lapsed: ['all_games'],
  };
  const consumers = new Map<string, Consumer>();
  for (const [name, topics] of Object.entries(follows)) {
    const consumer = await startConsumer();
    consumers.set(name, consumer);
    await world.subscribe(`${name}@example.org`, { follows: topics, url: consumer.url, mail: true });
  }
  await grantTier(store, 'lapsed@example.org', { tier: 'free', pro_until: null });
  await world.publish(nextBuild(clock.now));
  await world.publish(newGame('novel', clock.now));
  const received = () =>
    Object.fromEntries(
      [...consumers].map(([name, { posts }]) => [
        name,
        posts.map(({ event }) => `${event.type} ${event.data.game}`).sort(),
      ]),
    );
  await until(() => Object.values(received()).flat().length >= 5 && smtp.mails.length >= 5);
  // When the next event has arrived everywhere, nothing of the first is still on its way.
  await world.publish(nextBuild(clock.now, '1.2'));
  await until(() => Object.values(received()).flat().length >= 7 && smtp.mails.length >= 7);
  assert.equal(received(), {
    game: ['build.released saga', 'build.released saga'],
    all: ['build.released saga', 'build.released saga', 'game.added novel'],
    fresh: ['game.added novel'],
    other: ['game.added novel'],
    nothing: [],
    lapsed: [],
  });
  assert.equal(
    smtp.mails
      .filter(({ to }) => to[0] === 'all@example.org')
      .map(({ subject }) => subject)
      .sort(),
    ['New game: NOVEL (build 1.0)', 'Saga: build 1.1 is out', 'Saga: build 1.2 is out'],
  );
  const mail = smtp.mails.find(({ subject }) => subject === 'Saga: build 1.1 is out');
  assert.match(mail?.text ?? '', 'Added (1): Bo & <1>\n');
});

delivery(
  'are retried on schedule, with the same id and body, signed, and not before Retry-After',
  async (context) => {
    const { world } = context;
    const { clock } = world;
    const consumer = await startConsumer((response, before) => {
      const status = [500, 503, 302, 200][before] ?? 200;
      response.writeHead(status, before === 1 ? { 'Retry-After': '3600' } : {}).end();
    });
    const probe = await world.subscribe('probe@example.org', { mail: true });
    const account = await world.subscribe('ada@example.org', { follows: ['saga'], url: consumer.url });
    await world.publish(nextBuild(clock.now));
    const waits = [5000, 3_600_000, 1_800_000];
    const attemptOf = async () => (await world.attempts(account))[0];
    for (const [index, wait] of waits.entries()) {
      await until(async () => (await attemptOf())?.attempt === index + 1);
      const last = await attemptOf();
      assert.equal(
        [last?.outcome, last?.detail],
        ['failed', `the response had status ${[500, 503, 302][index]}`],
      );
      const next = Date.parse(last?.next_at ?? '') - clock.now;
      assert.ok(next >= wait && next <= wait * 1.1, `${next} is not ${wait} to ${wait * 1.1}`);
      clock.now += next - 1;
      // A test that is sent after the time was set shows that the queue was read at that time.
      await sendTest(world.store, probe, 'mail');
      await until(async () => (await world.attempts(probe)).length === index + 1);
      assert.is(consumer.posts.length, index + 1);
      clock.now += 1;
    }
    await until(async () => (await attemptOf())?.outcome === 'delivered');
    const attempts = await world.attempts(account);
    assert.equal(
      attempts.map(({ attempt, detail }) => [attempt, detail]),
      [[4, '']],
    );
    assert.is(attempts[0]?.next_at, null);
    assert.is(new Set(consumer.posts.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.is(new Set(consumer.posts.map(({ body }) => body)).size, 1);
    const { body, headers } = consumer.posts[0] as Post;
    new Webhook(await secretOf(world.store, account)).verify(body, headers as Record<string, string>);
  },
);

delivery(
  'stop when a receiver says that it is gone, until its address is set again; others go on',
  async (context) => {
    const { world, smtp } = context;
    const { clock, store } = world;
    const consumer = await startConsumer((response, before) =>
      response.writeHead(before === 0 ? 410 : 200).end(),
    );
    const account = await world.subscribe('ada@example.org', {
      follows: ['saga'],
      url: consumer.url,
      mail: true,
    });
    for (const service of keysOf(CHATS)) {
      const [status = 0, body] =
        EXAMPLES[service].responses.find(([, , failure]) => failure === 'gone') ?? [];
      const server = await startChatServer(service, (response) => response.writeHead(status).end(body));
      await setHook(store, account, service, server.url);
    }
    await world.publish(nextBuild(clock.now));
    const key = await issueKey(store, 'pro', 'ada@example.org');
    const states = async () => {
      const me = await world.gateway.ask('/api/me', { key });
      return me.json<{ channels: Record<string, string> }>().channels;
    };
    const gone = KINDS.filter(isPosted).map((channel) => [channel, 'disabled']);
    const expected = { ...Object.fromEntries(gone), mail: 'on', feed: 'off' };
    await until(
      async () => Object.values(await states()).filter((each) => each === 'disabled').length === gone.length,
    );
    assert.equal(await states(), expected);
    await until(() => smtp.mails.length === 1);
    const { webhook } = (await readSubscription(store, account)).channels;
    assert.is(
      webhook?.disabled_reason,
      'the response had status 410, which means that the webhook was removed',
    );
    await world.publish(nextBuild(clock.now, '1.2'));
    await until(async () => (await countRows(store, 'events')) === 2);
    await setHook(store, account, 'webhook', consumer.url);
    await world.publish(nextBuild(clock.now, '1.3'));
    await until(() => consumer.posts.length === 2);
    assert.is(consumer.posts[1]?.event.data.build, '1.3');
  },
);

delivery('that find a webhook gone do not disable the one that replaced it meanwhile', async (context) => {
  const { world } = context;
  const { store } = world;
  let respond = () => {};
  const consumer = await startConsumer((response) => {
    respond = () => response.writeHead(410).end();
  });
  const account = await world.subscribe('ada@example.org', { follows: ['saga'], url: consumer.url });
  await world.publish(nextBuild(world.clock.now));
  await until(() => consumer.posts.length === 1);
  await setHook(store, account, 'webhook', `${consumer.url}/new`);
  respond();
  await until(async () => (await world.attempts(account)).length === 1);
  assert.is((await readSubscription(store, account)).channels.webhook?.disabled_at, null);
});

delivery('that fail are logged without addresses', async (context) => {
  const { world, smtp } = context;
  const { clock } = world;
  const consumer = await startConsumer((response) => response.writeHead(503).end());
  const account = await world.subscribe('ada@example.org', {
    follows: ['saga'],
    url: `${consumer.url}?token=hidden`,
    mail: true,
  });
  const refused = await world.subscribe('refused@example.org', { follows: ['saga'], mail: true });
  await world.publish(nextBuild(clock.now));
  await until(() => smtp.mails.length === 1 && world.errors.length === 2);
  assert.is((await world.attempts(refused))[0]?.next_at, null, 'it is given up');
  const logged = world.errors
    .map(({ message, fields: { error, ...fields } }) => ({
      message,
      channel: '',
      ...fields,
      error: error !== undefined,
    }))
    .sort((a, b) => b.channel.localeCompare(a.channel));
  const failure = { message: 'an alert could not be sent', attempt: 1, error: true };
  assert.equal(logged, [
    { ...failure, channel: 'webhook', account, failure: 'unavailable' },
    { ...failure, channel: 'mail', account: refused, failure: 'refused' },
  ]);
  assert.not.match(JSON.stringify(world.errors), /hidden|@example/);
});

delivery('to webhooks that hang delay no other deliveries', async (context) => {
  const { world } = context;
  const { clock } = world;
  const hanging = await startConsumer(() => {});
  const quick = await startConsumer();
  for (let index = 0; index < 20; index++) {
    await world.subscribe(`a${index}@example.org`, { follows: ['saga'], url: hanging.url });
  }
  await world.subscribe('quick@example.org', { follows: ['saga'], url: quick.url });
  for (const build of ['1.1', '1.2', '1.3', '1.4']) {
    await world.publish(nextBuild(clock.now, build));
    await until(() => quick.posts.at(-1)?.event.data.build === build);
  }
  await until(() => hanging.posts.length >= 20);
});

delivery('of mails are at most 32 at once, and delay no webhook', async () => {
  const held: ((failure: undefined) => void)[] = [];
  const world = await startAlertWorld(SAGA, {
    send: () => new Promise((resolve) => void held.push(resolve)),
  });
  for (let n = 0; n < 40; n++) await world.subscribe(`a${n}@example.org`, { follows: ['saga'], mail: true });
  const { url, posts } = await startConsumer();
  await world.subscribe('hook@example.org', { follows: ['saga'], url });
  for (const build of ['1.1', '1.2']) {
    await world.publish(nextBuild(world.clock.now, build));
    await until(() => posts.at(-1)?.event.data.build === build && held.length >= 32);
  }
  assert.is(held.length, 32);
  for (const resolve of held) resolve(undefined);
  await world.stop();
});

delivery(
  'that the gateway aborts when it stops are given back, and not counted as attempts',
  async (context) => {
    const { world } = context;
    const hanging = await startConsumer(() => {});
    await world.subscribe('ada@example.org', { follows: ['saga'], url: hanging.url });
    await world.publish(nextBuild(world.clock.now));
    await until(() => hanging.posts.length === 1);
    await world.close();
    assert.is(
      await countRows(world.store, 'deliveries', `${WAITING} AND leased_until = 0 AND attempts = 0`),
      1,
    );
  },
);

delivery('stop when the account is deleted, and leave nothing of it in the store', async (context) => {
  const { world } = context;
  const { store, clock } = world;
  let free = () => {};
  const consumer = await startConsumer((response) => {
    free = () => response.writeHead(500).end();
  });
  await world.subscribe('gone@example.org', { follows: ['saga'], url: consumer.url });
  await world.publish(nextBuild(clock.now));
  await until(() => consumer.posts.length === 1);
  await erasePerson(store, 'gone@example.org');
  free();
  await until(async () => {
    clock.now += 10_000;
    return (await countRows(store, 'deliveries', WAITING)) === 0;
  });
  assert.is(consumer.posts.length, 1);
  for (const table of ['deliveries', 'channels', 'follows'])
    assert.is(await countRows(store, table, 'account IS NOT NULL'), 0, table);
});

delivery.run();
