import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from './command-error.ts';
import { describeSelf, findState, type LockHolder } from './lock-holder.ts';

/** A lock that is held. */
export interface Lease {
  /** @throws CommandError if another process has taken the lock over, because this one did not renew it for too long */
  confirm(): Promise<void>;
}

/** Options of a lock. */
export interface LeaseOptions {
  /** Makes the error when another process holds the lock; its argument is undefined if that process has not written its name yet. */
  refuse(holder: LockHolder | undefined): Error;
  /** How long a lock that is not renewed counts as held, in ms, if this process cannot check whether the holder is alive. */
  staleMs?: number;
}

/** A lock's file as it was read. */
interface Seen {
  holder: LockHolder | undefined;
  /** Differs after each renewal. */
  mark: string;
}

const STALE_MS = 20_000;
const RENEWALS_PER_LEASE = 8;
const LOOKS_PER_LEASE = 80;

/**
 * Does work while this process holds a lock: a file with a random owner, which is renewed until the work is done. The lock of a process that
 * has died is taken over: at once if that process ran on this machine and in this container, otherwise if the lock is not renewed for
 * `staleMs`. Only the waiting process measures that time: clocks of different machines are not compared.
 */
export async function withLease<T>(
  file: string,
  work: (lease: Lease) => Promise<T>,
  { refuse, staleMs = STALE_MS }: LeaseOptions,
): Promise<T> {
  const lock = await acquire(file, refuse, staleMs);
  const timer = setInterval(() => void lock.renew(), staleMs / RENEWALS_PER_LEASE);
  timer.unref();
  try {
    return await work(lock);
  } finally {
    clearInterval(timer);
    await lock.release();
  }
}

async function acquire(file: string, refuse: LeaseOptions['refuse'], staleMs: number): Promise<LeaseLock> {
  for (;;) {
    const lock = await LeaseLock.create(file);
    if (lock) return lock;
    const seen = await look(file);
    if (seen === undefined) continue;
    if (await isStale(file, seen, staleMs)) {
      await removeStale(file, seen, staleMs);
      continue;
    }
    const now = await look(file);
    // Otherwise another process holds the lock now: check that one.
    if (now && now.holder?.owner === seen.holder?.owner) throw refuse(now.holder);
  }
}

/** Returns whether the process of a lock is dead, or did not renew the lock for `staleMs`. */
async function isStale(file: string, { holder, mark }: Seen, staleMs: number): Promise<boolean> {
  const state = holder ? findState(holder) : 'unknown';
  if (state !== 'unknown') return state === 'dead';
  const end = performance.now() + staleMs;
  while (performance.now() < end) {
    await wait(staleMs / LOOKS_PER_LEASE);
    if ((await look(file))?.mark !== mark) return false;
  }
  return true;
}

/** Removes a stale lock. A second lock ensures that only one process does so, and that it is still the same lock. */
async function removeStale(file: string, stale: Seen, staleMs: number): Promise<void> {
  const second = `${file}.takeover`;
  const lock = await LeaseLock.create(second);
  if (lock === undefined) {
    const seen = await look(second);
    if (seen && (await isStale(second, seen, staleMs))) await rm(second, { force: true });
    return;
  }
  try {
    if ((await look(file))?.mark === stale.mark) await rm(file, { force: true });
  } finally {
    await lock.release();
  }
}

/** Reads a lock. It opens the file, because network file systems may have an old status of a path in their cache. */
async function look(file: string): Promise<Seen | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const { ino, mtimeMs } = await handle.stat();
    const text = await handle.readFile('utf8');
    return { holder: parseHolder(text), mark: `${ino} ${mtimeMs} ${text}` };
  } finally {
    await handle.close();
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class LeaseLock implements Lease {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #owner: string;

  private constructor(file: string, handle: FileHandle, owner: string) {
    this.#file = file;
    this.#handle = handle;
    this.#owner = owner;
  }

  /** @returns undefined if the file exists already */
  static async create(file: string): Promise<LeaseLock | undefined> {
    const owner = randomBytes(12).toString('hex');
    const handle = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (handle === undefined) return undefined;
    const lock = new LeaseLock(file, handle, owner);
    try {
      await handle.writeFile(JSON.stringify(describeSelf(owner)));
      return lock;
    } catch (error) {
      await rm(file, { force: true });
      await handle.close();
      throw error;
    }
  }

  /** Renews the lock through the open file, so that another process's lock at the same path is never renewed. */
  async renew(): Promise<void> {
    const now = new Date();
    await this.#handle.utimes(now, now).catch(() => {});
  }

  async confirm(): Promise<void> {
    if (await this.#isHeld()) return;
    throw new CommandError(
      `the lock ${this.#file} was taken over by another process, because this one was suspended for too long: run it again`,
    );
  }

  async release(): Promise<void> {
    if (await this.#isHeld()) await rm(this.#file, { force: true });
    await this.#handle.close();
  }

  async #isHeld(): Promise<boolean> {
    return (await look(this.#file))?.holder?.owner === this.#owner;
  }
}
