import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, isIP } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Account } from '../../gateway/access/account.ts';
import { listAttempts, sendTest } from '../../gateway/people/alerts/deliver.ts';
import { openStore } from '../../gateway/store/open.ts';
import type { Store } from '../../gateway/store/sql.ts';
import type { Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { setHook } from '../gateway/people/alerts/world.ts';
import { startSmtp } from '../gateway/people/smtp-server.ts';
import { until } from '../support/until.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { startNameServer } from './name-server.ts';
import { openAccount, sendForm, signIn } from './people.ts';
import { hostileAddresses, NAMED, SLOW_NAME } from './webhook-addresses.ts';

const PRELOAD = pathToFileURL(path.join(import.meta.dirname, 'private-dns.js')).href;
const REDIRECTS = [301, 302, 303, 307, 308];
/** A campaign that is shorter leaves out the name whose first address gives no response. */
const SLOW_SECONDS = 30;
/** An error of a connection that was attempted. */
const CONNECTED = /connect E(?!\w+ 3ffe:ffff::1)|hang up|certificate|SSL|TLS/;
const REFUSED = /cannot be sent to this address/;

/** Webhooks are pointed at the gateway's own machine and network, where a canary listens. */
export const campaign: AttackCampaign = {
  name: 'webhooks',
  about:
    'webhooks to this machine, its network and cloud services in every spelling, by names and by redirects: none connects; one error for all',
  needs: [],
  async run(terms) {
    const tally = new Tally(terms);
    const names = await startNameServer((name, nth) => {
      const answers = NAMED[name] ?? [];
      return answers[Math.min(nth, answers.length - 1)] ?? [];
    });
    const canary = await startCanary();
    const smtp = await startSmtp();
    const env = {
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Games <mail@example.org>',
      ATTACK_DNS: String(names.port),
      NODE_OPTIONS: `--import=${PRELOAD}`,
    };
    const args = '--host 0.0.0.0 --public-url https://api.example.org'.split(' ');
    const strict = await Fleet.open({ count: 1, hasFront: false, env, args });
    const store = await openStore(strict.store);
    try {
      for (let round = 0; !terms.isOver(); round++) {
        await tryAddresses({ fleet: strict, store, round }, canary, terms, tally);
      }
      await strict.end(0, 'SIGTERM');
      const tried = CONNECTED.exec(await strict.logOf(0));
      if (tried)
        tally.gotThrough(`a connection was attempted: ${tried.input.slice(tried.index, tried.index + 200)}`);
    } finally {
      await store.close();
      await strict.close();
      names.close();
      await smtp.stop();
    }
    await tryRedirects(canary, tally);
    canary.close();
    return tally.figures;
  },
};

/** A server that no webhook may reach. */
interface Canary {
  port: number;
  /** How many connections it got. */
  connections(): number;
  close(): void;
}

async function startCanary(): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {}).destroy();
  }).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, close: () => void server.close() };
}

interface Target {
  fleet: Fleet;
  store: Store;
  round: number;
}

/** Sets each address in the form of an account's own page, and past the form in the store, and sends a test to it. */
async function tryAddresses({ fleet, store, round }: Target, canary: Canary, terms: Terms, tally: Tally) {
  const all = hostileAddresses(canary.port);
  const addresses =
    terms.seconds > SLOW_SECONDS ? all : all.filter((address) => !address.includes(SLOW_NAME));
  const details = new Map<string, string>();
  const tryAddress = async (address: string, index: number) => {
    const { account } = await openAccount(store, 'pro', `ada-${round}-${index}@example.org`);
    await setByForm(fleet.address(0), store, account, address, tally);
    await setHook(store, account.id, 'webhook', address);
    // A name may have another address when it is resolved again.
    await sendTest(store, account.id, 'webhook');
    await sendTest(store, account.id, 'webhook');
    tally.tried(3);
    await until(async () => (await listAttempts(store, account.id)).length > 1);
    for (const { outcome, detail } of await listAttempts(store, account.id)) {
      if (outcome === 'delivered') tally.gotThrough(`${JSON.stringify(address)} was delivered`);
      details.set(detail, address);
    }
  };
  await Promise.all(addresses.map(tryAddress));
  if (canary.connections() > 0) {
    tally.gotThrough(`the canary got ${canary.connections()} connections in round ${round}`);
  }
  if (details.size > 1) terms.report(`errors differ: ${JSON.stringify([...details])}`);
  tally.figures.through += details.size - 1;
}

/** Sends the form. An address that shows what it is gets refused; a name is accepted, and checked when something is sent to it. */
async function setByForm(address: string, store: Store, account: Account, url: string, tally: Tally) {
  const token = await signIn(store, account.id);
  const { status, body } = await sendForm(`${address}/account/alerts/webhook`, { url }, { token });
  const isRefused = status === 400 && REFUSED.test(body.toString());
  if (!isRefused && !hasName(url)) tally.gotThrough(`the form for ${JSON.stringify(url)}: ${status}`);
}

/** Whether an address has a host name instead of an IP address. */
function hasName(url: string): boolean {
  return URL.canParse(url) && isIP(new URL(url).hostname.replace(/[[\]]/g, '')) === 0;
}

/** A gateway in development may send to this machine, but follows no redirect. */
async function tryRedirects(canary: Canary, tally: Tally): Promise<void> {
  let received = 0;
  const server = createHttpServer((request, response) => {
    received++;
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/` }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const fleet = await Fleet.open({ count: 1, hasFront: false });
  const store = await openStore(fleet.store);
  try {
    for (const status of REDIRECTS) {
      const { account } = await openAccount(store, 'pro', `redirect-${status}@example.org`);
      const url = `http://127.0.0.1:${port}/${status}`;
      await setHook(store, account.id, 'webhook', url);
      await sendTest(store, account.id, 'webhook');
      tally.tried();
      await until(async () => (await listAttempts(store, account.id)).length > 0);
    }
    if (received < REDIRECTS.length) tally.gotThrough(`only ${received} redirects were received`);
    if (canary.connections() > 0) tally.gotThrough('a redirect was followed');
  } finally {
    await store.close();
    await fleet.close();
    server.close();
  }
}
