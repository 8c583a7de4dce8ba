import type { ChildProcess } from 'node:child_process';

/** The running process groups, by the pid of their leader. */
const running = new Set<number>();

/** Remembers the group that a process leads, until the group is killed. */
export function watchGroup({ pid }: ChildProcess): { kill(): void } {
  if (pid === undefined) throw new Error('no process could be started');
  running.add(pid);
  return {
    /** Kills the processes of the group that still run. */
    kill() {
      killGroup(pid);
      running.delete(pid);
    },
  };
}

/** Kills all groups, when the runner is interrupted. */
export function killAll(): void {
  for (const group of running) killGroup(group);
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
