import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { readFolder } from './read-folder.ts';

/** A redis-server for one test. */
export interface RedisServer {
  /** The value for `--store`. */
  address: string;
  /** Starts it again after it was stopped or killed. */
  start(): Promise<void>;
  /** Sends a signal. SIGTERM and SIGKILL end it; SIGSTOP makes it hang until SIGCONT. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Everything that it has written to disk. */
  readAll(): Promise<Buffer>;
  /** Its data, in a form that `clear` accepts. */
  dump(): Promise<string>;
  /** Replaces its files on disk by the result of `dump`. It must be stopped. */
  clear(dump?: string): Promise<void>;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
}

/**
 * Starts a redis-server on a free port, which writes its changes to disk every second.
 *
 * @param further settings
 */
export async function startRedis(further: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'everysec',
    ...further,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let server: ChildProcess | undefined;

  const start = async () => {
    server = spawn('redis-server', args, { stdio: 'ignore' });
    while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const signal = async (name: NodeJS.Signals) => {
    if (!server) return;
    const ended = once(server, 'exit');
    server.kill(name);
    if (name !== 'SIGTERM' && name !== 'SIGKILL') return;
    await ended;
    server = undefined;
  };
  await start();
  const address = `redis://127.0.0.1:${port}`;
  // While its disk is slow, Redis writes the last changes of 'everysec' up to two seconds later, and those before 'always' at once.
  const setSync = (when: string) => sendToRedis({ address }, ['CONFIG', 'SET', 'appendfsync', when]);
  return {
    address,
    start,
    signal,
    async readAll() {
      await setSync('always');
      const bytes = await readFolder(folder);
      await setSync('everysec');
      return bytes;
    },
    async dump() {
      await setSync('always');
      const kept = await mkdtemp(path.join(tmpdir(), 'redis-dump-'));
      await cp(folder, kept, { recursive: true });
      await setSync('everysec');
      return kept;
    },
    async clear(dump) {
      await rm(folder, { recursive: true });
      if (dump === undefined) await mkdir(folder);
      else await rename(dump, folder);
    },
    async remove() {
      await signal('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** Whether it responds to a PING. */
async function isListening(port: number): Promise<boolean> {
  return await sendWord(port, 'PING').then(
    (reply) => /^(\+PONG|-NOAUTH)/.test(reply),
    () => false,
  );
}

/**
 * Sends a command of one word without a client, which takes a hundredth of the processor time.
 *
 * @returns the beginning of the reply
 * @throws Error when the server does not accept the connection
 */
export function sendWord(port: number, word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${word}\r\n`));
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString());
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed the connection')));
  });
}

/** Returns how many keys a server has. */
export async function countKeys({ address }: Pick<RedisServer, 'address'>): Promise<number> {
  return Number((await sendWord(Number(new URL(address).port), 'DBSIZE')).replace(':', ''));
}

/** Sends a command, as an operator would. */
export async function sendToRedis(
  { address }: Pick<RedisServer, 'address'>,
  command: string[],
): Promise<unknown> {
  // It loads slowly, and most files that start a server need no client.
  const { createClient } = await import('@redis/client');
  const client = createClient({ url: address, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}
