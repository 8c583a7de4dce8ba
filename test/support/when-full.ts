import { spawnSync } from 'node:child_process';
import * as assert from 'uvu/assert';

/** Does work while no file can be longer than `bytes`, as if the disk were full. */
export async function whenFull(bytes: number, work: () => unknown): Promise<void> {
  // A write beyond the limit also sends this signal, which would end the process.
  process.on('SIGXFSZ', ignore);
  limitFiles(String(bytes));
  try {
    await work();
  } finally {
    limitFiles('unlimited');
    process.off('SIGXFSZ', ignore);
  }
}

function ignore(): void {}

function limitFiles(bytes: string): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  assert.is(status, 0, String(stderr));
}
