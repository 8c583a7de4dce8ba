import { recordsIn } from '../../../support/store-content.ts';
import { InputError } from '../../../../gateway/input/input-error.ts';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readVault, Vault } from '../../../../gateway/people/alerts/vault.ts';
import { DELIVERIES, sendTest } from '../../../../gateway/people/alerts/delivery.ts';
import { encryptSecrets } from '../../../../gateway/people/alerts/encrypt-secrets.ts';
import * as settings from '../../../../gateway/people/alerts/settings.ts';
import { findSubscription } from '../../../../gateway/people/alerts/subscription.ts';
import { openSecrets } from '../../../../gateway/people/alerts/channels/webhook-secrets.ts';
import { OPERATOR } from '../../../../gateway/store/audit.ts';
import { until } from '../../../support/until.ts';
import { type Consumer, type Post, startConsumer } from './consumer.ts';
import { nextBuild, SAGA } from './games.ts';
import { type AlertWorld, startAlertWorld } from './world.ts';

const DAY = 86_400_000;
const [OLD, NEW, OTHER] = [randomBytes(32), randomBytes(32), randomBytes(32)];

interface Context {
  world: AlertWorld;
  consumer: Consumer;
}

const secrets = suite<Context>('the secrets of webhooks');
secrets.before.each(async (context) => {
  context.consumer = await startConsumer();
});
secrets.after.each(async ({ world, consumer }) => {
  await world.stop();
  await consumer.stop();
});

/** Returns whether a post is signed with a secret, whatever its time. */
function isSigned({ body, headers }: Post, secret: string): boolean {
  const time = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = new Webhook(secret).sign(headers['webhook-id'] as string, time, body);
  return (headers['webhook-signature'] as string).split(' ').includes(expected);
}

async function nextPost({ world, consumer }: Context, account: string): Promise<Post> {
  const count = consumer.posts.length;
  const [before] = await world.attempts(account);
  world.clock.now += 1;
  await sendTest(world.store, account, 'webhook', world.clock.now);
  // Until it is settled, a change of the clock would end its lease, and it would be sent again.
  await until(async () => (await world.attempts(account))[0]?.event.id !== before?.event.id);
  return consumer.posts[count] as Post;
}

secrets('are both valid for a day after one is renewed, and only the new one afterwards', async (context) => {
  const vault = new Vault([NEW]);
  context.world = await startAlertWorld(SAGA, undefined, vault);
  const { world, consumer } = context;
  const { store, clock } = world;
  const account = await world.subscribe('ada@example.org', { url: consumer.url });
  const by = () => ({ vault, actor: OPERATOR, now: clock.now });
  const read = async () => {
    const { webhook } = await findSubscription(store, account);
    if (!webhook) throw new Error('no webhook');
    return openSecrets({ vault, account, now: clock.now }, webhook);
  };
  const { current: first } = await read();
  await settings.renewSecret(store, account, by());
  const { current: second, earlier } = await read();
  assert.equal(earlier, { secret: first, until: new Date(clock.now + DAY).toISOString() });
  const both = await nextPost(context, account);
  assert.equal([isSigned(both, first), isSigned(both, second)], [true, true]);
  assert.match(both.headers['webhook-signature'] as string, /^v1,\S+ v1,\S+$/);

  const error: unknown = await settings.renewSecret(store, account, by()).catch((reason: unknown) => reason);
  assert.instance(error, InputError);
  assert.match((error as Error).message, /renewed already, .* end the earlier one first/);

  clock.now += DAY - 1;
  const late = await nextPost(context, account);
  assert.equal([isSigned(late, first), isSigned(late, second)], [false, true]);

  await settings.renewSecret(store, account, by());
  await settings.endEarlierSecret(store, account, by());
  const { current: third, earlier: none } = await read();
  assert.is(none, undefined);
  const ended = await nextPost(context, account);
  assert.equal([isSigned(ended, second), isSigned(ended, third)], [false, true]);
});

