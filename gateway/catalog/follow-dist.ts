import { stat } from 'node:fs/promises';
import path from 'node:path';
import { INDEX_FILE } from '../../scripts/format/dist-format.ts';
import type { Log } from '../log/log.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { DistError } from './dist-folder.ts';
import type { MirrorState } from './mirror-state.ts';

/** How long to wait before loading a failed state again. */
const RETRY_MS = 2000;
const NO_FAILURE = { signature: '', at: 0, reason: '' };

/** How a follower does. */
export interface FollowState {
  /** When the state that it serves was loaded, in ms since 1970. */
  loadedAt: number;
  /** Why a newer state is not served; undefined when there is none. */
  failure: string | undefined;
  /** How the copy of a dist/ that is not on this machine does. */
  mirror?: MirrorState;
}

/** The newest state of a dist/ folder that could be loaded. */
export interface DistFollower {
  readonly folder: string;
  /** Each request reads this once and uses the same catalog until its end. */
  readonly catalog: Catalog;
  readonly state: FollowState;
  /** Checks for a newer state. @returns the newest state that could be loaded */
  look(): Promise<Catalog>;
  /** Stops checking for newer states. */
  close(): void;
}

/** Options for following a dist/ folder. */
export interface FollowOptions {
  /** ms since 1970. */
  now: () => number;
  log: Log;
  /** How often to check, in ms. */
  interval: number;
  /** Returns a state of the folder that was loaded elsewhere meanwhile, if any: unchanged parts are shared with it. */
  takeLoaded?: () => Catalog | undefined;
}

/**
 * Opens a dist/ folder and follows it. When its index changes, the new state is loaded and then replaces the old one in one step. When it
 * cannot be loaded, the failure is logged and the old state stays.
 *
 * @throws DistError when the first state cannot be loaded
 */
export async function followDist(
  folder: string,
  { now, log, interval, takeLoaded = () => undefined }: FollowOptions,
): Promise<DistFollower> {
  let seen = await readSignature(folder);
  let catalog = await openCatalog(folder, now(), takeLoaded());
  let loadedAt = now();
  let failed = NO_FAILURE;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<Catalog> | undefined;

  const reload = async () => {
    const signature = await readSignature(folder);
    if (signature === seen) {
      failed = NO_FAILURE;
      return catalog;
    }
    // The state may only have been incomplete, for example on a network folder: try again, but log once.
    const known = signature === failed.signature;
    if (known && performance.now() - failed.at < RETRY_MS) return catalog;
    try {
      catalog = await openCatalog(folder, now(), takeLoaded() ?? catalog);
      seen = signature;
      loadedAt = now();
      failed = NO_FAILURE;
      log.info('dist reloaded', { folder });
    } catch (error) {
      const reason = tell(error);
      failed = { signature, at: performance.now(), reason };
      if (!known) log.error('dist not reloaded, serving the state before', { folder, error: reason });
    }
    return catalog;
  };
  // A check under way may have begun before the change that the caller knows of: the caller gets the next check.
  const look = () => {
    if (next) return next;
    next = last.then(() => {
      next = undefined;
      return reload();
    });
    last = next;
    return next;
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return {
    folder,
    get catalog() {
      return catalog;
    },
    get state() {
      return { loadedAt, failure: failed.reason || undefined };
    },
    look,
    close: () => clearInterval(timer),
  };
}

/** Returns the message of an expected error, and the stack of a bug. */
export function tell(error: unknown): string {
  if (error instanceof DistError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Distinguishes index.json from the next one: each is a new file, renamed into place. */
async function readSignature(folder: string): Promise<string> {
  const found = await stat(path.join(folder, INDEX_FILE), { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : 'absent';
}
