// The recorded world: the real commands over test/golden/data, at a time that stands still. It imports nothing of the product.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type PlainResponse, sendPlainly } from '../support/plain-request.ts';

const BUILD = fileURLToPath(new URL('../..', import.meta.url));
const COMMANDS = { gamedata: 'scripts/cli.js', gateway: 'gateway/cli.js' };

/** When the world stands still. */
export const NOW = Date.parse('2026-06-10T12:00:00Z');

/** The accounts of the world, by the name of their key in a request. */
const ACCOUNTS = {
  pro: ['--tier', 'pro'],
  free: [],
  browser: ['--origins', 'https://fans.example.org', '--per-minute', '3'],
  expired: ['--expires', '2026-06-10T12:00:01Z'],
} as const;

export type KeyName = keyof typeof ACCOUNTS;

interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface World {
  /** Its dist/. */
  dist: string;
  address: string;
  keys: Record<KeyName, string>;
  /** The token of a read-only address of all of star-forge. */
  token: string;
  ask(asked: Asked): Promise<PlainResponse>;
  /** Sets the time of the gateway, in ms since 1970. */
  setTime(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs the commands in a folder of their own, at a time that stands still. */
async function openFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'golden-'));
  const at = (name: string) => path.join(folder, name);
  const setTime = (ms: number) => utimes(at('clock'), ms / 1000, ms / 1000);
  await writeFile(at('clock'), '');
  await setTime(NOW);
  const clock = new URL(`clock.js?file=${encodeURIComponent(at('clock'))}`, import.meta.url).href;
  const start = (name: keyof typeof COMMANDS, args: readonly string[]) => {
    const inherited = Object.entries(process.env).filter(
      ([key]) => !/^(GATEWAY|GAMEDATA|AWS|SMTP)_/.test(key),
    );
    return spawn(process.execPath, ['--import', clock, path.join(BUILD, COMMANDS[name]), ...args], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), NO_COLOR: '1' },
    });
  };
  const run = async (name: keyof typeof COMMANDS, args: readonly string[]) => {
    const child = start(name, args);
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}:\n${err}`);
    return out;
  };
  /** Compiles a copy of a data folder into dist/: a build may record itself there. */
  const compile = async (data: string, options: readonly string[]) => {
    await cp(data, at('data'), { recursive: true });
    await run('gamedata', ['build', '--coverage', 'none', ...options]);
    return at('dist');
  };
  return { compile, start, run, setTime, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Compiles all games of data/. @param read what to do with dist/, which is removed then */
export async function withShipped<T>(read: (dist: string) => Promise<T>): Promise<T> {
  const folder = await openFolder();
  try {
    return await read(await folder.compile(path.join(BUILD, '../data'), []));
  } finally {
    await folder.remove();
  }
}

/** Compiles the data, makes the accounts and starts the gateway. */
export async function openWorld(): Promise<World> {
  const { compile, start, run, setTime, remove } = await openFolder();
  const issue = async (): Promise<Record<KeyName, string>> => {
    const keys: { [name: string]: string } = {};
    for (const [name, options] of Object.entries(ACCOUNTS)) {
      const issued = await run('gateway', ['keys', 'issue', `${name}@example.org`, ...options, '--json']);
      keys[name] = (JSON.parse(issued) as { key: string }).key;
    }
    return keys as Record<KeyName, string>;
  };
  const formats = ['--formats', 'all', '--formats-of', '2', '--jobs', '1'];
  const [dist, keys] = await Promise.all([
    compile(path.join(BUILD, '../test/golden/data'), formats),
    issue(),
  ]);
  const made = await run('gateway', ['links', 'make', 'pro@example.org', 'star-forge', '--json']);
  const token = /gdt_[a-z2-7]+/.exec(made)?.[0] ?? '';

  const child = start('gateway', [
    ...['serve', '--port', '0', '--public-url', 'https://api.example.org'],
    ...['--access-log', 'off', '--site-budget', '1000000', '--signup', 'on'],
    ...['--security-contact', 'security@example.org', '--images', 'on', '--dev'],
  ]);
  const address = await new Promise<string>((resolve, reject) => {
    let written = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => {
        written += part;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(written);
        if (found && written.includes('listening')) resolve(found[0]);
      });
    child.once('close', () => reject(new Error(`gateway serve ended:\n${written}`)));
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  return {
    dist,
    address,
    keys,
    token,
    setTime,
    ask: ({ path: target, ...asked }) => sendPlainly(address + target, { ...asked, agent }),
    async close() {
      agent.destroy();
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      await remove();
    },
  };
}

/** The files below a folder, by their paths in it, sorted. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).sort();
}