secrets('are stored encrypted, and deliveries of accounts whose key is missing wait', async (context) => {
  // The gateway lost the key of one account in two.
  context.world = await startAlertWorld(SAGA, undefined, new Vault([NEW]));
  const { world, consumer } = context;
  const { store, clock, errors } = world;
  const lost = await world.subscribe('lost@example.org', { follows: ['saga'], url: consumer.url });
  const kept = await world.subscribe('kept@example.org', { follows: ['saga'], url: `${consumer.url}/kept` });
  const { webhook: plain } = await findSubscription(store, kept);
  for (const [account, key] of [
    [lost, OTHER],
    [kept, NEW],
  ] as const) {
    const vault = new Vault([key]);
    await settings.enableWebhook(store, account, { vault, actor: OPERATOR, now: clock.now });
  }
  for (const account of [lost, kept]) {
    const { webhook } = await findSubscription(store, account);
    assert.match(webhook?.secret ?? '', /^sealed:1:[0-9a-f]{8}:/);
  }
  await world.publish(nextBuild(clock.now));
  await until(() => consumer.posts.length === 1 && errors.length === 1);
  assert.ok(isSigned(consumer.posts[0] as Post, plain?.secret ?? ''), 'it is the same secret as before');
  const [{ message, fields }] = errors as [(typeof errors)[0]];
  assert.equal([message, fields.account, fields.outcome], ['an alert could not be sent', lost, 'waiting']);
  assert.match(
    String(fields.error),
    /key [0-9a-f]{8}, which is missing; add that key to GATEWAY_SECRET_KEYS/,
  );
  assert.not.match(JSON.stringify(errors), /whsec|sealed/);

  // It is tried again and again, without an attempt being counted.
  const isWaiting = async () => {
    const [[name] = ['']] = await recordsIn(store, DELIVERIES.webhook.prefix);
    return name.includes(String(clock.now + 300_000));
  };
  for (let round = 2; round <= 12; round++) {
    await until(isWaiting);
    clock.now += 300_000;
    await until(() => errors.length === round);
  }
  await until(isWaiting);
  assert.equal(await world.attempts(lost), []);

  // With the key again, the delivery is made.
  await settings.renewSecret(store, lost, { vault: new Vault([NEW]), actor: OPERATOR, now: clock.now });
  clock.now += 300_000;
  await until(async () => (await world.attempts(lost)).length === 1);
  assert.is((await world.attempts(lost))[0]?.outcome, 'delivered');
});

secrets(
  'of existing stores work, and are encrypted by the command and by the next change',
  async (context) => {
    const both = new Vault([NEW, OLD]);
    context.world = await startAlertWorld(SAGA, undefined, both);
    const { world, consumer } = context;
    const { store, clock } = world;
    const names = ['plain@example.org', 'older@example.org', 'lost@example.org'];
    const accounts: string[] = [];
    for (const email of names) accounts.push(await world.subscribe(email, { url: consumer.url }));
    const [plain = '', older = '', lost = ''] = accounts;
    const before = (await findSubscription(store, plain)).webhook?.secret ?? '';
    assert.ok(isSigned(await nextPost(context, plain), before));
    const by = (key: Buffer) => ({ vault: new Vault([key]), actor: OPERATOR, now: clock.now });
    await settings.enableWebhook(store, older, by(OLD));
    await settings.enableWebhook(store, lost, by(OTHER));
    const unreadable = (await findSubscription(store, lost)).webhook;

    const report = await encryptSecrets(store, both, clock.now);
    assert.equal(report, { changed: 2, current: 2, plain: 0, older: 0, unreadable: 1 });
    assert.equal((await findSubscription(store, lost)).webhook, unreadable, 'it is left as it is');
    const only = readVault(NEW.toString('base64')) as Vault;
    for (const account of [plain, older]) {
      const { webhook } = await findSubscription(store, account);
      assert.ok(webhook && only.canOpen(webhook.secret, account));
    }
    const { webhook } = await findSubscription(store, plain);
    assert.ok(webhook && !webhook.secret.includes(before));
    assert.ok(isSigned(await nextPost(context, plain), before));
    assert.is((await encryptSecrets(store, both, clock.now)).changed, 0);
  },
);

secrets.run();
