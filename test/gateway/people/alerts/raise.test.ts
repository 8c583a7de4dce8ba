import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRaiser, type GameEvent } from '../../../../gateway/people/alerts/event.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import type { Files } from '../../../support/fixtures.ts';
import { QUIET } from '../../../support/quiet.ts';
import { OVER_TIME } from '../../../support/over-time.ts';
import { until } from '../../../support/until.ts';
import { newGame } from './games.ts';
import { type AlertWorld, isoAt, startAlertWorld } from './world.ts';

const raise = suite<{ world: AlertWorld }>('events of dist/');
raise.before.each(async (context) => {
  context.world = await startAlertWorld(WITHOUT_SECRET);
  // The tests read the event log, so they need no followers.
  const begun = "SELECT name FROM meta WHERE name = 'events-begun'";
  await until(async () => (await context.world.store.get(begun)) !== undefined);
});
raise.after.each(({ world }) => world.stop());

/** Without the build that is embargoed until long after any real clock. */
const WITHOUT_SECRET: Files = Object.fromEntries(
  Object.entries(OVER_TIME).filter(([file]) => !file.startsWith('saga/2.0/')),
);

const DAY = 86_400_000;

async function eventsOf(store: Store, count: number): Promise<GameEvent[]> {
  const read = () => store.all<{ body: string }>('SELECT body FROM events ORDER BY raised_at, at');
  await until(async () => (await read()).length >= count);
  return (await read()).map(({ body }) => JSON.parse(body) as GameEvent);
}

raise(
  'builds from before the first start raise no events; a new build raises one with its changes',
  async ({ world }) => {
    const { clock, store } = world;
    const released = clock.now - DAY;
    await world.publish({
      'saga/1.9/build.json': {
        released_at: isoAt(released),
        note: 'late',
        overrides: [{ check: 'records-lost', reason: 'Ann leaves.' }],
      },
      'saga/1.9/characters.json': [
        { id: 'dee', name: 'Dee' },
        ...(OVER_TIME['saga/1.2/characters.json'] as { id: string }[]).filter(({ id }) => id !== 'ann'),
      ],
    });
    const events = await eventsOf(store, 1);
    assert.equal(
      events.map(({ id: _, ...event }) => event),
      [
        {
          type: 'build.released',
          timestamp: `${isoAt(released).slice(0, -1)}.000Z`,
          data: {
            game: 'saga',
            title: 'Saga',
            build: '1.9',
            released_at: isoAt(released),
            note: 'late',
            characters: {
              added: { count: 1, first: [{ id: 'dee', name: 'Dee' }] },
              removed: { count: 1, first: [{ id: 'ann', name: 'Anna' }] },
              changed: { count: 0, first: [] },
              // Nobody else had them.
              attributes: {
                gained: { count: 0, first: [] },
                lost: { count: 3, first: ['rarity', 'skills', 'stats'] },
              },
            },
            datasets: { count: 0, first: [] },
          },
        },
      ],
    );
  },
);

raise('a new game raises one event, however many builds it has', async ({ world }) => {
  const { clock, store } = world;
  await world.publish({
    ...newGame('novel', clock.now - 3 * DAY),
    'novel/1.1/build.json': { released_at: isoAt(clock.now - DAY) },
    'novel/1.1/characters.json': [
      { id: 'ann', name: 'Ann' },
      { id: 'bo', name: 'Bo' },
    ],
  });
  await eventsOf(store, 1);
  // The event of a later build comes directly after it.
  await world.publish({ 'novel/1.2/build.json': { released_at: isoAt(clock.now) } });
  const [added, released, ...others] = await eventsOf(store, 2);
  assert.equal(others, []);
  assert.equal([added?.type, added?.data.build], ['game.added', '1.1']);
  assert.equal(added && 'characters' in added.data && added.data.characters, {
    added: {
      count: 2,
      first: [
        { id: 'ann', name: 'Ann' },
        { id: 'bo', name: 'Bo' },
      ],
    },
    removed: { count: 0, first: [] },
    changed: { count: 0, first: [] },
  });
  const datasets = { count: 1, first: [{ key: 'pull_planner', added: 1, removed: 0, changed: 0 }] };
  assert.equal(added?.data.datasets, datasets);
  assert.equal([released?.type, released?.data.build], ['build.released', '1.2']);
});

