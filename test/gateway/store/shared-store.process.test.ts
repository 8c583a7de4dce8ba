import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';
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

async function issueKey({ place }: Context, email: string): Promise<{ key: string; prefix: string }> {
  const { stdout } = await runInProcess('gateway', [
    'keys',
    'issue',
    email,
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

/**
 * Sends 500 requests with two keys, at once and over all gateways.
 *
 * @returns how many got each status; undefined if Redis was late for a gateway meanwhile, as on a busy machine
 */
async function countStatuses(
  { started }: Context,
  addresses: readonly string[],
  keys: readonly string[],
): Promise<Record<number, number> | undefined> {
  const misses = async () => {
    const logs = await Promise.all(started.map(({ printed }) => printed(/^/)));
    return logs.flatMap(({ input = '' }) => input.match(/"level":"error"/g) ?? []).length;
  };
  const before = await misses();
  const counts: Record<number, number> = {};
  const requests = Array.from({ length: 500 }, async (_, n) => {
    const status = await statusOf(addresses[n % addresses.length] as string, keys[n % 2] as string);
    counts[status] = (counts[status] ?? 0) + 1;
  });
  await Promise.all(requests);
  return (await misses()) === before ? counts : undefined;
}

/** Checks that exactly ten requests of an account are admitted, also after a gateway was killed. */
async function checkCounting(context: Context, addresses: readonly string[]): Promise<void> {
  let email = '';
  let keys: string[] = [];
  let counts: Record<number, number> | undefined;
  let round = 0;
  await until(async () => {
    email = `ada-${++round}@example.org`;
    keys = [await issueKey(context, email), await issueKey(context, email)].map(({ key }) => key);
    counts = await countStatuses(context, addresses, keys);
    return counts !== undefined;
  });
  assert.equal(counts, { 200: 10, 429: 490 });

  const [killed] = context.started;
  killed?.child.kill('SIGKILL');
  await killed?.ended;
  const fresh = await startGateway(context);
  const show = ['accounts', 'show', email, '--json', '--store', context.place.address];
  assert.is(JSON.parse((await runInProcess('gateway', show)).stdout).used.day, 10);
  await until(async () => {
    const me = await fetch(`${fresh}/api/me`, { headers: { 'x-api-key': keys[0] as string } });
    const { usage } = (await me.json()) as { usage?: { day: { used: number } } };
    return usage?.day.used === 10;
  });
}

/** How long a gateway keeps a key in memory. */
const KEPT_MS = 30_000;

/** Checks that every gateway refuses a revoked key, although each has it in memory. */
async function checkRevoking(context: Context, addresses: readonly string[]): Promise<void> {
  // On a machine so slow that the key is no longer in memory, it is repeated with another key.
  await until(async () => {
    const { key, prefix } = await issueKey(context, 'ada@example.org');
    const keptSince = performance.now();
    const respondsWith = async (status: number) => {
      for (const address of addresses) await until(async () => (await statusOf(address, key)) === status);
    };
    await respondsWith(200);
    const revoke = ['keys', 'revoke', prefix, '--store', context.place.address];
    assert.is((await runInProcess('gateway', revoke)).code, 0);
    await respondsWith(401);
    return performance.now() - keptSince < KEPT_MS;
  });
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

    test('all refuse a key that was revoked, count exactly, and a crash loses nothing', async (context) => {
      const addresses = await Promise.all([1, 2].map(() => startGateway(context)));
      await checkRevoking(context, addresses);
      await checkCounting(context, addresses);
    });
  },
  ALL_DRIVERS,
);
