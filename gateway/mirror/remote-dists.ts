import { INDEX_FILE, type Index } from '../../scripts/format/dist-format.ts';
import { type Catalog, loadCatalog } from '../data/catalog.ts';
import { DegradedParts } from '../data/dist-files.ts';
import { DistError, parseIndex } from '../data/dist-folder.ts';
import { type DistFollower, followDist } from '../data/follow-dist.ts';
import { FOLLOW_MS, type OpenDistOptions } from '../data/open-dist.ts';
import type { DistMirror } from './dist-mirror.ts';
import type { DistSource } from './dist-source.ts';
import { httpSource } from './http-source.ts';
import { mirrorDist } from './mirror-dist.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** How often to check for changes. */
const MIRROR_MS = 1000;
/** How long reading an index may take. */
const MAX_READ_MS = 10_000;
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/** Follows the dist/ at an address by a copy. @throws DistError when the copy has no state yet and none can be fetched */
export async function follow(address: string, options: OpenDistOptions): Promise<DistFollower> {
  const { now, log, degraded = new DegradedParts(now), serveOptions } = options;
  const { cache, s3Endpoint, distKey, distAllowOlder } = serveOptions as MirrorOptions;
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
  const mirror = await mirrorDist(await openSource(address, s3Endpoint), cache, {
    ...{ tryState, log, degraded, interval: MIRROR_MS },
    trust: { keys: distKey ?? [], allowOlder: distAllowOlder ?? false },
    servedAt: now(),
  });
  const refetch = mirror.refetch.bind(mirror);
  follower = await followDist(cache, { now, log, interval: FOLLOW_MS, takeLoaded, degraded, refetch });
  return withMirror(follower, mirror);
}

/** Reads the index of the dist/ at an address. @throws DistError */
export async function readIndex(address: string, endpoint: string | undefined): Promise<Index> {
  const source = await openSource(address, endpoint);
  const index = await source.read(INDEX_FILE, MAX_INDEX_BYTES, AbortSignal.timeout(MAX_READ_MS));
  return parseIndex(index, source.name);
}

/**
 * Opens a dist/ by its address. It imports only the code for that kind of address.
 *
 * @param endpoint of an S3-compatible store other than AWS
 * @throws DistError when it is not an address
 */
async function openSource(address: string, endpoint: string | undefined): Promise<DistSource> {
  if (/^https?:/i.test(address)) return httpSource(address);
  const { openObjectStore } = await import('../../scripts/publish/object-store.ts');
  const store = openObjectStore(address, endpoint);
  if (!store)
    throw new DistError(`--dist ${address} is not the address of a bucket, expected s3://bucket/prefix`);
  const { s3Source } = await import('./s3-source.ts');
  return s3Source(store);
}

/** Makes a follower that also closes a mirror, and shows its state. */
function withMirror(follower: DistFollower, mirror: DistMirror): DistFollower {
  return {
    folder: follower.folder,
    files: follower.files,
    get catalog() {
      return follower.catalog;
    },
    get state() {
      return { ...follower.state, mirror: mirror.state };
    },
    get degraded() {
      return follower.degraded;
    },
    look: () => follower.look(),
    close() {
      mirror.close();
      follower.close();
    },
  };
}
