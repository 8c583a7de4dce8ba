import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Readiness } from '../../../gateway/outages/readiness.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import { type Revision, StoreError, StoreRefusal } from '../../../gateway/store/store.ts';

interface Context {
  clock: { now: number };
  store: { ping(): Promise<void>; revision(): Revision; find(name: string): Promise<[string | undefined]> };
  readiness: Readiness;
}

const test = suite<Context>('readiness');
const GRACE_MS = 30_000;

function fail(error: Error) {
  return () => Promise.reject(error);
}

test.before.each((context) => {
  const clock = { now: 1000 };
  const store = {
    ping: async () => {},
    revision: () => ({ value: '', heardAt: clock.now }),
    find: async (): Promise<[undefined]> => [undefined],
  };
  Object.assign(context, {
    clock,
    store,
    readiness: new Readiness({ store, clock: () => clock.now }),
  });
});

async function isReady({ readiness }: Context): Promise<boolean> {
  try {
    await readiness.check();
    return true;
  } catch (error) {
    assert.instance(error, HttpProblem);
    assert.is((error as HttpProblem).code, 'unavailable');
    return false;
  }
}

test('lasts for 30 seconds after the store last responded', async (context) => {
  const { store, clock } = context;
  clock.now += 5000;
  assert.ok(await isReady(context));
  Object.assign(store, {
    ping: fail(new StoreError('gone')),
    revision: () => {
      throw new StoreError('gone');
    },
  });
  clock.now += GRACE_MS - 1;
  assert.ok(await isReady(context));
  clock.now += 1;
  assert.not.ok(await isReady(context));
  store.ping = async () => {};
  assert.ok(await isReady(context));
});

test('counts from the last report of the store’s revision, if there was no ping', async (context) => {
  const { store, clock } = context;
  Object.assign(store, {
    ping: fail(new StoreError('gone')),
    revision: () => ({ value: '', heardAt: 20_000 }),
  });
  clock.now = 20_000 + GRACE_MS - 1;
  assert.ok(await isReady(context));
  clock.now++;
  assert.not.ok(await isReady(context));
});

test('lasts while the store refuses writes, and ends at once when it refuses reads too', async (context) => {
  context.store.ping = fail(new StoreRefusal('no more memory'));
  assert.ok(await isReady(context));
  context.store.find = fail(new StoreRefusal('this is another store'));
  assert.not.ok(await isReady(context));
});

test('does not mistake a bug for an outage', async (context) => {
  context.store.ping = fail(new TypeError('a bug'));
  const error = await context.readiness.check().catch((reason: unknown) => reason);
  assert.instance(error, TypeError);
});

test.run();
