/**
 * `npm start`: compiles data/ and serves it. The formats besides JSON are a quarter of the work, so that they are first made while the gateway
 * already serves.
 */

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

const BUILD = ['build/scripts/cli.js', 'build', '--coverage', 'none'];
const ALL = [...BUILD, '--formats', 'all', '--formats-of', '1'];

function run(args: readonly string[], stdio: StdioOptions = 'inherit'): ChildProcess {
  return spawn(process.execPath, args, { stdio });
}

const hasData = existsSync('dist/index.json');
const [code] = await once(run(hasData ? ALL : BUILD), 'exit');
if (code !== 0) process.exit(1);
const gateway = run(['build/gateway/cli.js', 'serve', '--demo', ...process.argv.slice(2)]);
const formats = hasData ? undefined : run(ALL, 'ignore');
// A terminal sends SIGINT to all processes: the gateway ends in its own time.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => gateway.kill());
process.exitCode = (await once(gateway, 'exit'))[0] ?? 1;
formats?.kill();
