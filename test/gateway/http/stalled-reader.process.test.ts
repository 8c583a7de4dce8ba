import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLine } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { findFreePort } from '../../support/free-port.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const stalled = suite<{ folder: string; child?: ChildProcess }>('a gateway whose log is not read');
stalled.before(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'stalled-'));
  await buildGames(SAMPLE_GAMES, path.join(context.folder, 'dist'));
});
stalled.after(async ({ folder, child }) => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

stalled('responds, and ends on SIGTERM', async (context) => {
  const { folder } = context;
  const port = await findFreePort();
  const options = { dist: path.join(folder, 'dist'), store: path.join(folder, 'store'), port: String(port) };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const [program, ...rest] = commandLine('gateway', ['serve', ...args]);
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  context.child = child;
  const ask = (target: string) =>
    fetch(`http://127.0.0.1:${port}${target}`).then(
      ({ status }) => status,
      () => undefined,
    );
  await until(async () => (await ask('/healthz')) === 200);
  // More than a pipe and the queue hold together.
  const target = `/${'x'.repeat(8000)}`;
  for (let request = 0; request < 200; request++) assert.is(await ask(target), 404);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.equal(await ended, [0, null]);
});

stalled.run();
