// Locks between processes, also on different machines that share a folder.
// A lock is a file that names its owner, created exclusively. The owner renews its time eight times per `staleMs`.
// The lock of a process that has ended on this machine is taken over at once; any other lock after it was not renewed for `staleMs`. A second,
// short-lived file lets only one process take over, and only if the lock is still the one that it saw.
// Guarantee: at most one process works at a time, provided that processes are not suspended for longer than `staleMs` and that the machines' clocks
// agree within that time.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LOCK_FILE } from '../format/dist-format.ts';
import { CommandError, errorOf, makePrivateFolder, orCommandError, replaceFile } from '../system.ts';

/** The process that holds a lock, as the lock's file names it. */
export interface LockHolder {
  owner: string;
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
}

/** The owners of the locks that this process holds. */
const held = new Set<string>();

const STALE_MS = 20_000;
const RENEWALS_PER_LEASE = 8;

/**
 * Does work while this process holds a lock.
 *
 * @throws the error that `refuse` makes, if another process holds the lock; its argument is undefined if that process has not written its name yet
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { refuse, staleMs = STALE_MS }: { refuse(holder: LockHolder | undefined): Error; staleMs?: number },
): Promise<T> {
  const owner = randomBytes(12).toString('hex');
  const handle = await acquire(file, owner, refuse, staleMs);
  const renew = () => {
    const now = new Date();
    handle.utimes(now, now).catch(() => {});
  };
  held.add(owner);
  const timer = setInterval(renew, staleMs / RENEWALS_PER_LEASE);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    held.delete(owner);
    if ((await readHolder(file))?.owner === owner) await rm(file, { force: true });
    await handle.close();
  }
}

async function acquire(
  file: string,
  owner: string,
  refuse: (holder: LockHolder | undefined) => Error,
  staleMs: number,
): Promise<FileHandle> {
  for (;;) {
    const handle = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (handle) {
      const holder: LockHolder = {
        owner,
        pid: process.pid,
        host: hostname(),
        since: new Date().toISOString(),
      };
      await handle.writeFile(JSON.stringify(holder)).catch(async (error: unknown) => {
        await rm(file, { force: true });
        await handle.close();
        throw error;
      });
      return handle;
    }
    const holder = await readHolder(file);
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined) continue;
    const isLate = Date.now() - stats.mtimeMs > staleMs;
    if (!isLate && !(holder && isDead(holder))) throw refuse(holder);
    await removeStale(file, holder, staleMs);
  }
}

/** Removes a stale lock. A second file ensures that only one process does so, and that the lock is still the same. */
async function removeStale(file: string, stale: LockHolder | undefined, staleMs: number): Promise<void> {
  const second = `${file}.takeover`;
  const handle = await open(second, 'wx').catch(() => undefined);
  if (handle === undefined) {
    const stats = await stat(second).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > staleMs) await rm(second, { force: true });
    await wait(10);
    return;
  }
  try {
    if ((await readHolder(file))?.owner === stale?.owner) await rm(file, { force: true });
  } finally {
    await handle.close();
    await rm(second, { force: true });
  }
}

/** Whether the process of a lock has ended. A process on another machine or in another container cannot be checked from here. */
function isDead({ owner, pid, host }: LockHolder): boolean {
  if (host !== hostname()) return false;
  // In a restarted container, this process can have the id of the previous one.
  if (pid === process.pid) return !held.has(owner);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorOf(error).code !== 'EPERM';
  }
}

async function readHolder(file: string): Promise<LockHolder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Does work while no other process writes to a dist/ folder. The lock of a dead process is taken over.
 *
 * @param staleMs how long the lock of a process elsewhere stays valid after its last renewal, in ms
 * @throws CommandError if another process holds the lock
 */
export async function withDistLock<T>(folder: string, work: () => Promise<T>, staleMs?: number): Promise<T> {
  await makePrivateFolder(folder);
  return await withLock(path.join(folder, LOCK_FILE), work, {
    refuse: (holder) => {
      const name = holder
        ? `process ${holder.pid} on ${holder.host}, since ${holder.since}`
        : 'a process that has just started';
      return new CommandError(
        `another gamedata is writing to ${folder}/ (${name}); wait until it ends. The lock of a process that has died is taken over`,
      );
    },
    ...(staleMs !== undefined && { staleMs }),
  });
}

/** Like `withDistLock`; the message of a system error adds that the index has not changed. */
export async function holdDist(out: string, work: () => Promise<void>): Promise<void> {
  await orUnwritable(out, withDistLock(out, work));
}

/** Waits for work that writes to dist/. @throws CommandError instead of a system error */
export async function orUnwritable<T>(out: string, work: Promise<T>): Promise<T> {
  return await orCommandError(
    work,
    (reason) => `${out}/ cannot be written: ${reason}; its index has not changed`,
  );
}

/** Lists the games in dist/ that were written without a record: drafts, and all that `gamedata build --watch` writes. Readers of dist/ ignore it. */
const UNRECORDED = '.unrecorded.json';

/** Returns the slugs of the games in dist/ that were written without a record. */
export async function readUnrecorded(out: string): Promise<string[]> {
  try {
    const slugs: unknown = JSON.parse(await readFile(path.join(out, UNRECORDED), 'utf8'));
    return Array.isArray(slugs) ? slugs.filter((slug) => typeof slug === 'string') : [];
  } catch {
    return [];
  }
}

/** Adds games to that list, or removes them. */
export async function noteUnrecorded(out: string, slugs: readonly string[], isTrue: boolean): Promise<void> {
  const others = (await readUnrecorded(out)).filter((slug) => !slugs.includes(slug));
  const after = isTrue ? [...others, ...slugs].sort() : others;
  const file = path.join(out, UNRECORDED);
  if (after.length === 0) await rm(file, { force: true });
  else await replaceFile(file, Buffer.from(`${JSON.stringify(after)}\n`));
}
