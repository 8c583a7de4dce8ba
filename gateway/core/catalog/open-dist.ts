import type { Index } from '../../../scripts/core/format/dist-format.ts';
import type { Log } from '../log/log.ts';
import { type Catalog, loadCatalog } from './catalog.ts';
import { DegradedParts } from './degraded.ts';
import { type DistFollower, followDist } from './follow-dist.ts';
import { type DistMirror, isRemote, loadRemoteDists, type Trust } from './remote-dist.ts';

/** How often to check a folder for changes. */
const FOLLOW_MS = 200;

/** Options for following a dist/. */
export interface OpenDistOptions {
  /** The folder for a copy of a dist/ that is not on this machine. */
  cache: string;
  /** The endpoint of an S3-compatible store other than AWS. */
  endpoint: string | undefined;
  now: () => number;
  log: Log;
  /** Which published states are followed. */
  trust?: Trust;
  /** Where to report what is degraded. */
  degraded?: DegradedParts;
}

/**
 * Opens a dist/ by its address and follows it.
 *
 * @param address a folder, or an address that the part `mirror` follows: `http(s)://…` or `s3://bucket/prefix`
 * @throws DistError when the first state cannot be loaded
 */
export async function openDist(address: string, options: OpenDistOptions): Promise<DistFollower> {
  const { now, log, degraded = new DegradedParts(now) } = options;
  return isRemote(address)
    ? await followCopy(address, { ...options, degraded })
    : await followDist(address, { now, log, degraded, interval: FOLLOW_MS });
}

async function followCopy(
  address: string,
  { cache, endpoint, now, log, trust, degraded }: OpenDistOptions & { degraded: DegradedParts },
): Promise<DistFollower> {
  let follower: DistFollower | undefined;
  let loaded: Catalog | undefined;
  const tryState = async (index: Index) => {
    loaded = await loadCatalog(cache, index, { now: now(), previous: follower?.catalog });
    return loaded.failures;
  };
  const takeLoaded = () => {
    const taken = loaded;
    loaded = undefined;
    return taken;
  };
  const dists = await loadRemoteDists(address);
  const mirror = await dists.mirror(address, {
    ...{ folder: cache, endpoint, tryState, log, trust, degraded },
    servedAt: now(),
  });
  const refetch = mirror.refetch.bind(mirror);
  follower = await followDist(cache, { now, log, interval: FOLLOW_MS, takeLoaded, degraded, refetch });
  return extend(follower, () => mirror.close(), mirror);
}

/** Makes a follower that also closes something else, and shows the state of a mirror. */
function extend(follower: DistFollower, close: () => void, mirror?: DistMirror): DistFollower {
  return {
    folder: follower.folder,
    files: follower.files,
    get catalog() {
      return follower.catalog;
    },
    get state() {
      return mirror ? { ...follower.state, mirror: mirror.state } : follower.state;
    },
    get degraded() {
      return follower.degraded;
    },
    look: () => follower.look(),
    close() {
      close();
      follower.close();
    },
  };
}
