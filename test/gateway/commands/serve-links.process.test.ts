import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const LINK = '/api/tiny-game/snapshot/1?via=link';

interface Context {
  options: string[];
  folder: string;
  key: string;
}

const links = suite<Context>('gateway serve and links');
links.before(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'serve-links-'));
  const [dist, store] = ['dist', 'store'].map((name) => path.join(context.folder, name)) as [string, string];
  await buildGames(SAMPLE_GAMES, dist);
  context.options = ['--port', '0', '--dist', dist, '--store', store];
  const issue = ['keys', 'issue', 'a@example.org', '--tier', 'pro', '--json', '--store', store];
  context.key = (JSON.parse((await runInProcess('gateway', issue)).stdout) as { key: string }).key;
});
links.after(({ folder }) => rm(folder, { recursive: true }));

const started: Running[] = [];
links.after.each(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

async function serve(args: string[]): Promise<string> {
  const gateway = startCommand('gateway', ['serve', ...args]);
  started.push(gateway);
  return (await gateway.printed(/"address":"(http:[^"]+)"/))[1] as string;
}

async function askLink(address: string, key: string): Promise<string> {
  const response = await fetch(address + LINK, { headers: { 'x-api-key': key } });
  return ((await response.json()) as { url: string }).url;
}

links('gateways on one store accept each other’s links', async (context) => {
  const first = await serve(context.options);
  const link = await askLink(first, context.key);
  const second = await serve(context.options);
  for (const address of [first, second]) assert.is((await fetch(address + link)).status, 200);
  assert.is((await fetch(`${second}${link}x`)).status, 403);
});

links('begin with the public URL', async (context) => {
  const base = 'https://api.example.org';
  const given = await serve([...context.options, '--public-url', base]);
  const link = await askLink(given, context.key);
  assert.match(
    link,
    /^https:\/\/api\.example\.org\/files\/tiny-game\/snapshot\.\w+\.json\?expires=\d+&signature=/,
  );
  assert.is((await fetch(link.replace(base, given))).status, 200);
});

links('of what is no bucket are wrong usage, reported in one line', async ({ options }) => {
  const { code, stdout, stderr } = await runInProcess('gateway', [
    ...['serve', '--cdn-url', 'https://cdn.example.org'],
    ...options,
  ]);
  assert.equal([code, stdout], [2, '']);
  assert.match(stderr, /is not the address of a bucket/);
});

links.run();
