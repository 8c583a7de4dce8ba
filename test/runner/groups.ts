import type { ChildProcess } from 'node:child_process';

/** The process groups that run now, by the pid of their leader. */
const running = new Set<number>();

/** Remembers the group that a process leads, until it has ended. */
export function watchGroup({ pid }: ChildProcess): { kill(): void } {
  if (pid === undefined) throw new Error('no process could be started');
  running.add(pid);
  return {
    /** Kills what there is left of it. */
    kill() {
      killGroup(pid);
      running.delete(pid);
    },
  };
}

/** Kills all groups; for a runner that is itself interrupted. */
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
