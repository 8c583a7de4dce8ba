import type { Index } from '../../scripts/format/dist-format.ts';
import type { Log } from '../log/log.ts';
import { type Catalog, loadCatalog } from './catalog.ts';
import { type DistFollower, followDist } from './follow-dist.ts';
import { mirrorDist } from './mirror-dist.ts';
import { openSource } from './open-source.ts';

/** How often to check a folder, and a dist/ elsewhere, for changes. */
const FOLLOW_MS = 200;
const MIRROR_MS = 1000;

/** Options for following a dist/. */
export interface OpenDistOptions {
  /** The folder for a copy of a dist/ that is not on this machine. */
  cache: string;
  /** The endpoint of an S3-compatible store other than AWS. */
  endpoint: string | undefined;
  now: () => number;
  log: Log;
}

/**
 * Opens a dist/ by its address and follows it.
 *
 * @param address a folder, `http(s)://…` or `s3://bucket/prefix`
 * @throws DistError when the first state cannot be loaded
 */
export async function openDist(
  address: string,
  { cache, endpoint, now, log }: OpenDistOptions,
): Promise<DistFollower> {
  const source = await openSource(address, endpoint);
  if (!source) return await followDist(address, { now, log, interval: FOLLOW_MS });
  let follower: DistFollower | undefined;
  let loaded: Catalog | undefined;
  const tryState = async (index: Index) => {
    loaded = await loadCatalog(cache, index, { now: now(), previous: follower?.catalog });
  };
  const takeLoaded = () => {
    const taken = loaded;
    loaded = undefined;
    return taken;
  };
  const mirror = await mirrorDist(source, cache, { tryState, log, interval: MIRROR_MS });
  const following = await followDist(cache, { now, log, interval: FOLLOW_MS, takeLoaded });
  follower = following;
  return {
    folder: cache,
    get catalog() {
      return following.catalog;
    },
    get state() {
      return { ...following.state, mirror: mirror.state };
    },
    look: following.look,
    close() {
      mirror.close();
      following.close();
    },
  };
}
