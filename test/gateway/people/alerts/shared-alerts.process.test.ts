import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listAttempts } from '../../../../gateway/people/alerts/deliver.ts';
import { killStarted, type Running, startProcess } from '../../../support/command.ts';
import { buildGames } from '../../../support/dist-fixture.ts';
import { makeFolder } from '../../../support/fixtures.ts';
import { until } from '../../../support/until.ts';
import { endPostgres, type Place, postgresPlace, SECRET_KEY, sqlitePlace } from '../../store/engines.ts';
import { startConsumer } from './consumer.ts';
import { newGame, nextBuild, SAGA } from './games.ts';
import { subscribe } from './world.ts';

interface Context {
  folder: string;
  place: Place;
}

async function start({ folder, place }: Context): Promise<Running> {
  const script = path.join(import.meta.dirname, 'alert-process.js');
  const running = startProcess(process.execPath, [script, folder, place.address], {
    env: { GATEWAY_SECRET_KEY: SECRET_KEY },
  });
  await running.printed(/started/);
  return running;
}

const FOLLOWERS = 40;

async function checkSharing(context: Context): Promise<void> {
  const consumer = await startConsumer();
  const store = await context.place.open();
  const names = Array.from({ length: FOLLOWERS }, (_, index) => `a${index}@example.org`);
  const accounts = await Promise.all(
    names.map((email) =>
      subscribe(store, email, { follows: ['saga', 'all_games'], url: `${consumer.url}/${email}` }),
    ),
  );
  await Promise.all([start(context), start(context)]);
  await buildGames({ ...SAGA, ...nextBuild(Date.now()) }, context.folder);
  await until(() => consumer.posts.length >= FOLLOWERS);
  // When the next event has arrived everywhere, no delivery of the first is left.
  await buildGames({ ...SAGA, ...nextBuild(Date.now()), ...newGame('novel', Date.now()) }, context.folder);
  await until(() => consumer.posts.length >= 2 * FOLLOWERS);
  const attempts = await Promise.all(accounts.map((account) => listAttempts(store, account)));
  assert.is(consumer.posts.length, 2 * FOLLOWERS);
  assert.ok(attempts.every((list) => list.every(({ attempt }) => attempt === 1)));
  await store.close();
  await consumer.stop();
}

async function checkTakeover(context: Context): Promise<void> {
  const consumer = await startConsumer((response, before) => {
    if (before > 0) response.writeHead(200).end();
  });
  const store = await context.place.open();
  const account = await subscribe(store, 'ada@example.org', { follows: ['saga'], url: consumer.url });
  await start(context);
  await buildGames({ ...SAGA, ...nextBuild(Date.now()) }, context.folder);
  await until(() => consumer.posts.length === 1);
  await killStarted();
  // As if the minute of the lease was over.
  await store.run('UPDATE deliveries SET leased_until = 1');
  await start(context);
  await until(async () => (await listAttempts(store, account)).length > 0);
  assert.is((await listAttempts(store, account))[0]?.outcome, 'delivered');
  const ids = consumer.posts.map(({ headers }) => headers['webhook-id']);
  assert.ok(ids.length >= 2);
  assert.is(new Set(ids).size, 1);
  await store.close();
  await consumer.stop();
}

for (const makePlace of [sqlitePlace, postgresPlace]) {
  const test = suite<Context>('alerts on several gateways');
  test.before.each(async (context) => {
    context.folder = await makeFolder('alerts');
    context.place = await makePlace();
    await buildGames(SAGA, context.folder);
  });
  test.after.each(async ({ place }) => {
    await killStarted();
    await place.remove();
  });
  test('each delivery is made by one of two gateways', checkSharing);
  test(
    'when a gateway that holds a delivery is killed, another one makes it, with the same id',
    checkTakeover,
  );
  if (makePlace === postgresPlace) test.after(() => endPostgres());
  test.run();
}
