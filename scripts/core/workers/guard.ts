import { spawn } from 'node:child_process';

/** Ends processes, and removes a folder, when this process has ended. */
export interface Guard {
  /** @param pids the processes to end, instead of those of the previous call */
  watch(pids: readonly number[]): void;
  /** Stops guarding. */
  close(): void;
}

/** The shell's input ends when this process ends, for whatever reason. */
const SCRIPT = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids; rm -rf "$1"';

/**
 * Starts a guard: a shell that waits. Without a `sh` there is no guard. A worker notices the end of this process only when its JavaScript
 * returns to the event loop, which an endless expression never does.
 *
 * @param folder the folder to remove
 */
export function startGuard(folder: string): Guard {
  const shell = spawn('sh', ['-c', SCRIPT, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {}).unref();
  shell.stdin.on('error', () => {});
  let watched = '';
  const watch = (pids: readonly number[]) => {
    const line = `${pids.join(' ')}\n`;
    if (line !== watched) shell.stdin.write(line);
    watched = line;
  };
  return {
    watch,
    close() {
      watch([]);
      shell.stdin.end();
    },
  };
}
