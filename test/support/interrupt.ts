import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUILD } from './paths.ts';

/** When a command gets which signal. */
export interface Interruption {
  /** SIGKILL goes to its whole process group. The command has to lead that group. */
  signal: 'SIGKILL' | 'SIGSTOP';
  /**
   * Which of its steps that write files is interrupted, from 1. Writing a file's content is two steps: before it, and halfway through.
   */
  step: number;
  /** Only steps on files whose path contains this text are counted. */
  file: string;
}

/** The environment in which a command is interrupted. The command then prints `interrupted` to stderr. */
export function interruptAt(interruption: Interruption): Record<string, string> {
  const module = pathToFileURL(path.join(BUILD, 'test/support/interrupt-writes.js'));
  return { NODE_OPTIONS: `--import=${module}`, INTERRUPTION: JSON.stringify(interruption) };
}
