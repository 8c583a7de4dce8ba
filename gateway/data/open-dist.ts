import type { Log } from '../http/log.ts';
import { DegradedParts } from './dist-files.ts';
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
 * @param address a folder, or the address of a published one: `http(s)://…` or `s3://bucket/prefix`
 * @throws DistError when the first state cannot be loaded
 */
export async function openDist(address: string, options: OpenDistOptions): Promise<DistFollower> {
  if (isRemote(address)) return await (await import('../mirror/remote-dists.ts')).follow(address, options);
  const { now, log, degraded = new DegradedParts(now) } = options;
  return await followDist(address, { now, log, degraded, interval: FOLLOW_MS });
}

/** Returns whether an address is not that of a folder on this machine. */
function isRemote(address: string): boolean {
  return /^(https?|s3):/i.test(address);
}
