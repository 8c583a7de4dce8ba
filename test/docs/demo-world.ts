import { createServer } from 'node:http';
import path from 'node:path';
import { runCommand, startCommand } from '../support/command.ts';
import { type Files, makeFolder, writeFiles } from '../support/fixtures.ts';
import { endServer, listen } from '../support/listen.ts';

/** More characters than a page of the API has. */
export const CHARACTER_COUNT = 105;

const GAME: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.0/characters.json': Array.from({ length: CHARACTER_COUNT }, (_, index) => ({
    id: `c${index}`,
    name: `Ann *${index}*`,
    name_ja: `アン, "${index}"`,
    rarity: 3 + (index % 3),
    element: ['Pyro', 'Hydro', 'Cryo', 'Geo'][index % 4] as string,
    tags: ['a', 'b'],
    stats: { atk: 100 + index },
  })),
};

/** `gateway serve --demo` over one game. */
export interface DemoWorld {
  address: string;
  keys: { free: string; pro: string };
  /** Runs `gateway` on the store of the demo. */
  run(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Builds a game and serves it with demo keys. */
export async function startDemo(): Promise<DemoWorld> {
  const folder = await makeFolder('demo');
  const [data, dist, cache, store] = ['data', 'dist', 'cache', 'store'].map((name) =>
    path.join(folder, name),
  );
  await writeFiles(data as string, GAME);
  await runWell('gamedata', ['build', '--data', data, '--out', dist, '--cache', cache] as string[]);
  const onStore = ['--store', store as string];
  const served = ['--dist', dist as string, ...onStore];
  const gateway = startCommand('gateway', ['serve', '--demo', '--port', '0', ...served], { cwd: folder });
  const [, free = '', address = ''] = await gateway.printed(/X-API-Key: (gdr_\w+)' '(http:\/\/[^/]+)\//);
  const [, pro = ''] = await gateway.printed(/X-API-Key: (gdr_\w+)' '\S+\/history/);
  await gateway.printed(/"message":"listening"/);
  return {
    address,
    keys: { free, pro },
    run: (...args) => runWell('gateway', [...args, ...onStore]),
    async stop() {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
    },
  };
}

async function runWell(command: 'gamedata' | 'gateway', args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** A proxy that refuses the first request like a gateway whose quota is used up, for a second, and forwards all others. */
export async function startRefusing(address: string): Promise<{ address: string; stop(): Promise<void> }> {
  let isRefused = false;
  const server = createServer(async ({ method = '', url = '', headers }, response) => {
    const refuses = method === 'GET' && !isRefused;
    if (refuses) isRefused = true;
    const key = headers['x-api-key'];
    const passed = await fetch(address + url, {
      method,
      ...(key && { headers: { 'x-api-key': String(key) } }),
    });
    const body = await passed.text();
    for (const name of [
      'content-type',
      'access-control-allow-origin',
      'access-control-allow-headers',
      'access-control-expose-headers',
    ]) {
      const value = passed.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    if (!refuses) return response.writeHead(passed.status).end(body);
    const problem = { code: 'quota-exceeded', detail: 'this account has used its 10 requests in 60 seconds' };
    return response.writeHead(429, { 'Retry-After': 1 }).end(JSON.stringify(problem));
  });
  return { address: await listen(server), stop: () => endServer(server) };
}
