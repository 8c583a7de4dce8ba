import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcess } from './read-process.ts';
import { errorOf } from './system-error.ts';

/** The process that holds a lock, as it is written to the lock's file. */
export interface LockHolder {
  /** Random, so that no two holders are the same. Locks of older versions have none. */
  owner?: string;
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
  /** The machine's boot and its PID namespace: process numbers can be compared within one. null if the system does not name them. */
  place?: string | null;
  /** When the process started, in the system's ticks: a process number can be used again. null if the system does not report it. */
  started?: string | null;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const PID_NAMESPACE = '/proc/self/ns/pid';

/** Describes this process as a holder. */
export function describeSelf(owner: string): LockHolder {
  const since = new Date().toISOString();
  const { pid } = process;
  const started = readProcess(pid)?.started ?? null;
  return { owner, pid, host: hostname(), since, place: readPlace(), started };
}

/**
 * Returns whether the process that holds a lock still runs; 'unknown' if it cannot be seen from here, as in another container or on another
 * machine.
 */
export function findState(holder: LockHolder): 'alive' | 'dead' | 'unknown' {
  const { place, host, owner } = holder;
  const here = readPlace();
  if (place != null && here != null) return place === here ? findLocalState(holder) : 'unknown';
  if (host !== hostname()) return 'unknown';
  const state = findLocalState(holder);
  return state === 'alive' && owner !== undefined ? 'unknown' : state;
}

function findLocalState({ pid, started, owner }: LockHolder): 'alive' | 'dead' {
  // A lock of an older version with this process's number belongs to a dead process, whose number this process got later.
  if (owner === undefined && pid === process.pid) return 'dead';
  if (!exists(pid)) return 'dead';
  const processState = readProcess(pid);
  if (processState === undefined) return 'alive';
  return processState.state === 'Z' || (started != null && processState.started !== started)
    ? 'dead'
    : 'alive';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorOf(error).code === 'EPERM';
  }
}

function readPlace(): string | null {
  try {
    return `${readFileSync(BOOT_ID, 'utf8').trim()} ${readlinkSync(PID_NAMESPACE)}`;
  } catch {
    return null;
  }
}
