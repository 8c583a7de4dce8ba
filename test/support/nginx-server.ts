import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBlock } from '../docs/pages.ts';
import { findFreePort } from './free-port.ts';

/** An nginx for one test. */
export interface NginxServer {
  address: string;
  /** The id of its process, while it runs. */
  pid(): number | undefined;
  /** Starts it again at the same address after `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** The page with the configuration of nginx in front of gateways. */
const PAGE = 'docs/operators/stores.md';

/**
 * Starts an nginx on a free port with the configuration of a page, without its TLS.
 *
 * @param name which one
 * @param changes texts of the page's configuration, and what replaces them here
 * @param wrapper a command that runs it, such as taskset
 */
export async function startNginx(
  name: 'front',
  changes: Record<string, string>,
  wrapper: readonly string[] = [],
): Promise<NginxServer> {
  const block = await readBlock(PAGE, 'nginx', name);
  const folder = await mkdtemp(path.join(tmpdir(), 'nginx-'));
  const port = await findFreePort();
  let server = block.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`);
  server = server.replaceAll(/^\s*ssl_.*\n/gm, '');
  for (const [from, to] of Object.entries(changes)) {
    if (!server.includes(from)) throw new Error(`no ${from} in the configuration "${name}" of ${PAGE}`);
    server = server.replace(from, to);
  }
  await writeFile(path.join(folder, 'nginx.conf'), around(server));
  const [program = '', ...args] = [
    ...[...wrapper, 'nginx', '-c', path.join(folder, 'nginx.conf')],
    ...['-p', folder, '-e', path.join(folder, 'error.log')],
  ];
  let child: ChildProcess | undefined;

  const start = async () => {
    const started = spawn(program, args, { stdio: 'ignore' });
    child = started;
    while (!(await isListening(port))) {
      if (started.exitCode !== null) throw new Error(await readFile(path.join(folder, 'error.log'), 'utf8'));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const stop = async () => {
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    child = undefined;
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    pid: () => child?.pid,
    start,
    stop,
    async remove() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Puts what an nginx.conf needs around a server. nginx runs as the user of the tests, because only that user can read their folders. */
function around(server: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 1;
    pid nginx.pid;
    events {}
    http {
      types { application/json json; }
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${name};`).join('\n')}
      ${server}
    }`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
