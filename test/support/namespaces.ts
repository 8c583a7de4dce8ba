import { spawnSync } from 'node:child_process';
import type { Callback, Test } from 'uvu';

const { status } = spawnSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' });

/** Registers a test that starts processes in separate PID namespaces, as containers do. If none can be made here, the test is skipped with this reason. */
export function testInNamespaces<T>(suite: Test<T>, name: string, test: Callback<T>): void {
  if (status === 0) {
    suite(name, test);
    return;
  }
  process.stdout.write(`skipped without PID namespaces: ${name}\n`);
  suite.skip(name, test);
}
