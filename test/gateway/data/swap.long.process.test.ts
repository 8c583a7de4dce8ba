import { readdirSync, renameSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { queryObjects } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../../gateway/query/collection.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import type { Files } from '../../support/fixtures.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { timesOf } from '../../support/random.ts';
import { until } from '../../support/until.ts';

const swap = suite('hot swap');

const SWAPS = timesOf(30);
const STATES = ['state-a', 'state-b', 'state-c', 'state-d'];
const STATE = /state-[a-d]/g;

/** Existing files are not written again, as in gamedata build. */
const KEEPING = { recursive: true, force: false };

const ROUNDS = [
  { check: 'values-changed', of: 'characters.round', reason: 'Each build shows which one it is.' },
];

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
    files[`saga/${build}/build.json`] = {
      released_at: `2026-01-0${build}`,
      note: state,
      ...(build > 1 && { overrides: ROUNDS }),
    };
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

/** Sends a request, and checks that the response is from one state. */
async function ask(gateway: TestGateway, at: number): Promise<void> {
  const [target, headers = {}] = ADDRESSES[at % ADDRESSES.length] as (typeof ADDRESSES)[number];
  const { status, text } = await gateway.ask(target, { key: gateway.keys.pro, headers });
  assert.is(status, 200, `${target}: ${text}`);
  const states = new Set(text.match(STATE));
  assert.is(states.size, 1, `${target} is of ${[...states].join(' and ')}`);
}

/** Keeps sending requests to all addresses. */
class Load {
  readonly #clients: Promise<unknown>;
  #isRunning = true;
  #completed = 0;

  constructor(gateway: TestGateway) {
    this.#clients = Promise.all([0, 4, 8, 12].map((first) => this.#ask(gateway, first)));
    // `stop` reports a failure. Until then, the rejection must not count as unhandled.
    this.#clients.catch(() => {
      this.#isRunning = false;
    });
  }

  /** Waits until each client has had time for one more response. */
  async waitForResponses(): Promise<void> {
    const enough = this.#completed + 4;
    await until(() => this.#completed >= enough || !this.#isRunning);
  }

  /** @throws the failure of a client */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#clients;
  }

  async #ask(gateway: TestGateway, first: number): Promise<void> {
    for (let at = first; this.#isRunning; at++) {
      await ask(gateway, at);
      this.#completed++;
    }
  }
}

/** Counts the lists of records in memory, of all states. Requests all addresses first, because some lists are made on demand. */
async function countLists(gateway: TestGateway): Promise<number> {
  for (const at of ADDRESSES.keys()) await ask(gateway, at);
  return queryObjects(Collection, { format: 'count' });
}

/** Changes the gateway's dist/, and makes the gateway check it. The previous state is known only here, so that the caller does not keep it in memory. */
async function swapBy(gateway: TestGateway, change: () => Promise<void>): Promise<void> {
  const old = gateway.follower.catalog;
  await change();
  await gateway.follower.loadNewest();
  assert.is.not(gateway.follower.catalog, old);
}

swap(
  'fails no request, mixes no builds and keeps no old state, however often it happens and whatever is pruned',
  async () => {
    const folder = await makeFolder('states');
    const gateway = await startGateway(filesOf('state-d'));
    const states = new Map<string, string>();
    for (const state of STATES) {
      const dist = path.join(folder, state);
      await buildGames(filesOf(state), dist);
      states.set(state, dist);
    }
    const lists = await countLists(gateway);
    const load = new Load(gateway);
    try {
      for (let count = 0; count < SWAPS; count++) {
        const next = states.get(STATES[count % STATES.length] as string) as string;
        // In half of the swaps, old files are removed before the gateway can check.
        const isHasty = count % 2 === 1;
        const pruneOld = () => prune(path.join(gateway.dist, 'saga'), path.join(next, 'saga'));
        await swapBy(gateway, async () => {
          await cp(path.join(next, 'saga'), path.join(gateway.dist, 'saga'), KEEPING);
          await cp(path.join(next, 'index.json'), path.join(gateway.dist, 'index.json.new'));
          renameSync(path.join(gateway.dist, 'index.json.new'), path.join(gateway.dist, 'index.json'));
          if (isHasty) pruneOld();
        });
        if (!isHasty) pruneOld();
        await load.waitForResponses();
      }
      await load.stop();
      const errors = gateway.logged.filter((line) => line.includes('"level":"error"'));
      assert.equal(errors, []);
      assert.is(await countLists(gateway), lists, 'there are no more lists than those of one state');
    } finally {
      await load.stop().catch(() => {});
      await gateway.stop();
    }
  },
);

/** Removes, synchronously, the files that another folder does not have. */
function prune(folder: string, kept: string): void {
  const names = new Set(readdirSync(kept));
  for (const file of readdirSync(folder)) if (!names.has(file)) rmSync(path.join(folder, file));
}

swap('keeps of an old state only the responses made from it', async () => {
  const gateway = await startGateway(filesOf('state-a'));
  try {
    const lists = await countLists(gateway);
    for (const [index, state] of ['state-b', 'state-c', 'state-d'].entries()) {
      const path = `/api/saga/characters?limit=${index + 1}`;
      for (let time = 0; time < 3; time++) assert.is((await gateway.ask(path)).status, 200);
      await swapBy(gateway, () => buildGames(filesOf(state), gateway.dist));
    }
    assert.is(await countLists(gateway), lists);
  } finally {
    await gateway.stop();
  }
});

swap.run();
