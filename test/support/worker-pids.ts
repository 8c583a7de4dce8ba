import { execFileSync } from 'node:child_process';

/** The process ids of the workers that a process has started. */
export function workerPids(parent: number): number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const processes = [...listed.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)];
  return processes
    .filter(([, , starter, args = '']) => Number(starter) === parent && args.startsWith(process.execPath))
    .map(([, pid]) => Number(pid));
}
