import { readdirSync, renameSync, rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Catalog } from '../../../gateway/catalog/catalog.ts';
import type { GameBuild } from '../../../gateway/catalog/game-build.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import type { Files } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const swap = suite('hot swap');

const SWAPS = 100;
const STATES = ['state-a', 'state-b', 'state-c', 'state-d'];
const STATE = /state-[a-d]/g;

/** Files that are there already are left alone, as gamedata build leaves them. */
const KEEPING = { recursive: true, force: false };

/** A game whose every build, record and dataset carries the name of its state. */
function filesOf(state: string): Files {
  const records = Array.from({ length: 60 }, (_, index) => ({
    id: `u${index}`,
    name: `Unit ${index}`,
    state,
    stats: { atk: index },
  }));
  const files: Files = {
    'saga/game.json': { title: `Saga ${state}` },
    'saga/1/pull_planner.json': { state },
  };
  for (const build of [1, 2, 3]) {
    files[`saga/${build}/build.json`] = { released_at: `2026-01-0${build}`, note: state };
    files[`saga/${build}/characters.json`] = records.map((record) => ({
      ...record,
      round: `${build} ${state}`,
    }));
    files[`saga/${build}/things.json`] = [{ id: 't', state, build }];
  }
  return files;
}

const ADDRESSES: [path: string, headers?: Record<string, string>][] = [
  ['/api/games'],
  ['/api/saga/characters?limit=30'],
  ['/api/saga/characters/u7'],
  ['/api/saga/compare?ids=u1,u2'],
  ['/api/saga/facets'],
  ['/api/saga/things'],
  ['/api/saga/pull_planner'],
  ['/api/saga/history'],
  ['/api/saga/history?limit=1&offset=1'],
  ['/api/saga/history/u3'],
  ['/api/saga/snapshot/latest'],
  ['/api/saga/snapshot/2', { 'accept-encoding': 'identity' }],
  ['/api/saga/diff?from=1&to=2'],
  ['/api/saga/diff?from=3&to=1'],
  ['/api/saga/diff?from=1&to=3', { accept: 'application/json-patch+json' }],
];

/** Asks all addresses again and again. @returns how many answers there were when it was stopped */
function startLoad(gateway: TestGateway): { stop(): Promise<number> } {
  let running = true;
  let answered = 0;
  const client = async (first: number) => {
    for (let at = first; running; at++) {
      const [target, headers = {}] = ADDRESSES[at % ADDRESSES.length] as (typeof ADDRESSES)[number];
      const { status, text } = await gateway.ask(target, { key: gateway.keys.pro, headers });
      assert.is(status, 200, `${target}: ${text}`);
      const states = new Set(text.match(STATE));
      assert.is(states.size, 1, `${target} is of ${[...states].join(' and ')}`);
      answered += 1;
    }
  };
  const clients = Promise.all([0, 4, 8, 12].map(client));
  // Who waits for the end hears of a failure; until then it only waits.
  clients.catch(() => {
    running = false;
  });
  return {
    async stop() {
      running = false;
      await clients;
      return answered;
    },
  };
}

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

swap(
  'fails no request, mixes no builds and keeps no old state, however often and whatever is pruned',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'states-'));
    const gateway = await startGateway(filesOf('state-d'));
    const states = new Map<string, string>();
    for (const state of STATES) {
      const dist = path.join(folder, state);
      await buildGames(filesOf(state), dist);
      states.set(state, dist);
    }
    const catalogs: WeakRef<Catalog>[] = [];
    const load = startLoad(gateway);
    try {
      for (let count = 0; count < SWAPS; count++) {
        const next = states.get(STATES[count % STATES.length] as string) as string;
        catalogs.push(new WeakRef(gateway.follower.catalog));
        await cp(path.join(next, 'saga'), path.join(gateway.dist, 'saga'), KEEPING);
        await cp(path.join(next, 'index.json'), path.join(gateway.dist, 'index.json.new'));
        renameSync(path.join(gateway.dist, 'index.json.new'), path.join(gateway.dist, 'index.json'));
        // Half of the times before the gateway can have had a look.
        if (count % 2 === 0) await waitForSwap(gateway, catalogs.at(-1) as WeakRef<Catalog>);
        prune(path.join(gateway.dist, 'saga'), path.join(next, 'saga'));
        await waitForSwap(gateway, catalogs.at(-1) as WeakRef<Catalog>);
      }
      const answered = await load.stop();
      assert.ok(answered >= SWAPS, `${answered} answers`);
      const errors = gateway.logged.filter((line) => line.includes('"level":"error"'));
      assert.equal(errors, []);
      assert.is(await countAlive(catalogs), 0);
    } finally {
      await load.stop().catch(() => {});
      await gateway.stop();
      await rm(folder, { recursive: true });
    }
  },
);

async function waitForSwap(gateway: TestGateway, old: WeakRef<Catalog>): Promise<void> {
  while (gateway.follower.catalog === old.deref()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Removes what another folder has not, before anything else happens in this process. */
function prune(folder: string, kept: string): void {
  const names = new Set(readdirSync(kept));
  for (const file of readdirSync(folder)) if (!names.has(file)) rmSync(path.join(folder, file));
}

/** How many are still held once nothing is under way; what is only weakly held goes within some turns of the event loop. */
async function countAlive(refs: readonly WeakRef<object>[]): Promise<number> {
  const count = () => refs.filter((ref) => ref.deref() !== undefined).length;
  for (let attempt = 0; attempt < 50 && count() > 0; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  return count();
}

swap('keeps of an old state no more than the answers that were given from it', async () => {
  const gateway = await startGateway(filesOf('state-a'));
  const seeGame = () => {
    const { games } = gateway.follower.catalog.viewAt(gateway.clock.now, 'pro');
    return new WeakRef(games.get('saga') as GameBuild);
  };
  try {
    const seen: WeakRef<GameBuild>[] = [];
    for (const state of ['state-b', 'state-c', 'state-d']) {
      const path = `/api/saga/characters?limit=${seen.push(seeGame())}`;
      for (let time = 0; time < 3; time++) assert.is((await gateway.ask(path)).status, 200);
      const old = new WeakRef(gateway.follower.catalog);
      await buildGames(filesOf(state), gateway.dist);
      await waitForSwap(gateway, old);
    }
    assert.is(await countAlive(seen), 0);
  } finally {
    await gateway.stop();
  }
});

swap('takes over what did not change', async () => {
  const gateway = await startGateway(filesOf('state-a'));
  try {
    const old = gateway.follower.catalog;
    const before = old.viewAt(gateway.clock.now, 'pro').games.get('saga');
    await buildGames(
      {
        ...filesOf('state-a'),
        'saga/4/build.json': { released_at: '2026-01-04' },
        'saga/4/things.json': [{ id: 't', state: 'state-a', build: 4 }],
      },
      gateway.dist,
    );
    while (gateway.follower.catalog === old) await new Promise((resolve) => setTimeout(resolve, 1));
    const after = gateway.follower.catalog.viewAt(gateway.clock.now, 'pro').games.get('saga');
    assert.is(after?.build, '4');
    assert.ok(before && after && after.roster === before.roster && after.facets === before.facets);
    assert.is(after.datasets.get('pull_planner'), before.datasets.get('pull_planner'));
    assert.is.not(after.datasets.get('things'), before.datasets.get('things'));
  } finally {
    await gateway.stop();
  }
});

swap.run();
