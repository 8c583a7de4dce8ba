import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import { orCommandError } from '../lib/system-error.ts';

/** The process that holds a dist/ folder. */
interface Holder {
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
}

const PROCESS_LOCK = '.lock';
/** Taking over a lock takes microseconds. After this time, the process that was doing it counts as dead. */
const MAX_TAKEOVER_MS = 10_000;

/**
 * Does work while no other process writes to a dist/ folder. The lock of a process of this machine that has died is taken over.
 *
 * @throws CommandError if another process holds the folder
 */
export async function withDistLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const lock = path.join(folder, PROCESS_LOCK);
  if (!(await create(lock)) && !((await takeOver(lock)) && (await create(lock)))) {
    throw new CommandError(await describeHolder(lock, folder));
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Like `withDistLock`; the message of a system error also says that the index has not changed. */
export async function holdDist(out: string, work: () => Promise<void>): Promise<void> {
  await orCommandError(
    withDistLock(out, work),
    (reason) => `${out}/ cannot be written: ${reason}; its index has not changed`,
  );
}

/** @returns false if the file exists already */
async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
    await handle.writeFile(JSON.stringify(holder)).finally(() => handle.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a lock whose holder has died. A second lock ensures that only one process does so. */
async function takeOver(lock: string): Promise<boolean> {
  const second = `${lock}.takeover`;
  const age = Date.now() - ((await stat(second).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (age > MAX_TAKEOVER_MS) await rm(second, { force: true });
  if (!(await create(second))) return false;
  try {
    const holder = await readHolder(lock);
    if (holder && isAlive(holder)) return false;
    // A lock without a holder is being written, unless its writer died at that moment.
    if (!holder && (await isFresh(lock))) return false;
    await rm(lock, { force: true });
    return true;
  } finally {
    await rm(second, { force: true });
  }
}

async function isFresh(lock: string): Promise<boolean> {
  const stats = await stat(lock).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < MAX_TAKEOVER_MS;
}

async function readHolder(lock: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(lock, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** A process of another machine counts as alive. A process with our own ID has died: the ID was given to us afterwards. */
function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function describeHolder(lock: string, folder: string): Promise<string> {
  const holder = await readHolder(lock);
  const name = holder
    ? `process ${holder.pid} on ${holder.host}, since ${holder.since}`
    : 'a process that has just started';
  return `another gamedata is writing to ${folder}/ (${name}); wait until it ends, or delete ${lock} if it no longer runs`;
}
