// Locks between processes, also on different machines that share a folder.
// A lock is an SQLite file with an exclusive transaction. The system ends it with the process, however that ends, and the next process gets it.
// The file is removed at the end. A process that opened it before, and got the lock of a removed file, begins again.
import { open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LOCK_FILE } from '../format/dist-format.ts';
import * as system from '../system.ts';

/**
 * The locks that this process holds, by their files. Opening one twice would end it (POSIX, `fcntl`), and so would its collection as garbage, if
 * nothing else refers to work that waits.
 */
const held = new Map<string, { close(): void } | undefined>();

/**
 * Does work while this process holds a lock.
 *
 * @throws the error that `refuse` makes, if another process holds the lock
 */
export async function withLock<T>(file: string, work: () => Promise<T>, refuse: () => Error): Promise<T> {
  const name = path.resolve(file);
  if (held.has(name)) throw refuse();
  held.set(name, undefined);
  try {
    const lock = await acquire(name, refuse);
    held.set(name, lock);
    try {
      return await work();
    } finally {
      // A file that stays does no harm, and the lock has to end.
      await rm(name, { force: true }).catch(() => {});
      lock.close();
    }
  } finally {
    held.delete(name);
  }
}

const BUSY_PAUSE_MS = 500;

/** Like `withLock`, but waits while another game or process holds the lock. @throws CommandError with `busy` if it is held for longer than `maxMs` */
export async function waitForLock<T>(
  file: string,
  work: () => Promise<T>,
  { busy, maxMs = 900_000 }: { busy: string; maxMs?: number | undefined },
): Promise<T> {
  const refuse = () => new system.CommandError(busy, 1, 'busy');
  for (const end = performance.now() + maxMs; ; ) {
    try {
      return await withLock(file, work, refuse);
    } catch (error) {
      if (!system.isFailure(error, 'busy') || performance.now() >= end) throw error;
      await wait(BUSY_PAUSE_MS);
    }
  }
}

const SQLITE_BUSY = 5;

async function acquire(file: string, refuse: () => Error): Promise<{ close(): void }> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const inodeOf = async () => (await stat(file).catch(() => undefined))?.ino;
  for (;;) {
    // SQLite would not say why it cannot create the file.
    await (await open(file, 'a')).close();
    const inode = await inodeOf();
    const database = new DatabaseSync(file);
    try {
      // A journal beside the file would count as a change of its folder.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      const { message, errcode }: Error & { errcode?: number } = system.errorOf(error);
      if (errcode === SQLITE_BUSY) throw refuse();
      throw new system.CommandError(`${file} cannot be locked: ${message}; delete it if no gamedata runs`);
    }
    if (inode !== undefined && inode === (await inodeOf())) return database;
    database.close();
  }
}

/** Does work while no other process writes to a dist/ folder. @throws CommandError if one does, and instead of a system error */
export async function withDistLock<T>(out: string, work: () => Promise<T>): Promise<T> {
  const refuse = () =>
    new system.CommandError(`another gamedata is writing to ${out}/; wait until it ends, and run it again`);
  const locked = async () => {
    await system.makePrivateFolder(out);
    return await withLock(path.join(out, LOCK_FILE), work, refuse);
  };
  return await orUnwritable(out, locked());
}

/** Waits for work that writes to dist/. @throws CommandError instead of a system error */
export async function orUnwritable<T>(out: string, work: Promise<T>): Promise<T> {
  return await system.orCommandError(
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
  else await system.replaceFile(file, Buffer.from(`${JSON.stringify(after)}\n`));
}
