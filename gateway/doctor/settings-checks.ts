import { openCatalog } from '../data/catalog.ts';
import { isRemote, loadRemoteDists } from '../data/open-dist.ts';
import { isRedisAddress } from '../store/store.ts';
import { type Fault, NotTakenOver } from '../facts/checks.ts';
import { type Check, error, messageOf, notSet, type Setup, warning } from './check.ts';

/** Clocks of machines that are set by NTP differ by less. */
const MAX_CLOCK_MS = 2000;
const DAY_MS = 86_400_000;
const FETCHED_LATER =
  'its files are checked when the gateway fetches them; gamedata publish --verify checks all';

export const configurationCheck: Check = {
  name: 'configuration',
  description: 'the options and environment variables fit together',
  async find({ settings }) {
    try {
      await settings.readRest();
      return [];
    } catch (thrown) {
      return [
        error(
          messageOf(thrown),
          'correct the option or environment variable; docs/operators/settings.md lists all',
        ),
      ];
    }
  },
};

export const proxyCheck: Check = {
  name: 'proxy',
  description: 'the gateway knows its public address, and the proxy in front of it',
  find({ settings: { isReachable, isStrict, publicUrl, trustsProxies } }) {
    if (!isReachable)
      return [
        notSet(
          'the public address and the proxy were not checked, because only this machine reaches the gateway',
          'if others are to reach it, set --public-url and --trusted-proxy',
        ),
      ];
    return [
      ...(isStrict
        ? []
        : [
            error(
              '--dev turns the strict rules off, although others can reach the gateway',
              'remove --dev, or make the gateway reachable from this machine only: --host 127.0.0.1 without --trusted-proxy',
            ),
          ]),
      ...(publicUrl === undefined
        ? [
            (trustsProxies ? error : warning)(
              `--public-url is not set, although ${trustsProxies ? '--trusted-proxy says that a proxy is in front' : 'others can reach the gateway'}`,
              'set it to the address that people use: links begin with it, and cookies are Secure if it is https',
            ),
          ]
        : []),
      ...(publicUrl?.startsWith('http:')
        ? [
            warning(
              '--public-url begins with http://, so that keys are sent unencrypted',
              'put a proxy that does TLS in front, and use its https:// address',
            ),
          ]
        : []),
      ...(publicUrl?.startsWith('https:') && !trustsProxies
        ? [
            warning(
              '--trusted-proxy is not set, so that all callers seem to be the proxy',
              'set it to the number of proxies in front, such as 1',
            ),
          ]
        : []),
    ];
  },
};

export const storeCheck: Check = {
  name: 'store',
  description: 'the store can be opened and responds',
  async find({ settings, machine }) {
    const store = await settings.openStore().catch(describeRefusal);
    if (store === undefined)
      return [
        notSet(
          `there is no store in ${settings.store} yet`,
          'the first start makes an empty one; if there should be one, correct --store',
        ),
      ];
    if ('problem' in store) return [store];
    try {
      await store.ping();
      return isRedisAddress(settings.store)
        ? compareClocks((await store.readCounters('')).at, machine.now())
        : [];
    } catch (thrown) {
      return [error(messageOf(thrown), 'see whether the store runs and its disk has space')];
    } finally {
      await store.close();
    }
  },
};

function describeRefusal(thrown: unknown): Fault {
  return thrown instanceof NotTakenOver
    ? notSet(thrown.message, 'its records were not read')
    : error(messageOf(thrown), 'docs/operators/runbook.md says what to do when a store cannot be opened');
}

function compareClocks(theirs: number, ours: number): Fault[] {
  const difference = Math.abs(ours - theirs);
  if (difference <= MAX_CLOCK_MS) return [];
  const problem = `the clock of this machine differs from that of Redis by ${Math.round(difference / 1000)} s`;
  return [warning(problem, 'let NTP set both clocks: builds appear by the clock of the gateway')];
}

export const dataCheck: Check = {
  name: 'dist',
  description: 'the compiled data is there and can be loaded',
  async find({ settings, machine }) {
    try {
      const released = await findReleases(settings, machine.now());
      if (released.length === 0)
        return [warning(`${settings.dist} has no games`, 'add a game, and run gamedata build')];
      return released.every((time) => time === 0)
        ? [notSet(`only the index of ${settings.dist} was read`, FETCHED_LATER)]
        : findClockFaults(released, machine.now());
    } catch (thrown) {
      const advice = 'run gamedata build, or gamedata publish on the machine that builds, or set --dist';
      return [error(messageOf(thrown), advice)];
    }
  },
};

/** Returns when the builds of all games were or will be released, in ms since 1970; of a dist/ elsewhere, 0 for each game. */
async function findReleases({ dist, s3Endpoint }: Setup['settings'], now: number): Promise<number[]> {
  if (isRemote(dist)) {
    const { games } = await (await loadRemoteDists(dist)).readIndex(dist, s3Endpoint);
    return games.map(() => 0);
  }
  const { loaded } = await openCatalog(dist, now);
  return loaded.map(({ released_at }) => Date.parse(released_at));
}

/** A clock that is far behind hides builds. */
function findClockFaults(released: readonly number[], now: number): Fault[] {
  const coming = released.filter((time) => time > now + 30 * DAY_MS);
  if (coming.length < released.length || released.length === 0) return [];
  const problem = `all builds are released more than a month after ${new Date(now).toISOString()}, the time of this machine`;
  return [error(problem, 'set the clock of this machine, best by NTP')];
}
