import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { issueKeyIn } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const WORKERS = 2;

const workers = suite<{ folder: string; options: string[] }>('gateway serve --workers');
workers.before.each(async (context) => {
  const folder = await makeFolder('workers');
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  const store = path.join(folder, 'store');
  const options = ['--dist', path.join(folder, 'dist'), '--store', store, '--workers', String(WORKERS)];
  Object.assign(context, { folder, options: ['--port', '0', ...options] });
});

/** A gateway whose workers all listen, and their process ids. */
interface Started {
  running: Running;
  address: string;
  pids: number[];
}

async function startGateway(args: string[], env: Record<string, string> = {}): Promise<Started> {
  const running = startCommand('gateway', ['serve', ...args], { env });
  const [, address = ''] = await running.printed(/"address":"(http:[^"]+)"/);
  const { input = '' } = await running.printed(new RegExp(`(worker ready[^]*){${WORKERS}}`));
  const pids = [...input.matchAll(/"worker ready","pid":(\d+)/g)].map(([, pid]) => Number(pid));
  return { running, address, pids };
}

/** Sends a request on a new connection. */
async function ask(url: string, key: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { headers: { connection: 'close', 'x-api-key': key } });
  return { status: response.status, text: await response.text() };
}

async function stop({ running: { child, ended } }: Started) {
  child.kill('SIGTERM');
  return await ended;
}

workers('that start while the clock is ahead hide what is not released', async ({ folder, options }) => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await buildGames(
    {
      'saga/game.json': { title: 'Saga' },
      'saga/1/build.json': { released_at: day(-9) },
      'saga/1/characters.json': [{ id: 'a', name: 'Ann' }],
      'saga/1/pull_planner.json': { cost: 1 },
      'saga/2/pull_planner.json': { cost: 1 },
      'saga/2/build.json': { released_at: day(1) },
      'saga/2/characters.json': [{ id: 'a', name: 'Hidden' }],
    },
    path.join(folder, 'dist'),
  );
  const ahead = path.join(folder, 'ahead.mjs');
  await writeFile(
    ahead,
    `import cluster from 'node:cluster';
    const now = Date.now;
    if (cluster.isWorker) Date.now = () => now() + 2 * 86_400_000;`,
  );
  const key = await issueKeyIn(path.join(folder, 'store'), 'pro');
  const { address } = await startGateway(options, { NODE_OPTIONS: `--import=file://${ahead}` });
  const { text } = await ask(`${address}/api/saga/characters`, key);
  assert.match(text, '"build":"1"');
});

workers(
  'count the requests of an account together, exactly, and stop together',
  async ({ folder, options }) => {
    const key = await issueKeyIn(path.join(folder, 'store'), 'free');
    const gateway = await startGateway(options);
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => ask(`${gateway.address}/api/games`, key)),
    );
    assert.is(responses.filter(({ status }) => status === 200).length, 10);
    assert.is(responses.filter(({ status }) => status === 429).length, 30);
    const { code, stdout, stderr } = await stop(gateway);
    assert.equal([code, stderr], [0, '']);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { message: string }).message);
    assert.is(messages.filter((message) => message === 'listening').length, 1);
    assert.is(messages.filter((message) => message === 'response').length, 40);
  },
);

workers('are replaced when killed, while others continue, and follow dist', async (context) => {
  const { folder, options } = context;
  const key = await issueKeyIn(path.join(folder, 'store'), 'pro');
  const gateway = await startGateway(options);
  const isServing = async () => (await ask(`${gateway.address}/api/me`, key)).status === 200;
  for (const pid of gateway.pids) {
    process.kill(pid, 'SIGKILL');
    await gateway.running.printed(new RegExp(`replaced","pid":${pid},"reason":"SIGKILL"`));
    for (let request = 0; request < 5; request++) assert.ok(await isServing());
    await gateway.running.printed(new RegExp(`replaced","pid":${pid}[^]*worker ready`));
    for (let request = 0; request < 5; request++) assert.ok(await isServing());
  }
  const build = { 'tiny-game/2/build.json': { released_at: '2026-03-02' } };
  await buildGames({ ...SAMPLE_GAMES, ...build }, path.join(folder, 'dist'));
  const isNew = async () =>
    (await ask(`${gateway.address}/api/tiny-game/characters`, key)).text.includes('"build":"2"');
  const areNew = async () => (await Promise.all(Array.from({ length: 8 }, isNew))).every(Boolean);
  await gateway.running.printed(new RegExp(`(dist reloaded[^]*){${WORKERS}}`));
  assert.ok(await areNew());
  assert.is((await stop(gateway)).code, 0);
});

workers.run();
