import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listUsers } from '../../store/sqlite-file.ts';
import { StoreError } from '../../store/store.ts';
import { LOCK } from './folder-state.ts';

/**
 * Refuses a folder that another process has open, of whatever version: LMDB locks its lock file in each.
 *
 * @param readers the numbers of processes that LMDB lists, also of other containers
 * @throws StoreError
 */
export function refuseUsers(folder: string, readers: readonly string[]): void {
  const others = [...new Set([...listUsers([join(folder, LOCK)]), ...readers])]
    .filter((pid) => Number(pid) !== process.pid)
    .map((pid) => `${pid}${describeCommand(pid)}`);
  if (others.length === 0) return;
  throw new StoreError(
    `taking it over needs the folder for itself, but the process ${others.join(', ')} has it open; stop that process and start again`,
  );
}

/** Returns the program and the command of a process, such as ` (cli.js serve)`; empty for a process of another container. */
function describeCommand(pid: string): string {
  try {
    const [, program = '', command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return ` (${basename(program)}${/^[a-z]+$/.test(command) ? ` ${command}` : ''})`;
  } catch {
    return '';
  }
}
