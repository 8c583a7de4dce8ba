import type { Terms } from '../campaigns/campaign.ts';
import { until } from '../support/until.ts';
import { type FaultCampaign, type Figures, findFaults } from './figures.ts';
import { FullDiskWorld } from './full-disk-world.ts';
import { CAN_MOUNT } from './small-disk.ts';

/** At most this much is left free, so that commands fail at different steps. */
const MAX_LEFT_BYTES = 256 * 1024;
/** What a free account may send in a minute. */
const CAP = 10;
const MINUTE_MS = 60_000;
/** How many of the keys that were issued before are used in each round. */
const MAX_KEYS = 5;

/** The commands that write to the disk. */
const COMMANDS = [
  ['build', '--out', 'disk/dist', '--cache', 'disk/build-cache'],
  ['publish', 'disk/published', '--dist', 'disk/dist'],
] as const;
const FOLDERS = ['dist', 'published'] as const;

/** The disk of a gateway and of builds is full again and again. */
export const campaign: FaultCampaign = {
  name: 'full disks',
  about:
    'a full disk below store, cache, log, dist/ and published files: nothing is lost or torn, and all continues when there is room',
  rounds: 20,
  needs: ['nsenter'],
  lacks: CAN_MOUNT ? undefined : 'the right to mount',
  async run(terms): Promise<Figures> {
    const world = await FullDiskWorld.open(terms.report);
    try {
      await world.writeState(0);
      for (const args of COMMANDS) await world.complete('gamedata', args);
      if (!(await world.startGateway())) throw new Error('the gateway did not start');
      const key = await world.issueKey('pro', 'pro@example.org');
      const keys = key === undefined ? [] : [key];
      for (let state = 1; !terms.isOver(); state++) await fillOnce(world, state, keys, terms);
      await world.readBack();
    } finally {
      await world.close();
    }
    return world.figures;
  },
};

/** Fills the disk, uses everything on it, makes room, and checks that nothing is lost and everything continues. */
async function fillOnce(
  world: FullDiskWorld,
  state: number,
  keys: string[],
  { random }: Terms,
): Promise<void> {
  const started = performance.now();
  const starts = world.starts;
  const free = await world.issueKey('free', `free-${state}@example.org`);
  if (free === undefined)
    return world.note('lost', `no key is issued although there is room, in round ${state}`);
  world.disk.fill(Math.floor(random() * MAX_LEFT_BYTES));
  let admitted = await useWhenFull(world, state, free, keys, random);
  const late = await world.issueKey('pro', `late-${state}@example.org`);
  world.disk.free();
  if (late) keys.push(late);
  keys.splice(0, keys.length - MAX_KEYS);
  admitted += await useWithRoom(world, state, free, keys);
  // A gateway that ends on a full disk loses what it counted alone.
  const allowed = CAP * (1 + world.starts - starts);
  if (performance.now() - started < MINUTE_MS) world.figures.above += Math.max(0, admitted - allowed);
  world.figures.tried++;
}

/** Builds, publishes and sends requests on the full disk, and restarts the gateway there. @returns how many requests of the free key were admitted */
async function useWhenFull(
  world: FullDiskWorld,
  state: number,
  free: string,
  keys: readonly string[],
  random: () => number,
): Promise<number> {
  await world.writeState(state);
  for (const args of COMMANDS) world.checkFailure(`gamedata ${args[0]}`, await world.run('gamedata', args));
  for (const folder of FOLDERS) await checkWhole(world, folder);
  const admitted = await countAdmitted(world, free, CAP / 2);
  await checkKeys(world, keys);
  if (random() < 0.5) return admitted;
  await world.endGateway(random() < 0.5 ? 'SIGKILL' : 'SIGTERM');
  if (!(await world.startGateway())) return admitted;
  await checkKeys(world, keys);
  return admitted + (await countAdmitted(world, free, CAP));
}

/** Checks that everything continues. @returns how many requests of the free key were admitted */
async function useWithRoom(
  world: FullDiskWorld,
  state: number,
  free: string,
  keys: readonly string[],
): Promise<number> {
  if (!(await world.isReady()) && !(await world.startGateway())) {
    world.note('lost', 'the gateway does not start with room again');
    return 0;
  }
  for (const args of COMMANDS) await world.complete('gamedata', args);
  for (const folder of FOLDERS) await checkWhole(world, folder);
  await checkKeys(world, keys);
  await until(async () => (await world.ask('/api/games', keys[0])).text.includes(`"Saga ${state}"`));
  await world.checkLog();
  return await countAdmitted(world, free, CAP);
}

async function checkWhole(world: FullDiskWorld, folder: string): Promise<void> {
  const faults = await findFaults(world.disk.outside(folder));
  if (faults.length > 0) world.note('torn', `${folder}: ${JSON.stringify(faults)}`);
}

/** Keys that were issued have to work; the gateway's responses are of one state. */
async function checkKeys(world: FullDiskWorld, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { status, text } = await world.ask('/api/saga/characters?limit=200', key);
    const states = new Set(text.match(/Unit \d+ \d+/g)?.map((name) => name.split(' ')[2]));
    if (status === 200 && states.size === 1) continue;
    const kind = status === 401 || status === 200 ? 'wrong' : 'lost';
    world.note(kind, `${status}, ${states.size} states: ${text.slice(0, 200)}`);
  }
}

async function countAdmitted(world: FullDiskWorld, key: string, requests: number): Promise<number> {
  let admitted = 0;
  for (let sent = 0; sent < requests; sent++) {
    const { status, text } = await world.ask('/api/games', key);
    if (status === 200) admitted++;
    else if (status !== 429) world.note('lost', `a free key: ${status} ${text.slice(0, 200)}`);
  }
  return admitted;
}
