import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import { orCommandError } from '../lib/system-error.ts';

/** Who holds a dist/ folder. */
interface Holder {
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
}

const PROCESS_LOCK = '.lock';
/** Taking over a lock is a matter of microseconds; a process that died in it does not hold up the next for longer, in ms. */
const TAKEOVER_LIMIT = 10_000;

/**
 * Does work as the only process that writes into a dist/ folder. The lock of a process of this machine that has died is taken over.
 *
 * @throws CommandError when another process holds the folder
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

/** As `withDistLock`, for work of which people are to know that it leaves the index as it was where it fails. */
export async function holdDist(out: string, work: () => Promise<void>): Promise<void> {
  await orCommandError(
    withDistLock(out, work),
    (reason) => `${out}/ cannot be written: ${reason}; its index is as it was`,
  );
}

/** @returns whether the file was not there before */
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

/** Removes a lock whose holder is gone; a second lock makes sure that it is removed once. */
async function takeOver(lock: string): Promise<boolean> {
  const second = `${lock}.takeover`;
  const age = Date.now() - ((await stat(second).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (age > TAKEOVER_LIMIT) await rm(second, { force: true });
  if (!(await create(second))) return false;
  try {
    const holder = await readHolder(lock);
    if (holder && isAlive(holder)) return false;
    // A lock without a holder is one that is being written, unless its writer died just then.
    if (!holder && (await isFresh(lock))) return false;
    await rm(lock, { force: true });
    return true;
  } finally {
    await rm(second, { force: true });
  }
}

async function isFresh(lock: string): Promise<boolean> {
  const stats = await stat(lock).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < TAKEOVER_LIMIT;
}

async function readHolder(lock: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(lock, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** A process of another machine is taken to be alive. One with our own number has died, or we would not be here. */
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
  const who = holder
    ? `process ${holder.pid} on ${holder.host}, since ${holder.since}`
    : 'a process that has just begun';
  return `${folder}/ is being written by another gamedata (${who}); wait for its end, or delete ${lock} if it is gone`;
}
