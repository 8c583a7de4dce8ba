import { readFileSync } from 'node:fs';

/** What Linux says of a process in `/proc/<pid>/stat`. */
export interface ProcessState {
  /** One letter: `Z` is a process that has ended. */
  state: string | undefined;
  /** When it started, in the system's ticks. */
  started: string | undefined;
  /** The processor time of its threads, in seconds. */
  worked: number;
}

/** Where the file has each, counted from the end of the process's name. */
const STATE_AT = 0;
const USER_TICKS_AT = 11;
const SYSTEM_TICKS_AT = 12;
const STARTED_AT = 19;
/** The unit of times in /proc on all architectures that Node.js runs on (USER_HZ). */
const TICKS_A_SECOND = 100;

/** Reads the state of a process; undefined if there is none, or the system does not say. */
export function readProcess(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it is in parentheses, and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TICKS_AT]) + Number(fields[SYSTEM_TICKS_AT]);
    return { state: fields[STATE_AT], started: fields[STARTED_AT], worked: ticks / TICKS_A_SECOND };
  } catch {
    return undefined;
  }
}
