import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUILD } from './paths.ts';

/** When a command gets which signal. */
export interface Interruption {
  /** SIGKILL goes to its whole process group, of which it has to be the leader. */
  signal: 'SIGKILL' | 'SIGSTOP';
  /** At which of its steps that write files, from 1 on: before one is made, or in the middle of one that writes a file's content. */
  step: number;
  /** What the path has to contain of the files that are counted. */
  file: string;
}

/** The environment in which a command is interrupted; it says so on stderr. */
export function interruptAt(interruption: Interruption): Record<string, string> {
  const module = pathToFileURL(path.join(BUILD, 'test/support/interrupt-writes.js'));
  return { NODE_OPTIONS: `--import=${module}`, INTERRUPTION: JSON.stringify(interruption) };
}
