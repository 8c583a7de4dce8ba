import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { type Running, runCommand, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { ALL_DRIVERS, onEachDriver } from './on-each-store.ts';
import type { StorePlace } from './places.ts';

interface Context {
  folder: string;
  dist: string;
  place: StorePlace;
  started: Running[];
}

async function startGateway({ dist, place, started }: Context): Promise<string> {
  const args = ['serve', '--port', '0', '--dist', dist, '--store', place.address, '--access-log', 'off'];
  const running = startCommand('gateway', args);
  started.push(running);
  return (await running.printed(/"address":"(http:[^"]+)"/))[1] as string;
}

async function issueKey({ place }: Context): Promise<{ key: string; prefix: string }> {
  const { stdout } = await runCommand('gateway', [
    'keys',
    'issue',
    'ada@example.org',
    '--json',
    '--store',
    place.address,
  ]);
  return JSON.parse(stdout) as { key: string; prefix: string };
}

async function statusOf(address: string, key: string): Promise<number> {
  const answer = await fetch(`${address}/api/games`, { headers: { 'x-api-key': key } });
  await answer.arrayBuffer();
  return answer.status;
}

/** 500 requests of one account over two keys, at once and over all gateways: exactly ten are admitted, whatever becomes of a gateway. */
async function checkCounting(context: Context): Promise<void> {
  const addresses = await Promise.all([1, 2, 3].map(() => startGateway(context)));
  const keys = [await issueKey(context), await issueKey(context)].map(({ key }) => key);
  const statuses = await Promise.all(
    Array.from({ length: 500 }, (_, n) => statusOf(addresses[n % 3] as string, keys[n % 2] as string)),
  );
  const count = (status: number) => statuses.filter((each) => each === status).length;
  assert.equal([count(200), count(429)], [10, 490]);

  const [killed] = context.started;
  killed?.child.kill('SIGKILL');
  await killed?.ended;
  const fresh = await startGateway(context);
  const shown = await runCommand('gateway', [
    'accounts',
    'show',
    'ada@example.org',
    '--json',
    '--store',
    context.place.address,
  ]);
  assert.is(JSON.parse(shown.stdout).used.day, 10);
  const me = await fetch(`${fresh}/api/me`, { headers: { 'x-api-key': keys[0] as string } });
  assert.is(((await me.json()) as { usage: { day: { used: number } } }).usage.day.used, 10);
}

/** A key that is revoked is refused by every gateway before long, though each has it in memory. */
async function checkRevoking(context: Context): Promise<void> {
  const addresses = await Promise.all([1, 2].map(() => startGateway(context)));
  const { key, prefix } = await issueKey(context);
  for (const address of addresses) assert.is(await statusOf(address, key), 200);
  assert.is(
    (await runCommand('gateway', ['keys', 'revoke', prefix, '--store', context.place.address])).code,
    0,
  );
  // Far less than the 30 seconds for which keys are kept, and far more than it takes.
  const deadline = Date.now() + 10_000;
  for (const address of addresses) {
    while ((await statusOf(address, key)) !== 401) assert.ok(Date.now() < deadline, 'it is still taken');
  }
}

onEachDriver<Context>(
  'gateways that share a store',
  (test, all, makePlace) => {
    all.before(async (context) => {
      context.folder = await mkdtemp(path.join(tmpdir(), 'shared-'));
      context.dist = path.join(context.folder, 'dist');
      await buildGames(SAMPLE_GAMES, context.dist);
    });
    all.before.each(async (context) => {
      context.place = await makePlace();
      context.started = [];
    });
    all.after.each(async ({ place, started }) => {
      for (const { child, ended } of started) {
        child.kill('SIGKILL');
        await ended;
      }
      await place.remove();
    });
    all.after(({ folder }) => rm(folder, { recursive: true }));

    test('count exactly, and a crash loses nothing', checkCounting);
    test('all refuse a key that was revoked', checkRevoking);
  },
  ALL_DRIVERS,
);
