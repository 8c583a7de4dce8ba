import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedisServer, startRedis } from '../gateway/store/redis-server.ts';
import { type Running, startCommand } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { readBlock } from '../support/docs/pages.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { type NginxServer, startNginx } from '../support/nginx-server.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { withPrograms } from '../support/skip.ts';

const SECRET = 'a-secret-of-sixteen';
const TITLES = ['Star Rail', 'Tiny II', 'Unborn'];

interface Context {
  root: string;
  dist: string;
  /** The folder to which dist/ is published for gateways, and the folder of the CDN. */
  published: string;
  cdn: string;
  source: FileServer;
  gateways: Running[];
  servers: (NginxServer | RedisServer)[];
}

const many = suite<Context>('on many machines');
many.before.each(async (context) => {
  const root = await mkdtemp(path.join(tmpdir(), 'many-'));
  const [dist = '', published = '', cdn = ''] = ['dist', 'published', 'cdn'].map((name) =>
    path.join(root, name),
  );
  const source = await startFileServer(published);
  Object.assign(context, { root, dist, published, cdn, source, gateways: [], servers: [] });
});
many.after.each(async ({ root, source, gateways, servers }) => {
  for (const { child, ended } of gateways) {
    child.kill('SIGKILL');
    await ended;
  }
  for (const server of servers) await server.remove();
  await source.stop();
  await rm(root, { recursive: true });
});

async function publish({ dist, published, cdn }: Context): Promise<void> {
  for (const args of [[published], [cdn, '--snapshots', '--prune']]) {
    const { code, stderr } = await runInProcess('gamedata', ['publish', ...args, '--dist', dist]);
    assert.is(code, 0, stderr);
  }
}

async function issueKey(store: string, tier: string): Promise<string> {
  const args = ['keys', 'issue', `${tier}@example.org`, '--tier', tier, '--json', '--store', store];
  return (JSON.parse((await runInProcess('gateway', args)).stdout) as { key: string }).key;
}

/** The environment that the page shows for each machine. */
async function readSettings(): Promise<Record<string, string>> {
  const lines = (await readBlock('docs/operators/many-machines.md', 'env')).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2)));
}

const register = withPrograms(many, 'nginx', 'redis-server');

register('two gateways follow one dist, with nginx in front and Redis behind', async (context) => {
  const { root, dist, cdn, source, gateways, servers } = context;
  await buildGames(SAMPLE_GAMES, dist);
  await publish(context);
  const redis = await startRedis();
  const files = await startNginx('cdn', { '/srv/cdn;': `${cdn};`, THE_SECRET: SECRET });
  servers.push(redis, files);
  const addresses = { GATEWAY_HOST: '127.0.0.1', GATEWAY_STORE: redis.address, GATEWAY_DIST: source.address };
  const settings = { ...(await readSettings()), ...addresses };
  const serve = async (name: string) => {
    const own = ['--port', '0', '--cache', path.join(root, name)];
    const links = ['--cdn-scheme', 'nginx', '--cdn-url', files.address];
    const gateway = startCommand('gateway', ['serve', ...own, ...links], {
      env: { ...settings, GATEWAY_LINK_SECRET: SECRET },
    });
    gateways.push(gateway);
    return new URL((await gateway.printed(/"address":"(http:[^"]+)"/))[1] as string).host;
  };
  const [one, two] = [await serve('one'), await serve('two')];
  const front = await startNginx('front', { '10.0.0.11:3000': one, '10.0.0.12:3000': two });
  servers.push(front);
  const ask = (target: string, key: string) =>
    fetch(front.address + target, { headers: { 'x-api-key': key } });
  const [free, pro] = [await issueKey(redis.address, 'free'), await issueKey(redis.address, 'pro')];

  const asked = await Promise.all(Array.from({ length: 40 }, () => ask('/api/games', free)));
  const statuses = asked.map(({ status }) => status);
  assert.equal(
    [statuses.filter((status) => status === 200).length, new Set(statuses)],
    [10, new Set([200, 429])],
  );
  for (const gateway of gateways) await gateway.printed(/"message":"response"/);

  const link = await ask('/api/tiny-game/snapshot/latest?via=link', pro);
  const { url, sha256 } = (await link.json()) as { url: string; sha256: string };
  assert.ok(url.startsWith(`${files.address}/tiny-game/snapshot.`));
  const download = Buffer.from(await (await fetch(url)).arrayBuffer());
  assert.is(createHash('sha256').update(download).digest('hex'), sha256);

  await buildGames({ ...SAMPLE_GAMES, 'tiny-game/game.json': { title: 'Tiny II' } }, dist);
  await publish(context);
  for (const gateway of gateways) await gateway.printed(/dist reloaded/);
  const titles = async () => {
    const { games } = (await (await ask('/api/games', pro)).json()) as { games: { title: string }[] };
    return games.map(({ title }) => title);
  };
  for (let n = 0; n < 4; n++) assert.equal(await titles(), TITLES);

  // First a gateway stops, then the server to which dist/ was published.
  gateways[0]?.child.kill('SIGKILL');
  await gateways[0]?.ended;
  await source.stop();
  await gateways[1]?.printed(/dist not mirrored, serving what is there/);
  for (let n = 0; n < 8; n++) assert.equal(await titles(), TITLES);
  assert.equal(
    await readFile(path.join(root, 'two', 'index.json')),
    await readFile(path.join(dist, 'index.json')),
  );
});

many.run();
