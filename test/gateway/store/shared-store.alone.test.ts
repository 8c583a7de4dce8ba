import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../command.ts';
import { withRedis } from '../../skip.ts';
import { buildGames } from '../dist-fixture.ts';
import { SAMPLE_GAMES } from '../sample-games.ts';
import { startRedis } from './redis-server.ts';
import { runCli } from './run-cli.ts';

interface Context {
  folder: string;
  dist: string;
  started: Running[];
}

const shared = suite<Context>('gateways on one store');
shared.before(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'shared-'));
  context.dist = path.join(context.folder, 'dist');
  await buildGames(SAMPLE_GAMES, context.dist);
});
shared.before.each((context) => {
  context.started = [];
});
shared.after.each(async ({ started }) => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
});
shared.after(({ folder }) => rm(folder, { recursive: true }));

async function startGateway({ dist, started }: Context, store: string): Promise<string> {
  const args = ['serve', '--port', '0', '--dist', dist, '--store', store, '--access-log', 'off'];
  const running = startCommand('gateway', args);
  started.push(running);
  return (await running.printed(/"address":"(http:[^"]+)"/))[1] as string;
}

async function issueKey(store: string): Promise<{ key: string; prefix: string }> {
  const { stdout } = await runCli(['keys', 'issue', 'ada@example.org', '--json', '--store', store]);
  return JSON.parse(stdout) as { key: string; prefix: string };
}

async function statusOf(address: string, key: string): Promise<number> {
  const answer = await fetch(`${address}/api/games`, { headers: { 'x-api-key': key } });
  await answer.arrayBuffer();
  return answer.status;
}

/** 500 requests of one account over two keys, at once and over all gateways: exactly ten are admitted, whatever becomes of a gateway. */
async function checkCounting(context: Context, store: string): Promise<void> {
  const addresses = await Promise.all([1, 2, 3].map(() => startGateway(context, store)));
  const keys = [await issueKey(store), await issueKey(store)].map(({ key }) => key);
  const statuses = await Promise.all(
    Array.from({ length: 500 }, (_, n) => statusOf(addresses[n % 3] as string, keys[n % 2] as string)),
  );
  const count = (status: number) => statuses.filter((each) => each === status).length;
  assert.equal([count(200), count(429)], [10, 490]);

  const [killed] = context.started;
  killed?.child.kill('SIGKILL');
  await killed?.ended;
  const fresh = await startGateway(context, store);
  const shown = await runCli(['accounts', 'show', 'ada@example.org', '--json', '--store', store]);
  assert.is(JSON.parse(shown.stdout).used.day, 10);
  const me = await fetch(`${fresh}/api/me`, { headers: { 'x-api-key': keys[0] as string } });
  assert.is(((await me.json()) as { usage: { day: { used: number } } }).usage.day.used, 10);
}

/** A key that is revoked is refused by every gateway before long, though each has it in memory. */
async function checkRevoking(context: Context, store: string): Promise<void> {
  const addresses = await Promise.all([1, 2].map(() => startGateway(context, store)));
  const { key, prefix } = await issueKey(store);
  for (const address of addresses) assert.is(await statusOf(address, key), 200);
  assert.is((await runCli(['keys', 'revoke', prefix, '--store', store])).code, 0);
  // Far less than the 30 seconds for which keys are kept, and far more than it takes.
  const deadline = Date.now() + 10_000;
  for (const address of addresses) {
    while ((await statusOf(address, key)) !== 401) assert.ok(Date.now() < deadline, 'it is still taken');
  }
}

shared('on one LMDB, three processes count exactly, and a crash loses nothing', (context) =>
  checkCounting(context, path.join(context.folder, 'counting')),
);

shared('on one LMDB, all gateways refuse a key that was revoked', (context) =>
  checkRevoking(context, path.join(context.folder, 'revoking')),
);

const sharedRedis = withRedis(shared);

sharedRedis('on one Redis, three gateways count exactly, and a crash loses nothing', async (context) => {
  const redis = await startRedis();
  await checkCounting(context, redis.address).finally(redis.remove);
});

sharedRedis('on one Redis, all gateways refuse a key that was revoked', async (context) => {
  const redis = await startRedis();
  await checkRevoking(context, redis.address).finally(redis.remove);
});

shared.run();
