import { spawn } from 'node:child_process';

/** Ends processes when this one is gone. */
export interface Guard {
  /** @param pids the processes; those of the call before are guarded no more */
  watch(pids: readonly number[]): void;
  /** Guards nothing any more. */
  close(): void;
}

/** Its input ends when the process that holds the other end does, however that ends. */
const SCRIPT = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids';

/**
 * Starts a guard: a shell that waits, where there is a `sh`. By itself a worker ends with the process that started it only when its
 * JavaScript comes to a rest, which an expression without an end never does; and a thread that looks would cost each worker a tenth of
 * its start.
 */
export function startGuard(): Guard {
  const shell = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
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
