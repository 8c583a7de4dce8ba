import { spawnSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MIN_SETTLED_MS } from '../../scripts/compile/memo.ts';
import { commandLine } from '../support/command.ts';
import { withFolder } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import type { BenchRow } from './report.ts';

/** With `--quick`, this game instead of all. */
const ONE = 'zenless-zone-zero';

/** Seconds of processor time. */
export const rows: BenchRow[] = [
  {
    name: 'build of the shipped games with nothing changed',
    beside: 'full build',
    quick: 'one game',
    unit: 's',
    target: { atMost: 0.03 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const data = path.join(folder, 'data');
        await cp(quick ? path.join(DATA, ONE) : DATA, quick ? path.join(data, ONE) : data, {
          recursive: true,
        });
        // Files that were written just now do not count as unchanged.
        await wait(MIN_SETTLED_MS + 100);
        const measured = [];
        for (let pair = 0; pair < pairs; pair++) {
          for (const made of ['dist', 'cache'])
            await rm(path.join(folder, made), { recursive: true, force: true });
          const [beside, ours] = [runBuild(folder), runBuild(folder)];
          const detail = { oursByClock: ours.wall, besideByClock: beside.wall };
          measured.push({ ours: ours.cpu, beside: beside.cpu, detail });
        }
        return measured;
      }),
  },
];

/** The shell's own `time` includes the processor time of processes for which its command waited. */
const TIMED = `TIMEFORMAT='%R %U %S'; exec 3>&2; time { "$@" 2>&3 >&2; } 3>&3`;

/** Runs the compiled `gamedata build`, on at most two cores. @returns the seconds that it needed @throws Error if it fails */
function runBuild(folder: string): { wall: number; cpu: number } {
  const [data, out, cache] = ['data', 'dist', 'cache'].map((name) => path.join(folder, name)) as string[];
  const places = ['--data', `${data}`, '--out', `${out}`, '--cache', `${cache}`];
  const command = commandLine('gamedata', ['build', ...places, '--jobs', '2', '--coverage', 'none']);
  const { status, stderr } = spawnSync('bash', ['-c', TIMED, 'bash', ...command], { encoding: 'utf8' });
  const [wall = 0, user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
  return { wall, cpu: user + system };
}
