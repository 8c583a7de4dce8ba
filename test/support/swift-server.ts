import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import { findFreePort } from './free-port.ts';
import { type PlainResponse, sendPlainly } from './plain-request.ts';

/** An OpenStack Swift for one test, used through its S3 protocol. */
export interface SwiftServer {
  /** The value for `--endpoint`. */
  endpoint: string;
  /** The environment variables with its credentials; they are also set in this process. */
  env: Record<string, string>;
  /** Sends a signed request for a key of the bucket, or for the bucket itself. */
  send(method: string, key: string, body?: string): Promise<PlainResponse>;
  /** Ends it. */
  stop(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

const PARTS = ['account', 'container', 'object'] as const;
const REGION = 'us-east-1';
const USER = 'test:tester';
const PASSWORD = 'testing';

/** Starts Swift on free ports, with an empty bucket. */
export async function startSwift(bucket: string): Promise<SwiftServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'swift-'));
  await mkdir(path.join(folder, 'devices', 'd1'), { recursive: true });
  const ports = await Promise.all([...PARTS, 'proxy'].map(findFreePort));
  const configs = ports.map((port, index) => {
    const part = PARTS[index];
    const own = part ? describePart(folder, part) : describeProxy();
    return { name: part ?? 'proxy', text: describeServer(folder, port) + own };
  });
  writeRings(folder, ports);
  const servers: ChildProcess[] = [];
  for (const { name, text } of configs) {
    const file = path.join(folder, `${name}.conf`);
    await writeFile(file, text);
    servers.push(spawn(`swift-${name}-server`, [file], { stdio: 'ignore' }));
  }

  const endpoint = `http://127.0.0.1:${ports.at(-1)}`;
  const env = { AWS_ACCESS_KEY_ID: USER, AWS_SECRET_ACCESS_KEY: PASSWORD, AWS_REGION: REGION };
  Object.assign(process.env, env);
  const send: SwiftServer['send'] = async (method, key, body) => {
    const credentials = { accessKeyId: USER, secretAccessKey: PASSWORD, service: 's3', region: REGION };
    const url = `${endpoint}/${bucket}${key === '' ? '' : `/${key}`}`;
    const { headers } = await new AwsV4Signer({ url, method, ...credentials }).sign();
    const options = { method, headers: Object.fromEntries(headers) };
    return await sendPlainly(url, body === undefined ? options : { ...options, body });
  };
  // Its servers start one by one, and a request needs all of them.
  while ((await send('PUT', '').catch(() => undefined))?.status !== 200) {
    if (servers.some(({ exitCode }) => exitCode !== null)) throw new Error('Swift did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = async () => {
    await Promise.all(servers.splice(0).map(end));
  };
  return {
    endpoint,
    env,
    send,
    stop,
    async remove() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Writes the rings, which say where each server is. */
function writeRings(folder: string, ports: number[]): void {
  const script = `
import sys
from swift.common.ring import RingBuilder
for name, port in zip(${JSON.stringify(PARTS)}, sys.argv[2:]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1'})
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (sys.argv[1], name))
`;
  // Debian's Python: it has the packages of Swift.
  const { status, stderr } = spawnSync('/usr/bin/python3', ['-c', script, folder, ...ports.map(String)]);
  if (status !== 0) throw new Error(String(stderr));
}

function describeServer(folder: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${folder}
workers = 0
user = ${userInfo().username}
`;
}

function describePart(folder: string, part: string): string {
  return `devices = ${folder}/devices
mount_check = false
[pipeline:main]
pipeline = ${part}-server
[app:${part}-server]
use = egg:swift#${part}
`;
}

function describeProxy(): string {
  // The filter is required, but works without memcached.
  return `[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 60
node_timeout = 60
[filter:cache]
use = egg:swift#memcache
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
[filter:tempauth]
use = egg:swift#tempauth
user_${USER.replace(':', '_')} = ${PASSWORD} .admin
${['catch_errors', 'bulk', 'slo', 'dlo'].map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`;
}

async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}
