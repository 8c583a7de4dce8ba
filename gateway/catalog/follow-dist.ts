import { stat } from 'node:fs/promises';
import path from 'node:path';
import { INDEX_FILE } from '../../scripts/format/dist-format.ts';
import type { Log } from '../log/log.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { DistError } from './dist-folder.ts';

/** How long a state that could not be loaded is left alone. */
const RETRY_MS = 2000;

/** The newest state of a dist/ folder that could be loaded. */
export interface DistFollower {
  readonly folder: string;
  /** A request takes this once and uses it to its end. */
  readonly catalog: Catalog;
  /** Looks for a newer state, from now on. @returns the newest that could be loaded */
  look(): Promise<Catalog>;
  /** Stops looking for newer states. */
  close(): void;
}

/** What following a dist/ folder takes. */
export interface FollowOptions {
  /** ms since 1970. */
  now: () => number;
  log: Log;
  /** How often to look, in ms. */
  interval: number;
  /** Gives a state that somebody has loaded of the folder meanwhile, if any: what is the same is shared with it. */
  takeLoaded?: () => Catalog | undefined;
}

/**
 * Opens a dist/ folder and follows it: when its index changes, the new state is loaded aside and takes the old one's place at once. A
 * state that cannot be loaded is logged, and the old one stays.
 *
 * @throws DistError when the first state cannot be loaded
 */
export async function followDist(
  folder: string,
  { now, log, interval, takeLoaded = () => undefined }: FollowOptions,
): Promise<DistFollower> {
  let seen = await readSignature(folder);
  let catalog = await openCatalog(folder, now(), takeLoaded());
  let failed = { signature: '', at: 0 };
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<Catalog> | undefined;

  const reload = async () => {
    const signature = await readSignature(folder);
    if (signature === seen) return catalog;
    // What failed may only have been incomplete, on a network folder say: it is tried again, but told once.
    const known = signature === failed.signature;
    if (known && performance.now() - failed.at < RETRY_MS) return catalog;
    try {
      catalog = await openCatalog(folder, now(), takeLoaded() ?? catalog);
      seen = signature;
      failed = { signature: '', at: 0 };
      log.info('dist reloaded', { folder });
    } catch (error) {
      failed = { signature, at: performance.now() };
      if (!known) log.error('dist not reloaded, serving the state before', { folder, error: tell(error) });
    }
    return catalog;
  };
  // A look that is under way may have begun before what its caller knows of happened: it gets the one after.
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
    look,
    close: () => clearInterval(timer),
  };
}

/** What people need of an expected error is its message; a bug has to be found by its stack. */
export function tell(error: unknown): string {
  if (error instanceof DistError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Tells one index.json from the next: each is a new file, renamed into place. */
async function readSignature(folder: string): Promise<string> {
  const found = await stat(path.join(folder, INDEX_FILE), { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : 'absent';
}
