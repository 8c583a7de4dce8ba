import { recordsIn } from '../../../support/store-content.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Channel } from '../../../../gateway/people/alerts/channels/channel.ts';
import { sendTest } from '../../../../gateway/people/alerts/delivery.ts';
import { Dispatcher } from '../../../../gateway/people/alerts/dispatch.ts';
import type { Outcome } from '../../../../gateway/people/alerts/outcome.ts';
import { startGateway, type TestGateway } from '../../../support/harness.ts';
import { QUIET } from '../../../support/quiet.ts';
import { until } from '../../../support/until.ts';
import { SAGA } from './games.ts';
import { subscribe } from './world.ts';

const LEASE_MS = 60_000;
const HOOK = 'https://ada.example.org/hook';

const dispatch = suite<{ gateway: TestGateway }>('a dispatcher');
dispatch.before.each(async (context) => {
  context.gateway = await startGateway(SAGA);
});
dispatch.after.each(({ gateway }) => gateway.stop());

/** Starts a dispatcher of webhooks that are sent by a function, with few slots. */
function open({ store, clock }: TestGateway, send: Channel['send']): Dispatcher {
  const channel = { name: 'webhook', slots: { fresh: 4, failing: 2 }, send } as const;
  return new Dispatcher({ channel, store, log: QUIET, now: () => clock.now, lease: LEASE_MS, onEnd() {} });
}

dispatch('counts an expired lease as a failed attempt, and gives up after ten', async ({ gateway }) => {
  const { store, clock } = gateway;
  const account = await subscribe(store, 'ada@example.org', { url: HOOK });
  await sendTest(store, account, 'webhook', clock.now);
  const queued = async () =>
    (await recordsIn(store, 'webhook-delivery:')).map(
      ([, text]) => (JSON.parse(text) as { failures: number }).failures,
    );
  let sent = 0;
  const never = () => {
    sent++;
    return new Promise<Outcome>(() => {});
  };
  for (let attempt = 1; attempt <= 10; attempt++) {
    // Each attempt is made by a gateway that ends without settling it.
    await open(gateway, never).begin();
    assert.equal([sent, await queued()], [attempt, [attempt]]);
    clock.now += LEASE_MS;
  }
  const last = open(gateway, never);
  await last.begin();
  await until(async () => (await last.settle()) && (await queued()).length === 0);
  assert.is(sent, 10);
});

dispatch('leaves slots to others when accounts are slow but accept everything', async ({ gateway }) => {
  const { store, clock } = gateway;
  const queue = async (name: string, count: number) => {
    const id = await subscribe(store, `${name}@example.org`, { url: HOOK });
    for (let index = 0; index < count; index++) await sendTest(store, id, 'webhook', clock.now);
  };
  const underWay: { name: string; end: () => void }[] = [];
  const dispatcher = open(gateway, (_, { account: { email } }) => {
    const [name = ''] = email.split('@');
    return new Promise((resolve) => {
      underWay.push({ name, end: () => resolve({ kind: 'delivered', detail: 'ok' }) });
    });
  });
  const begin = async () => {
    await dispatcher.begin();
    return underWay.map(({ name }) => name).sort();
  };
  for (const name of ['a', 'b']) await queue(name, 5);
  assert.equal(await begin(), ['a', 'a', 'b', 'b']);
  clock.now += 10_000;
  for (const { end } of underWay.splice(0)) end();
  await until(() => dispatcher.settle());
  await queue('quick', 1);
  assert.equal(await begin(), ['a', 'b', 'quick']);
  for (const { end } of underWay.splice(0)) end();
});

dispatch.run();
