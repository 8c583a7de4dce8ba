import type { Index } from '../../scripts/format/dist-format.ts';
import { Port } from '../../scripts/lib/port.ts';
import type { Log } from '../http/log.ts';
import { DegradedParts } from './dist-files.ts';
import { DistError } from './dist-folder.ts';
import { type DistFollower, followDist } from './follow-dist.ts';

/** How often to check a folder for changes. */
export const FOLLOW_MS = 200;

/** Options for following a dist/. */
export interface OpenDistOptions {
  now: () => number;
  log: Log;
  /** Where to report what is degraded. */
  degraded?: DegradedParts;
  /** The options of `gateway serve`, of which some are about a dist/ that is not on this machine. */
  serveOptions?: object;
}

/**
 * Opens a dist/ by its address and follows it.
 *
 * @param address a folder, or an address that the part `mirror` follows: `http(s)://…` or `s3://bucket/prefix`
 * @throws DistError when the first state cannot be loaded
 */
export async function openDist(address: string, options: OpenDistOptions): Promise<DistFollower> {
  if (isRemote(address)) return await (await loadRemoteDists(address)).follow(address, options);
  const { now, log, degraded = new DegradedParts(now) } = options;
  return await followDist(address, { now, log, degraded, interval: FOLLOW_MS });
}

/** Opens a dist/ that is not on this machine. */
export interface RemoteDists {
  /**
   * Follows it by a copy in a folder.
   *
   * @throws DistError when the folder has no state yet and none can be fetched
   */
  follow(address: string, options: OpenDistOptions): Promise<DistFollower>;
  /** Reads its index, of which the files may be missing. @throws DistError */
  readIndex(address: string, endpoint: string | undefined): Promise<Index>;
}

/** Opens what is not on this machine, which the part `mirror` offers. */
export const REMOTE_DISTS = new Port<RemoteDists>();

/** Returns whether an address is not that of a folder on this machine. */
export function isRemote(address: string): boolean {
  return /^(https?|s3):/i.test(address);
}

/** Loads what opens a dist/ that is not on this machine. @throws DistError without the part for that */
export async function loadRemoteDists(address: string): Promise<RemoteDists> {
  const loaded = await REMOTE_DISTS.load();
  if (loaded) return loaded;
  throw new DistError(
    `--dist ${address} is not a folder, and this gateway runs without the part mirror, which follows other addresses; name a folder, or add mirror to --parts`,
  );
}
