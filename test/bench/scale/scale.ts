import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { BENCH_FOLDER, build, buildGames, slugOf } from '../games.ts';
import { createLoader } from '../gateway/load.ts';
import { type BenchServer, startBeside, startGateway } from '../gateway/servers.ts';
import { addCrowd } from './people.ts';

/** How much is simulated. */
interface Size {
  games: number;
  characters: number;
  /** Free accounts with a key each, and how many of their keys are in use. */
  accounts: number;
  inUse: number;
  /** Pro accounts that follow all games, with a webhook each. */
  followers: number;
  /** How long a load lasts. */
  seconds: number;
}

/** What a service of this size is planned for. */
const PLAN = { requestsPerMonth: 1e9, games: 1000, keys: 1e6, followers: 100_000 };
const FULL: Size = {
  games: 1000,
  characters: 100,
  accounts: 1e6,
  inUse: 100_000,
  followers: 100_000,
  seconds: 20,
};
const QUICK: Size = { games: 20, characters: 20, accounts: 2000, inUse: 500, followers: 500, seconds: 3 };
/** The busiest seconds of a month have this many times the average. */
const PEAK = 10;
/** How much of a core is planned to be used in those seconds. */
const SHARE = 0.5;
const MONTH_SECONDS = 30 * 86_400;
const MB = 1e6;
const RECEIVERS = 4;
/** A receiver that got nothing new for two minutes waits in vain. */
const MAX_WAITS = 600;
const WAIT_MS = 200;

/** A measured figure, and what it means for the plan. */
export interface ScaleFigure {
  what: string;
  measured: string;
  means: string;
}

/**
 * Measures a gateway with many games, many keys and many followers, and computes what a large service needs.
 *
 * @param quick whether only the output is useful, not the figures
 */