raise('two gateways that see different builds of a new game raise an event for each', async ({ world }) => {
  const { clock, store, gateway, close, publish } = world;
  const { follower } = gateway;
  await close();
  const raiserOf = (on: Pick<Store, 'all' | 'transaction'>) => {
    const seen = { catalog: follower.catalog, folder: follower.folder } as typeof follower;
    return createRaiser({ follower: seen, store: on as Store, log: QUIET, now: () => clock.now });
  };
  await publish(newGame('novel', clock.now - DAY));
  await follower.loadNewest();
  const raiseFirst = raiserOf(store);
  await publish({ 'novel/1.1/build.json': { released_at: isoAt(clock.now) } });
  await follower.loadNewest();
  // The first gateway raises its event after the second one has read what was raised.
  const all: Store['all'] = async (...read) => {
    const rows = await store.all<never>(...read);
    await raiseFirst();
    return rows;
  };
  await raiserOf({ all, transaction: (work) => store.transaction(work) })();
  const events = (await eventsOf(store, 2)).map(({ type, data }) => `${type} ${data.build}`);
  assert.equal(events, ['game.added 1.0', 'build.released 1.1']);
});

raise('an embargoed build raises its event when it is released, without a new dist/', async ({ world }) => {
  const { clock, store } = world;
  await world.publish({
    ...newGame('later', clock.now + 2 * DAY),
    'saga/3.0/build.json': { released_at: isoAt(clock.now + DAY) },
    'saga/1.3/build.json': {
      released_at: '2026-04-01',
      amended: [{ at: isoAt(clock.now - 1000), reason: 'a typo' }],
    },
  });
  const [amended, ...others] = await eventsOf(store, 1);
  assert.equal(others, []);
  assert.equal(
    [amended?.type, amended?.data],
    [
      'build.amended',
      {
        game: 'saga',
        title: 'Saga',
        build: '1.3',
        released_at: '2026-04-01T00:00:00Z',
        note: null,
        amended_at: isoAt(clock.now - 1000),
        reason: 'a typo',
        builds: { count: 1, first: ['1.3'] },
      },
    ],
  );
  clock.now += DAY + 1000;
  assert.equal((await eventsOf(store, 2)).at(1)?.data.build, '3.0');
  clock.now += DAY;
  assert.equal((await eventsOf(store, 3)).at(2)?.type, 'game.added');
});

raise('a build that is removed and comes back raises no second event', async ({ world }) => {
  const { clock, store } = world;
  const build = { 'saga/1.9/build.json': { released_at: isoAt(clock.now) } };
  await world.publish(build);
  const [{ id } = { id: '' }] = await eventsOf(store, 1);
  await world.publish({ 'saga/1.9/build.json': undefined });
  await world.publish(newGame('novel', clock.now));
  await eventsOf(store, 2);
  await world.publish(build);
  await world.publish(newGame('second', clock.now));
  const ids = (await eventsOf(store, 3)).map((event) => event.id);
  assert.is(ids[0], id);
  assert.is(new Set(ids).size, 3);
});

raise('the first game of a store that has no games raises its event after a restart', async ({ world }) => {
  const { gateway, store, clock } = world;
  await store.run('DELETE FROM occurrences');
  await createRaiser({ follower: gateway.follower, store, log: QUIET, now: () => clock.now })();
  const events = await eventsOf(store, 1);
  assert.is(events.find(({ data }) => data.game === 'saga')?.type, 'game.added');
});

raise.run();
