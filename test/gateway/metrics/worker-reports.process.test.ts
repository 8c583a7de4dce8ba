import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

interface Context {
  folder: string;
  running: Running;
  address: string;
  metrics: string;
  pids: number[];
}

const workers = suite<Context>('the metrics of several workers');
workers.before(async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'worker-metrics-'));
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  const places = ['--dist', path.join(folder, 'dist'), '--store', path.join(folder, 'store')];
  const ports = ['--port', '0', '--metrics-port', '0', '--workers', '2'];
  const running = startCommand('gateway', ['serve', ...places, ...ports]);
  const [, metrics = ''] = await running.printed(/"message":"metrics","address":"(http:[^"]+)"/);
  const [, address = ''] = await running.printed(/"message":"listening","address":"(http:[^"]+)"/);
  const { input = '' } = await running.printed(/(worker ready[\s\S]*){2}/);
  const pids = [...input.matchAll(/"worker ready","pid":(\d+)/g)].map(([, pid]) => Number(pid));
  Object.assign(context, { folder, running, address, metrics, pids });
});
workers.after(async ({ folder, running, pids }) => {
  for (const pid of pids) tryKill(pid, 'SIGCONT');
  running.child.kill('SIGTERM');
  await running.ended;
  await rm(folder, { recursive: true });
});

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Reads the value of a series. */
async function read(metrics: string, series: string): Promise<number | undefined> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const HEALTH = 'gateway_requests_total{route="/healthz",tier="none",status="200"}';

const MEMORY = 'nodejs_heap_size_used_bytes';

workers('are shown in one scrape, whose counters never fall when a worker hangs or ends', async (context) => {
  const { address, metrics, pids } = context;
  await until(async () => (await read(metrics, 'gateway_workers{state="reporting"}')) === 2);
  for (let sent = 0; sent < 40; sent++)
    await fetch(`${address}/healthz`, { headers: { connection: 'close' } });
  await until(async () => (await read(metrics, HEALTH)) === 40);
  const memory = (await read(metrics, MEMORY)) ?? 0;

  const [first = 0] = pids;
  process.kill(first, 'SIGSTOP');
  assert.is(await read(metrics, 'gateway_workers{state="silent"}'), 1);
  assert.is(await read(metrics, HEALTH), 40);
  assert.ok(((await read(metrics, MEMORY)) ?? 0) > 0.6 * memory, 'the memory of the silent worker is kept');
  const { problems } = (await (await fetch(`${metrics}/statusz`)).json()) as { problems: string[] };
  assert.ok(
    problems.some((problem) => problem.startsWith(`worker ${first} is degraded`)),
    problems.join(),
  );

  process.kill(first, 'SIGKILL');
  await until(async () => (await read(metrics, 'gateway_workers_ended_total')) === 1);
  await until(async () => (await read(metrics, 'gateway_workers{state="reporting"}')) === 2);
  assert.is(await read(metrics, HEALTH), 40);
});

workers.run();
