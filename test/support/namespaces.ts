import { spawnSync } from 'node:child_process';
import type { Callback, Test } from 'uvu';

const { status } = spawnSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' });

/** Registers a test that starts processes in PID namespaces of their own, as containers do; where that is not allowed it is skipped, and says so. */
export function testInNamespaces<T>(suite: Test<T>, name: string, test: Callback<T>): void {
  if (status === 0) {
    suite(name, test);
    return;
  }
  process.stdout.write(`skipped, since no PID namespace can be made here: ${name}\n`);
  suite.skip(name, test);
}
