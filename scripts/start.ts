/**
 * `npm start`: compiles data/ and serves it. The formats besides JSON are a quarter of the work, so the first time they are made while the gateway
 * already serves.
 */

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const BUILD = ['build/scripts/cli.js', 'build', '--coverage', 'none'];
const ALL = [...BUILD, '--formats', 'all', '--formats-of', '1'];

let running: ChildProcess;
function run(args: readonly string[], stdio: StdioOptions = 'inherit'): ChildProcess {
  return spawn(process.execPath, args, { stdio });
}

// A terminal sends SIGINT to all processes: each ends in its own time.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => running.kill());
const hasData = existsSync('dist/index.json');
running = run(hasData ? ALL : BUILD);
const [built] = await once(running, 'exit');
if (built !== 0) process.exit(1);
running = run(['build/gateway/cli.js', 'serve', '--demo', ...process.argv.slice(2)]);
const formats = hasData ? undefined : run(ALL, 'ignore');
if (formats?.pid) setPriority(formats.pid, constants.priority.PRIORITY_LOW);
formats?.on('exit', (code) => {
  if (code === 1)
    process.stderr.write('npm start: no formats besides JSON; gamedata build --formats all says why\n');
});
process.exitCode = (await once(running, 'exit'))[0] ?? 1;
formats?.kill();
