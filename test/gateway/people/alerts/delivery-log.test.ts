import { recordsIn } from '../../../support/store-content.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sendAgain, sendTest } from '../../../../gateway/people/alerts/delivery.ts';
import { MAX_ATTEMPTS_KEPT } from '../../../../gateway/people/alerts/attempts.ts';
import { until } from '../../../support/until.ts';
import { type Consumer, startConsumer } from './consumer.ts';
import { nextBuild, SAGA } from './games.ts';
import { type AlertWorld, startAlertWorld } from './world.ts';

const log = suite<{ world: AlertWorld; consumer: Consumer }>('the log of deliveries');
log.before.each(async (context) => {
  context.consumer = await startConsumer((response, before) =>
    response.writeHead(before === 0 ? 503 : 200).end(),
  );
  context.world = await startAlertWorld(SAGA);
});
log.after.each(async ({ world, consumer }) => {
  await world.stop();
  await consumer.stop();
});

log('has the status and the time of each response, and sends an event again', async ({ world, consumer }) => {
  const { clock, store } = world;
  const account = await world.subscribe('ada@example.org', { follows: ['saga'], url: consumer.url });
  await world.publish(nextBuild(clock.now));
  await until(async () => (await world.attempts(account)).length === 1);
  const [failed] = await world.attempts(account);
  assert.equal([failed?.status, failed?.outcome, failed?.attempt], [503, 'failed', 1]);
  assert.ok(Number.isInteger(failed?.ms) && (failed?.ms ?? -1) >= 0);
  assert.type(failed?.position, 'number');

  clock.now += 1;
  await sendAgain(store, account, { channel: 'webhook', position: failed?.position as number }, clock.now);
  await until(async () => (await world.attempts(account)).length === 2);
  const [again] = await world.attempts(account);
  assert.equal([again?.status, again?.outcome, again?.attempt, again?.next_at], [200, 'delivered', 1, null]);
  const [first, second] = consumer.posts;
  assert.is(second?.headers['webhook-id'], first?.headers['webhook-id']);
  assert.is(second?.body, first?.body);
});

log(
  'has no time of a delivery without a response, which would show the network',
  async ({ world, consumer }) => {
    const account = await world.subscribe('ada@example.org', { url: consumer.url });
    await consumer.stop();
    await sendTest(world.store, account, 'webhook', world.clock.now);
    await until(async () => (await world.attempts(account)).length === 1);
    const [attempt] = await world.attempts(account);
    assert.equal([attempt?.outcome, attempt?.status, attempt?.ms], ['failed', undefined, undefined]);
  },
);

log('keeps a limited number of deliveries, the newest', async ({ world, consumer }) => {
  const { clock, store } = world;
  const account = await world.subscribe('ada@example.org', { url: consumer.url });
  const more = 5;
  for (let count = 0; count < MAX_ATTEMPTS_KEPT + more; count++) {
    clock.now += 1;
    await sendTest(store, account, 'webhook', clock.now);
    await until(() => consumer.posts.length === count + 1);
  }
  const names = async () => await recordsIn(store, `attempt:${account}:`);
  await until(async () => {
    const ids = consumer.posts.slice(-3).map(({ event }) => event.id);
    const kept = await names();
    return kept.length === MAX_ATTEMPTS_KEPT && ids.every((id) => kept.some(([name]) => name.includes(id)));
  });
});

log.run();
