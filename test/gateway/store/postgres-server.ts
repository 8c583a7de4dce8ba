import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { findFreePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';

/** Where Debian and others install the programs. */
const HOME = '/usr/lib/postgresql';
const BIN = existsSync(HOME)
  ? readdirSync(HOME)
      .map((version) => path.join(HOME, version, 'bin'))
      .find((bin) => existsSync(path.join(bin, 'initdb')))
  : undefined;

/** Whether a PostgreSQL is installed. */
export const hasPostgres = BIN !== undefined;

/** A PostgreSQL server for tests, with a folder of its own. */
export interface PostgresServer {
  port: number;
  folder: string;
  /** Makes an empty database, or a copy of another one. @returns its address, for `--store` */
  createDatabase(original?: string): Promise<string>;
  start(): Promise<void>;
  /** Ends it: SIGINT as an operator would, SIGKILL only its first process; the others notice. SIGSTOP makes it hang until SIGCONT. */
  signal(signal: 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a server. It refuses to run as root, so root runs it as the user postgres. */
export async function startPostgres(...settings: string[]): Promise<PostgresServer> {
  if (BIN === undefined) throw new Error(`no PostgreSQL in ${HOME}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'postgres-'));
  const owner = process.getuid?.() === 0 ? findUser('postgres') : undefined;
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const made = spawnSync(
    path.join(BIN, 'initdb'),
    ['-D', data, '-U', 'gateway', '--auth=trust', '-E', 'UTF8', '--no-sync'],
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  const port = await findFreePort();
  const options = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    ...settings,
  ];
  let server: ChildProcess | undefined;
  let databases = 0;
  const address = (database: string) => `postgres://gateway@127.0.0.1:${port}/${database}`;
  const start = async () => {
    const args = ['-D', data, ...options.flatMap((option) => ['-c', option])];
    await until(() => {
      // It ends at once as long as a process of a killed one still has its memory.
      if (server === undefined || server.exitCode !== null || server.signalCode !== null)
        server = spawn(path.join(BIN, 'postgres'), args, {
          ...owner,
          cwd: folder,
          stdio: 'ignore',
          // In a group of its own, so that no other process gets its signals.
          detached: true,
        });
      return responds(address('postgres'));
    }, 20);
  };
  const signal: PostgresServer['signal'] = async (name) => {
    if (server?.pid === undefined || server.exitCode !== null) return;
    const ended = name === 'SIGINT' || name === 'SIGKILL' ? once(server, 'exit') : undefined;
    process.kill(name === 'SIGINT' ? server.pid : -server.pid, name);
    await ended;
  };
  await start();
  return {
    port,
    folder,
    start,
    signal,
    async createDatabase(original = 'postgres://host/template1') {
      const name = `test${++databases}`;
      const template = new URL(original).pathname.slice(1);
      await query(address('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`);
      return address(name);
    },
    async remove() {
      await signal('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs one statement on a connection of its own. */
async function query(address: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function responds(address: string): Promise<boolean> {
  return await query(address, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

function findUser(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}
