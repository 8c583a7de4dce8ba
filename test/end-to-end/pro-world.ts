import path from 'node:path';
import { type Attempt, listAttempts } from '../../gateway/people/alerts/deliver.ts';
import * as accounts from '../../gateway/store/accounts.ts';
import { openStore as openSqliteStore } from '../../gateway/store/open.ts';
import { type Consumer, type Post, startConsumer } from '../gateway/people/alerts/consumer.ts';
import { nextBuild, SAGA } from '../gateway/people/alerts/games.ts';
import { startSmtp, type TestSmtp } from '../gateway/people/smtp-server.ts';
import { atEnd } from '../support/at-end.ts';
import { type Running, startCommand } from '../support/command.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { makeFolder, writeFiles } from '../support/fixtures.ts';
import { findFreePort } from '../support/free-port.ts';
import { runInProcess } from '../support/run-in-process.ts';

/** Everything that a Pro account uses, with real processes: gateway, mail server, and a consumer of alerts. */
export interface ProWorld {
  /** Where the gateway listens. */
  address: string;
  /** The Pro key of the one account. */
  key: string;
  /** The secret with which its webhooks are signed. */
  secret: string;
  /** The address of its feed. */
  feed: string;
  consumer: Consumer;
  smtp: TestSmtp;
  /** The web server from which the gateway gets dist/. */
  source: FileServer;
  /** The builds published since the start, oldest first. */
  released: string[];
  /** Makes the consumer respond to its next webhook with this status. It responds to all others with 200. */
  failNextPost(status: number): void;
  /** The webhooks to which the consumer responded with 200. */
  accepted: Post[];
  /** Adds the next build, and publishes it for the gateway. */
  release(): Promise<void>;
  /** The last attempts to deliver alerts to the account, newest first. */
  attempts(): Promise<Attempt[]>;
  /** Starts the gateway, always at the same address. */
  startGateway(): Promise<Running>;
  /** What the gateways have logged since the start. */
  gatewayLog(): string;
  /** Kills the gateway with SIGKILL. */
  killGateway(): Promise<void>;
}

const EMAIL = 'ada@example.org';

/** Runs a command, and throws if it fails. @returns what it printed */
async function run(command: 'gamedata' | 'gateway', ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Makes a Pro account on the command line. It follows the game, and gets alerts by webhook, feed and mail. */
async function subscribe(store: string, address: string, hook: string) {
  const ask = async (...args: string[]) =>
    JSON.parse(await run('gateway', ...args, '--store', store, '--json'));
  const { key } = await ask('keys', 'issue', EMAIL, '--tier', 'pro');
  const [{ secret }, { url: feed }] = await Promise.all([
    ask('alerts', 'webhook', EMAIL, hook, '--dev'),
    ask('alerts', 'feed', EMAIL, '--public-url', address),
    ask('alerts', 'mail', EMAIL),
    ask('follows', 'add', EMAIL, 'all_games'),
  ]);
  return { key, secret, feed } as Pick<ProWorld, 'key' | 'secret' | 'feed'>;
}

/** A gateway that can be killed and started again. */
function createGatewayProcess(
  args: string[],
  env: Record<string, string>,
): Pick<ProWorld, 'startGateway' | 'killGateway' | 'gatewayLog'> {
  let gateway: Running | undefined;
  const logged: string[] = [];
  return {
    gatewayLog: () => logged.join(''),
    async startGateway() {
      gateway = startCommand('gateway', ['serve', ...args], { env });
      gateway.child.stdout.on('data', (text) => logged.push(text));
      gateway.child.stderr.on('data', (text) => logged.push(text));
      await gateway.printed(/"message":"listening"/);
      return gateway;
    },
    async killGateway() {
      gateway?.child.kill('SIGKILL');
      await gateway?.ended;
    },
  };
}

/** Starts everything except the gateway, until the last test of the file has ended. One old build is published. */
export async function startProWorld(): Promise<ProWorld> {
  const root = await makeFolder('pro');
  const inRoot = (name: string) => path.join(root, name);
  const publishAll = async () => {
    const dist = inRoot('dist');
    await run('gamedata', 'build', '--data', inRoot('data'), '--out', dist, '--cache', inRoot('built'));
    await run('gamedata', 'publish', inRoot('published'), '--dist', dist);
  };
  await writeFiles(inRoot('data'), SAGA);
  await publishAll();

  const accepted: Post[] = [];
  const failures: number[] = [];
  const consumer = await startConsumer((response, before) => {
    const status = failures.shift() ?? 200;
    if (status === 200) accepted.push(consumer.posts[before] as Post);
    response.writeHead(status).end();
  });
  const smtp = await startSmtp();
  const source = await startFileServer(inRoot('published'));
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const account = await subscribe(inRoot('store'), address, consumer.url);
  const store = await openSqliteStore(inRoot('store'));
  atEnd(() => store.close());
  const { id = '' } = (await accounts.findAccount(store, EMAIL)) ?? {};

  const released: string[] = [];
  const from = ['--dist', source.address, '--cache', inRoot('mirror'), '--store', inRoot('store')];
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Games <alerts@example.org>' };
  const gateway = createGatewayProcess(['--port', String(port), ...from], env);
  return {
    ...account,
    ...gateway,
    address,
    consumer,
    smtp,
    source,
    released,
    accepted,
    failNextPost: (status) => failures.push(status),
    async release() {
      const name = `1.${released.length + 1}`;
      await writeFiles(inRoot('data'), nextBuild(Date.now(), name));
      await publishAll();
      released.push(name);
    },
    attempts: () => listAttempts(store, id),
  };
}
