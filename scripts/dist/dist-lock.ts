import path from 'node:path';
import { LOCK_FILE } from '../format/dist-format.ts';
import { CommandError } from '../lib/command-error.ts';
import { makePrivateFolder } from '../lib/private-files.ts';
import { orCommandError } from '../lib/system-error.ts';
import { withLock } from './lock.ts';

/**
 * Does work while no other process writes to a dist/ folder. The lock of a process that has died is taken over.
 *
 * @param staleMs how long a lock of a process elsewhere counts as held after its last renewal, in ms
 * @throws CommandError if another process holds the folder
 */
export async function withDistLock<T>(
  folder: string,
  work: () => Promise<T>,
  staleMs?: number,
): Promise<T> {
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

/** Like `withDistLock`; the message of a system error also says that the index has not changed. */
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