export async function measureScale(quick: boolean): Promise<ScaleFigure[]> {
  const size = quick ? QUICK : FULL;
  const folder = await mkdtemp(path.join(BENCH_FOLDER, 'scale-'));
  const servers: BenchServer[] = [];
  const started = async (starting: Promise<BenchServer>) => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    // The simulation adds a build, so it works on a copy.
    const games = path.join(folder, 'games');
    await cp(path.dirname(await buildGames(size)), games, { recursive: true });
    const dist = path.join(games, 'dist');
    const store = path.join(folder, 'store');
    // Webhooks are on several hosts, of which each gets only some at once.
    const receivers: BenchServer[] = [];
    while (receivers.length < RECEIVERS) receivers.push(await started(startBeside('receiver', [])));
    const keys = await addCrowd(store, size.accounts, { tier: 'free' });
    for (const { address } of receivers)
      await addCrowd(store, size.followers / receivers.length, { tier: 'pro', webhook: address });
    const [proKey = ''] = await addCrowd(store, 1, { tier: 'pro' });
    const gateway = await started(startGateway(dist, store));
    return [
      await describeStart(gateway, size),
      await describeStore(store, size),
      await describeLoad('Pro key', [proKey], gateway, size),
      await describeLoad('free key', keys.slice(0, 1), gateway, size),
      await describeLoad(`${size.inUse} free keys`, keys.slice(0, size.inUse), gateway, size),
      await describeAlerts(gateway, receivers, games, size),
    ];
  } finally {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function describeStart(gateway: BenchServer, { games, characters }: Size): Promise<ScaleFigure> {
  const seconds = await gateway.cpuSeconds();
  const bytes = await gateway.residentBytes();
  return {
    what: `a gateway has started with ${games} games of ${characters} characters`,
    measured: `${seconds.toFixed(1)} s of processor time, ${Math.round(bytes / MB)} MB`,
    means: `${Math.round((bytes / MB) * (PLAN.games / games))} MB for each process with ${PLAN.games} games`,
  };
}

async function describeStore(folder: string, { accounts, followers }: Size): Promise<ScaleFigure> {
  const { size } = await stat(path.join(folder, 'store.sqlite'));
  const all = accounts + followers;
  return {
    what: `a store in a folder with ${accounts} free accounts and ${followers} followers`,
    measured: `${Math.round(size / MB)} MB`,
    means: `${Math.round(((size / all) * (PLAN.keys + PLAN.followers)) / MB)} MB of disk and page cache`,
  };
}

/** Sends roster queries to all games in turn, each with the next key. */
async function describeLoad(
  name: string,
  keys: readonly string[],
  gateway: BenchServer,
  { games, seconds }: Size,
): Promise<ScaleFigure> {
  const count = Math.max(keys.length, games);
  const paths = Array.from(
    { length: count },
    (_, n) =>
      `/api/${slugOf(n % games)}/characters?rarity[gte]=3&name[ne]=~n~&sort=name&limit=20\t${keys[n % keys.length]}`,
  );
  const load = createLoader({ paths }, 'scale');
  await load(gateway.address, seconds);
  const before = await gateway.cpuSeconds();
  const { requests, p99 } = await load(gateway.address, seconds);
  const micros = (((await gateway.cpuSeconds()) - before) * 1e6) / requests;
  const peak = (PLAN.requestsPerMonth / MONTH_SECONDS) * PEAK;
  return {
    what: `a new query of a roster, each to the next of ${games} games, ${name}`,
    measured: `${micros.toFixed(0)} µs of processor time; p99 ${p99.toFixed(1)} ms when saturated`,
    means: `${((peak * micros) / 1e6 / SHARE).toFixed(2)} cores for ${Math.round(peak)} requests a second`,
  };
}

/** Adds a build to the first game, and waits until every follower's webhook has the event. */
async function describeAlerts(
  gateway: BenchServer,
  receivers: readonly BenchServer[],
  folder: string,
  { followers }: Size,
): Promise<ScaleFigure> {
  const before = await gateway.cpuSeconds();
  await addBuild(path.join(folder, 'data', slugOf(0)));
  await build(folder);
  const ms = await waitForEvents(receivers, followers);
  const seconds = (await gateway.cpuSeconds()) - before;
  const rate = followers / (ms / 1000);
  return {
    what: `one event to ${followers} webhooks that respond after 300 ms, 3 % never`,
    measured: `${(ms / 1000).toFixed(1)} s, ${rate.toFixed(0)} a second, ${((seconds / followers) * 1e6).toFixed(0)} µs of processor time each`,
    means: `${Math.round(PLAN.followers / rate)} s for ${PLAN.followers} followers with one process`,
  };
}

/** Waits until receivers have got this many events. @returns the ms between the first and the last */
async function waitForEvents(receivers: readonly BenchServer[], count: number): Promise<number> {
  let last = { received: 0, ms: 0 };
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    const all = await Promise.all(
      receivers.map(async ({ address }) => (await (await fetch(address)).json()) as typeof last),
    );
    const received = all.reduce((sum, each) => sum + each.received, 0);
    const seen = { received, ms: Math.max(...all.map(({ ms }) => ms)) };
    if (seen.received >= count) return seen.ms;
    if (seen.received > last.received) waits = 0;
    last = seen;
    await sleep(WAIT_MS);
  }
  throw new Error(`only ${last.received} of ${count} events arrived`);
}

/** Adds a build with one more character to a game of one build, released now. */
async function addBuild(game: string): Promise<void> {
  const text = await readFile(path.join(game, '1/characters.json'), 'utf8');
  const characters = JSON.parse(text) as [JsonObject, ...JsonObject[]];
  const next = path.join(game, '2');
  await mkdir(next);
  await writeFile(path.join(next, 'build.json'), JSON.stringify({ released_at: new Date().toISOString() }));
  const added = { ...characters[0], id: '99999999', name: `${characters[0].name} the Second` };
  await writeFile(path.join(next, 'characters.json'), JSON.stringify([...characters, added]));
}
