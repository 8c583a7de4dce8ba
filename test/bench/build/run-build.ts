import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from '../../support/command.ts';
import type { Pair } from '../bench-row.ts';

/** What a command took, in seconds. */
export interface Cost {
  wall: number;
  /** Of all its processes, in user and system mode. */
  cpu: number;
}

/** Where a build reads and writes. */
export interface Folders {
  data: string;
  out: string;
  cache: string;
}

/** The folders of a build, all in one. */
export function foldersIn(folder: string): Folders {
  const [data, out, cache] = ['data', 'dist', 'cache'].map((name) => path.join(folder, name));
  return { data, out, cache } as Folders;
}

/**
 * Runs `gamedata build` as compiled, on two cores where the machine has more.
 *
 * @throws Error where it fails, or warns of more than is known
 */
export function runBuild({ data, out, cache }: Folders): Cost {
  const args = ['build', '--data', data, '--out', out, '--cache', cache, '--jobs', '2'];
  return measureCommand(commandLine('gamedata', args));
}

/** Measures two commands, one after the other, as often as told. */
export async function measurePairs(
  pairs: number,
  measure: () => Promise<{ ours: Cost; beside: Cost }>,
): Promise<Pair[]> {
  const measured: Pair[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const { ours, beside } = await measure();
    const detail = { cpuOurs: ours.cpu, cpuBeside: beside.cpu };
    measured.push({ ours: ours.wall, beside: beside.wall, detail });
  }
  return measured;
}

/** Removes what a build has made. */
export async function removeMade({ out, cache }: Folders): Promise<void> {
  await Promise.all([out, cache].map((made) => rm(made, { recursive: true, force: true })));
}

/** The shell's own `time` knows the processor time of the processes that a process has waited for. */
const TIMED = `TIMEFORMAT='%R %U %S'; exec 3>&2; time { "$@" 2>&3 >&2; } 3>&3`;

function measureCommand(command: string[]): Cost {
  const shell = ['-c', TIMED, 'bash', ...command];
  const { status, stderr, error } = spawnSync('bash', shell, { encoding: 'utf8' });
  const [wall, user, system] = (stderr?.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  if (status !== 0 || wall === undefined || user === undefined || system === undefined) {
    throw new Error(`${command.join(' ')} failed: ${error?.message ?? stderr}`);
  }
  return { wall, cpu: user + system };
}
