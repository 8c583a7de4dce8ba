// Two gateways on machines of their own, one PostgreSQL and nginx, set up as docs/operators/stores.md says. The machines are network
// namespaces, which only root can make.
import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBlock } from '../docs/pages.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../gateway/store/postgres-server.ts';
import { commandLine, type Running, startProcess } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { makeFolder } from '../support/fixtures.ts';
import { type NginxServer, startNginx } from '../support/nginx-server.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { findProgram } from '../support/skip.ts';
import { until } from '../support/until.ts';

/** One of the networks that are for tests (RFC 2544). The machine of the test has .1, the gateways replace the page's addresses. */
const NETWORK = `198.18.${process.pid % 256}`;
const MACHINES = { '10.0.0.11': `${NETWORK}.11`, '10.0.0.12': `${NETWORK}.12` };
/** Of this process, so that two runs have their own; at most 15 characters with the number of a machine. */
const BRIDGE = `gdr${process.pid}`;

interface Context {
  folder: string;
  postgres: PostgresServer;
  nginx: NginxServer;
  gateways: Running[];
  run(...args: string[]): Promise<string>;
}

const machines = suite<Context>('gateways on two machines');

/** Runs commands of `ip`. */
function ip(...commands: string[]): void {
  for (const command of commands) {
    const { status, stderr } = spawnSync('ip', command.split(' '), { encoding: 'utf8' });
    assert.is(status, 0, `ip ${command}: ${stderr}`);
  }
}

/** Makes a machine for each gateway, with a cable to this one. */
function makeMachines(): void {
  ip(`link add ${BRIDGE} type bridge`, `addr add ${NETWORK}.1/24 dev ${BRIDGE}`, `link set ${BRIDGE} up`);
  for (const [index, address] of Object.values(MACHINES).entries()) {
    const [space, cable] = [`${BRIDGE}-${index}`, `${BRIDGE}${index}`];
    ip(
      `netns add ${space}`,
      `link add ${cable} type veth peer name eth0 netns ${space}`,
      `link set ${cable} master ${BRIDGE} up`,
      `-n ${space} addr add ${address}/24 dev eth0`,
      `-n ${space} link set eth0 up`,
      `-n ${space} link set lo up`,
    );
  }
}

const { status } = spawnSync('unshare', ['--net', 'ip', '-V'], { stdio: 'ignore' });
const hasMachines = status === 0 && hasPostgres && findProgram('nginx') !== undefined;

machines.before(async (context) => {
  if (!hasMachines) return;
  makeMachines();
  const folder = await makeFolder('machines');
  const dist = path.join(folder, 'dist');
  await buildGames(SAMPLE_GAMES, dist);
  const access = path.join(folder, 'pg_hba.conf');
  await writeFile(access, `host all all 127.0.0.1/32 trust\nhost all all ${NETWORK}.0/24 trust\n`);
  await chmod(folder, 0o755);
  const addresses = `listen_addresses=127.0.0.1,${NETWORK}.1`;
  const postgres = await startPostgres(addresses, `hba_file=${access}`);
  const local = await postgres.createDatabase();
  const secret = Buffer.alloc(32, 5).toString('base64');
  // The environment of the page, with the places of this test.
  const page = (await readBlock('docs/operators/stores.md', 'env')).trim().split('\n');
  const env = Object.fromEntries(page.map((line) => line.split(/=(.*)/, 2) as [string, string]));
  Object.assign(env, {
    GATEWAY_STORE: local.replace('127.0.0.1', `${NETWORK}.1`),
    GATEWAY_SECRET_KEY: secret,
    GATEWAY_DIST: dist,
  });
  const [program, ...args] = commandLine('gateway', ['serve', '--access-log', 'off', '--signup', 'on']);
  const mails = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'keys@example.org' };
  const gateways = [0, 1].map((index) =>
    startProcess('ip', ['netns', 'exec', `${BRIDGE}-${index}`, program, ...args], {
      cwd: folder,
      env: { ...env, ...mails },
    }),
  );
  for (const gateway of gateways) await gateway.printed(/"message":"listening"/);
  const nginx = await startNginx('front', MACHINES);
  const run: Context['run'] = async (...words) => {
    const all = { GATEWAY_STORE: local, GATEWAY_SECRET_KEY: secret };
    const { code, stdout, stderr } = await runInProcess('gateway', words, { env: all });
    assert.is(code, 0, stderr);
    return stdout;
  };
  Object.assign(context, { folder, postgres, nginx, gateways, run });
});
machines.after(async ({ postgres, nginx, gateways }) => {
  if (!hasMachines) return;
  for (const { child, ended } of gateways) {
    child.kill('SIGTERM');
    await ended;
  }
  await nginx.remove();
  await postgres.remove();
  ip(`netns del ${BRIDGE}-0`, `netns del ${BRIDGE}-1`, `link del ${BRIDGE}`);
});

const register: typeof machines = hasMachines
  ? machines
  : Object.assign((name: string) => {
      process.stdout.write(`skipped without root, ip, nginx or PostgreSQL: ${name}\n`);
    }, machines);

async function issue({ run }: Context, email: string): Promise<string> {
  return JSON.parse(await run('keys', 'issue', email, '--json')).key;
}

const ask = (address: string, key: string) =>
  fetch(`${address}/api/games`, { headers: { 'X-API-Key': key } });
const each = Object.values(MACHINES).map((host) => `http://${host}:3000`);

register('both count the requests of a key exactly, behind nginx', async (context) => {
  const key = await issue(context, 'ada@example.org');
  const responses = await Promise.all(Array.from({ length: 40 }, () => ask(context.nginx.address, key)));
  const counts = [200, 429].map(
    (status) => responses.filter((response) => response.status === status).length,
  );
  assert.equal(counts, [10, 30]);
  for (const address of each) assert.is((await ask(address, key)).status, 429);
});

register('a revoked key is refused by both', async (context) => {
  const key = await issue(context, 'bob@example.org');
  for (const address of each) assert.is((await ask(address, key)).status, 200);
  await context.run('keys', 'revoke', key.slice(0, 12));
  for (const address of each) await until(async () => (await ask(address, key)).status === 401, 50);
});

register(
  'while PostgreSQL hangs, known keys are served and counted, and sign-up is refused',
  async (context) => {
    const [address = ''] = each;
    const key = await issue(context, 'cay@example.org');
    assert.is((await ask(address, key)).status, 200);
    await context.postgres.signal('SIGSTOP');
    try {
      for (let count = 2; count <= 4; count++) assert.is((await ask(address, key)).status, 200);
      const signup = await fetch(`${address}/signup`, {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ email: 'dee@example.org' }),
      });
      assert.is(signup.status, 503);
      assert.match(signup.headers.get('Retry-After') ?? '', /^\d+$/);
    } finally {
      await context.postgres.signal('SIGCONT');
    }
    const used = async () =>
      Number(/(\d+) of \d+ today/.exec(await context.run('accounts', 'show', 'cay@example.org'))?.[1]);
    // The statement that timed out may be done late, and count twice.
    await until(async () => (await used()) >= 4, 100);
  },
);

machines.run();
