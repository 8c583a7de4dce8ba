import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from '../../support/command.ts';
import { type Pair, byClock } from '../bench-row.ts';

/** The seconds that a command needed. */
export interface Cost {
  wall: number;
  /** User and system time of all its processes. */
  cpu: number;
}

/** The folders that a build reads and writes. */
export interface Folders {
  data: string;
  out: string;
  cache: string;
}

/** The folders of a build, all in one folder. */
export function foldersIn(folder: string): Folders {
  const [data, out, cache] = ['data', 'dist', 'cache'].map((name) => path.join(folder, name));
  return { data, out, cache } as Folders;
}

/**
 * Runs the compiled `gamedata build`, on at most two cores.
 *
 * @throws Error if it fails, or prints a warning that is not expected
 */
export function runBuild({ data, out, cache }: Folders): Cost {
  const args = ['build', '--data', data, '--out', out, '--cache', cache, '--jobs', '2'];
  return measureCommand(commandLine('gamedata', args));
}

/** Measures two commands alternately. */
export async function measurePairs(
  pairs: number,
  measure: () => Promise<{ ours: Cost; beside: Cost }>,
): Promise<Pair[]> {
  const measured: Pair[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const { ours, beside } = await measure();
    measured.push({ ours: ours.cpu, beside: beside.cpu, detail: byClock(ours.wall, beside.wall) });
  }
  return measured;
}

/** Removes what a build has written. */
export async function removeMade({ out, cache }: Folders): Promise<void> {
  await Promise.all([out, cache].map((made) => rm(made, { recursive: true, force: true })));
}

/** The shell's own `time` includes the processor time of processes for which its command waited. */
const TIMED = `TIMEFORMAT='%R %U %S'; exec 3>&2; time { "$@" 2>&3 >&2; } 3>&3`;

/** Measures a command. @throws Error if it fails */
function measureCommand(command: string[]): Cost {
  const shell = ['-c', TIMED, 'bash', ...command];
  const { status, stderr, error } = spawnSync('bash', shell, { encoding: 'utf8' });
  const [wall, user, system] = (stderr?.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  if (status !== 0 || wall === undefined || user === undefined || system === undefined) {
    throw new Error(`${command.join(' ')} failed: ${error?.message ?? stderr}`);
  }
  return { wall, cpu: user + system };
}
