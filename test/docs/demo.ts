import { chmod, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { copyCheckout } from '../end-to-end/checkout.ts';
import { type Running, startProcess } from '../support/command.ts';
import { BUILD, ROOT } from '../support/paths.ts';
import { until } from '../support/until.ts';

/** The gateway of `npm start`. */
interface DemoGateway {
  /** Where it listens, as `http://127.0.0.1:40123`. */
  address: string;
  /** A free key, and one with Pro. */
  key: string;
  proKey: string;
}

/** Where the commands of pages run: a checkout whose code is compiled. */
export interface Place {
  folder: string;
  /** The environment of commands: `gamedata` and `gateway` are on its path. */
  env: Record<string, string>;
  /** What `npm start` started. */
  gateway?: DemoGateway;
  /** The first lines of what `npm start` found in its games, all of whose builds it compiles. */
  findings?: string[];
}

/** A place that exists until `end` is called. */
export type OpenPlace = Place & { end(): Promise<void> };

/** As docs/operators/running.md says. */
const SETTINGS = { GATEWAY_PORT: '0', PATREON_WEBHOOK_SECRET: 'any text', PATREON_MIN_CENTS: '500' };
/** The games in the commands of pages. */
const NAMED_GAMES = ['arknights', 'genshin-impact', 'zenless-zone-zero'];
const COMMANDS = { gamedata: 'scripts', gateway: 'gateway' };

/** Makes a copy of this checkout, and runs `npm start` in it, with the games that pages name, until they are there in all formats. */
export async function openDemo(): Promise<OpenPlace> {
  const folder = await copyCheckout();
  const env = await linkCommands(folder);
  await leaveGames(path.join(folder, 'data'));
  await installClient(folder);
  const started = startProcess('npm', ['start'], {
    cwd: folder,
    env: { ...env, ...SETTINGS },
    detached: true,
  });
  let printed = '';
  started.child.stderr.on('data', (text) => {
    printed += text;
  });
  const end = async () => {
    stopNpmStart(started);
    await started.ended;
  };
  try {
    const gateway = await readDemoGateway(started);
    await until(() => hasFormats(gateway), 100);
    return { folder, env, end, gateway, findings: printed.match(/^(error|warning) .*$/gm) ?? [] };
  } catch (error) {
    await end();
    throw error;
  }
}

async function leaveGames(data: string): Promise<void> {
  for (const entry of await readdir(data, { withFileTypes: true }))
    if (entry.isDirectory() && !NAMED_GAMES.includes(entry.name))
      await rm(path.join(data, entry.name), { recursive: true });
}

/** @returns the environment that has the commands on its path */
async function linkCommands(folder: string): Promise<Record<string, string>> {
  const bin = path.join(folder, 'var', 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, part] of Object.entries(COMMANDS)) {
    const compiled = path.join(folder, 'build', part);
    await cp(path.join(BUILD, part), compiled, { recursive: true });
    const program = path.join(compiled, 'cli.js');
    await chmod(program, 0o755);
    await symlink(program, path.join(bin, name));
  }
  // `npm link` puts them here, and does not compile them again.
  const prefix = path.join(folder, 'var', 'prefix');
  return { npm_config_prefix: prefix, npm_config_ignore_scripts: 'true', PATH: `${bin}:${process.env.PATH}` };
}

/** Links all that is in a folder, except one name. */
async function linkAll(from: string, to: string, except?: string): Promise<void> {
  for (const name of await readdir(from))
    if (name !== except) await symlink(path.join(from, name), path.join(to, name));
}

/** Installs the package of the client beside the others. */
async function installClient(folder: string): Promise<void> {
  const pack = ['run', '--silent', 'pack:client', '--', '--pack-destination', 'var'];
  const { code, stdout, stderr } = await startProcess('npm', pack, { cwd: folder }).ended;
  if (code !== 0) throw new Error(stdout + stderr);
  const modules = path.join(folder, 'node_modules');
  await rm(modules);
  await mkdir(modules);
  await linkAll(path.join(ROOT, 'node_modules'), modules, '.bin');
  const commands = path.join(modules, '.bin');
  await mkdir(commands);
  await linkAll(path.join(ROOT, 'node_modules/.bin'), commands);
  const client = path.join(modules, 'game-data-read-api-client');
  await cp(path.join(folder, 'build/client'), client, { recursive: true });
}

/** Waits for the commands that `npm start` prints, and reads the address and the keys in them. */
async function readDemoGateway(npmStart: Running): Promise<DemoGateway> {
  const [, key = '', address = ''] = await npmStart.printed(
    /curl .*X-API-Key: (gdr_\w+)' '(http:\/\/[^/]+)\//,
  );
  const [, proKey = ''] = await npmStart.printed(/X-API-Key: (gdr_\w+)' '\S+\/history/);
  return { key, address, proKey };
}

async function hasFormats({ address, proKey }: DemoGateway): Promise<boolean> {
  const response = await fetch(`${address}/api/games`, { headers: { 'X-API-Key': proKey } });
  const { games } = (await response.json()) as { games: { formats: object }[] };
  return games.every(({ formats }) => 'sqlite' in formats);
}

/** Ends `npm start` and all processes that it started. It has to lead a process group. */
function stopNpmStart({ child }: Running): void {
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
}
