import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { CommandError } from '../scripts/system.ts';
import { chooseHandOver, chooseLinkScheme, createLinks, type Links } from './api/links.ts';
import { ROUTES } from './api/routes.ts';
import {
  clockOfMaster,
  closeAfter,
  listenOn,
  STOP_MS,
  superviseWorkers,
  untilStopped,
} from './commands/processes.ts';
import { addSettings, isStrict, readLinkSecret, type ServeSettings } from './commands/settings.ts';
import { print, withStore } from './commands/store.ts';
import { SteadyClock } from './data/clock.ts';
import { DistError } from './data/dist-files.ts';
import { type DistFollower, FOLLOW_MS, followDist } from './data/follow-dist.ts';
import { createLog, type WrittenLog } from './http/log.ts';
import { mcpEndpoint } from './mcp/mcp.ts';
import type { Metrics } from './metrics/metrics.ts';
import { readAlerts } from './people/alerts/channels.ts';
import { countDue } from './people/alerts/deliver.ts';
import { describeDemo, issueDemoKeys, revokeDemoKeys } from './people/demo.ts';
import {
  type PeopleJobs,
  type PeopleSettings,
  peopleEndpoints,
  readPeopleSettings,
  startPeopleJobs,
} from './people/people.ts';
import { ACCOUNT, SIGNUP } from './people/sign-up.ts';
import { Gateway } from './server.ts';
import { securityTxtEndpoint, serveAssets } from './site/files.ts';
import { pageFrame } from './site/layout.ts';
import { makePages } from './site/site.ts';
import { isPostgres, openStore, startSweeping } from './store/open.ts';
import { nameStore, type Store } from './store/sql.ts';

/** How long the last log lines may wait for their reader. */
const LAST_LINES_MS = 2000;
/** How long the parent of workers may take to stop, in ms. */
const SUPERVISOR_STOP_MS = 19_000;

/** `gateway serve`. */
export function serveCommand(): Command {
  return addSettings(new Command('serve').addHelpText('after', HELP)).action(
    async (settings: ServeSettings) => {
      if (settings.check) {
        return await checkServe(settings);
      }
      const log = createLog(process.stdout, {
        now: Date.now,
        access: settings.accessLog,
      });
      try {
        await (settings.workers > 1 && cluster.isPrimary
          ? serveByWorkers(settings, log)
          : serve(settings, log));
      } finally {
        // A worker process exits after it is disconnected from the primary process.
        cluster.worker?.disconnect();
        // The process ends soon, even if log lines wait for a stalled reader.
        if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), LAST_LINES_MS).unref();
      }
    },
  );
}

/** Serves in this process, alone or as a worker. Only the first worker prints and logs for all. */
async function serve(settings: ServeSettings, log: WrittenLog): Promise<void> {
  refusePublicDemo(settings);
  const people = await readPeopleSettings(settings, log);
  const openScheme = chooseLinkScheme({ ...settings, linkSecret: readLinkSecret(process.env) }, Date.now);
  const handOver = chooseHandOver(settings);
  const { now } = new SteadyClock({ log, from: clockOfMaster() });
  const follower = await openDist(settings, now, log);
  let store: Store | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  const run = async () => {
    store = await openStore(settings.store);
    sweeping = startSweeping(store, log);
    const links = { ...createLinks(now, await openScheme(store)), handOver };
    await new RunningGateway({ settings, people, follower, store, log, now, links }).run();
  };
  await closeAfter(run, async () => {
    follower.close();
    clearInterval(sweeping);
    await store?.close();
    log.flush();
  });
}

/** Opens the dist/ of the settings, and follows it: a folder, or a copy of a published one. @throws CommandError */
async function openDist(
  { dist, cache }: ServeSettings,
  now: () => number,
  log: WrittenLog,
): Promise<DistFollower> {
  const isRemote = /^(https?|s3):/i.test(dist);
  const opening = isRemote
    ? import('./mirror/remote-dists.ts').then(({ follow }) => follow(dist, { now, log, cache }))
    : followDist(dist, { now, log, interval: FOLLOW_MS });
  return await opening.catch((error: unknown) => {
    throw error instanceof DistError ? new CommandError(error.message) : error;
  });
}

/** The parts of a gateway. */
interface Opened {
  settings: ServeSettings;
  people: PeopleSettings;
  follower: DistFollower;
  store: Store;
  log: WrittenLog;
  now: () => number;
  links: Links;
}

/** A gateway, with everything that runs beside it. */
class RunningGateway {
  readonly #opened: Opened;
  readonly #gateway: Gateway;
  readonly #people;
  #metrics: Metrics | undefined;
  #metricsServer: { close(): Promise<void> } | undefined;
  #jobs: PeopleJobs | undefined;
  #address = '';

  constructor(opened: Opened) {
    const { settings, follower, store, log, now, links } = opened;
    const { clientAddress, isFromProxy } = settings.trustedProxy;
    const { securityContact: contact } = settings;
    const publicUrl = () => settings.publicUrl ?? this.#address;
    const read: Gateway['read'] = (asked, view) => this.#gateway.read(asked, view);
    const shared = { follower, store, log, now, clientAddress, publicUrl, read, routes: ROUTES };
    this.#opened = opened;
    this.#people = {
      ...{ ...shared, ...opened.people },
      joinLinks: settings.proUrl,
      hasSite: settings.site !== 'none',
    };
    const site = makePages({
      ...{ ...shared, mode: settings.site, images: settings.images },
      hasSignup: opened.people.signupMailer !== undefined,
      pro: { price: settings.proPrice, links: settings.proUrl },
      pagesInMinute: settings.siteBudget,
      findUnreadiness: () => this.#gateway.findUnreadiness(),
    });
    this.#gateway = new Gateway({
      ...{ follower, store, log, now, links, clientAddress, isFromProxy, routes: ROUTES },
      isHttpsOnly: settings.publicUrl?.startsWith('https:') === true,
      readAlerts: (account, view) => readAlerts(store, account, view),
      isFast: !settings.plainHttp,
      endpoints: [
        ...[...peopleEndpoints(this.#people), ...site.endpoints],
        ...(contact ? [securityTxtEndpoint({ contact, publicUrl: settings.publicUrl, now })] : []),
      ],
      apiEndpoints: (api) => [mcpEndpoint({ api, log, publicUrl })],
      files: serveAssets,
      frame: pageFrame(site.frame),
      observe: (...response) => this.#metrics?.observe(...response),
    });
  }

  /** Runs until a signal stops the process. Closes everything that it opened, even if the start fails. */
  async run(): Promise<void> {
    const { settings, store, log } = this.#opened;
    const serving = async () => {
      // Steps that can fail come before the port opens.
      if (cluster.isPrimary) await revokeDemoKeys(store);
      if (settings.metricsPort !== undefined) await this.#openMetrics();
      const stopped = untilStopped(log, STOP_MS);
      this.#address = await listenOn(this.#gateway.server, settings.port, settings.host, '--port');
      await this.#printDemo();
      if (cluster.isPrimary || cluster.worker?.id === 1) log.info('listening', this.#describe());
      this.#jobs = startPeopleJobs(this.#people);
      await stopped;
      if (cluster.isPrimary) log.info('shutting down');
    };
    await closeAfter(serving, async () => {
      await Promise.all([this.#gateway.close(), this.#jobs?.close(), this.#metricsServer?.close()]);
      this.#metrics?.close();
      if (cluster.isPrimary) await revokeDemoKeys(store);
    });
  }

  async #openMetrics(): Promise<void> {
    const { settings, follower, store, log, now } = this.#opened;
    const { Metrics, serveMetrics } = await import('./metrics/metrics.ts');
    this.#metrics = new Metrics({
      ...{ follower, now },
      pingStore: () => store.fast.get('SELECT 1 AS one'),
      readBadKeys: () => this.#gateway.badKeys,
      findUnreadiness: () => this.#gateway.findUnreadiness(),
      readDueAlerts: () => countDue(store),
    });
    if (cluster.isPrimary) this.#metricsServer = await serveMetrics('process', settings, log);
  }

  /** Prints the keys of a demo, which work until the gateway stops. */
  async #printDemo(): Promise<void> {
    const { settings, store, follower, now } = this.#opened;
    if (!settings.demo || !(cluster.isPrimary || cluster.worker?.id === 1)) return;
    const keys = await issueDemoKeys(store, cluster.isPrimary ? process.pid : process.ppid);
    const view = follower.catalog.viewAt(now(), 'free');
    process.stdout.write(describeDemo(this.#address, keys, view));
  }

  /** The fields of the log line when the gateway listens. */
  #describe(): Record<string, string | undefined> {
    const { settings, people } = this.#opened;
    const publicUrl = settings.publicUrl ?? this.#address;
    const webhooks = people.platforms.flatMap(({ name, readWebhook }) => (readWebhook ? name : []));
    return {
      address: this.#address,
      ...(people.signupMailer && { signup: publicUrl + SIGNUP }),
      ...(people.accountMailer && { account: publicUrl + ACCOUNT }),
      webhooks: webhooks.join(', ') || undefined,
    };
  }
}

/** Runs workers that share the port. This process owns the keys of a demo and the port of metrics. */
async function serveByWorkers(settings: ServeSettings, log: WrittenLog): Promise<void> {
  refusePublicDemo(settings);
  const revoke = () => withStore(settings.store, revokeDemoKeys);
  let metrics: { close(): Promise<void> } | undefined;
  const run = async () => {
    await revoke();
    if (settings.metricsPort !== undefined) {
      const { serveMetrics } = await import('./metrics/metrics.ts');
      metrics = await serveMetrics('workers', settings, log);
    }
    const stopped = untilStopped(log, SUPERVISOR_STOP_MS);
    process.exitCode = await superviseWorkers(settings.workers, stopped, log);
  };
  await closeAfter(run, async () => {
    await Promise.all([revoke(), metrics?.close()]);
    log.flush();
  });
}

/** @throws CommandError if others can reach a gateway that prints keys */
function refusePublicDemo(settings: ServeSettings): void {
  if (!settings.demo || !isStrict(settings)) return;
  throw new CommandError(
    '--demo prints keys, so --host and --public-url must be loopback addresses, without --trusted-proxy; --dev turns this check off',
    2,
  );
}

const HELP = `
The gateway follows the dist folder: it serves the output of a later gamedata build without a restart.
SIGTERM and SIGINT finish the open requests and stop it.

Examples:
  gateway serve                                     on http://127.0.0.1:3000, with the data in dist/
  gateway serve --host 0.0.0.0 --dist /srv/dist     for a machine behind a proxy that terminates TLS
  gateway serve --dist s3://games/dist              follow the output of gamedata publish
  gateway serve --check                             read the settings, open store and dist, and report
  gateway keys issue someone@example.org            issue a key, also while it runs

Without SMTP_URL, mails are written to files in var/outbox if only this machine can reach the gateway. Platforms that sell memberships
report them to /webhooks/patreon and /webhooks/ko-fi, if the environment configures them.`;

const SILENT: WrittenLog = { info() {}, error() {}, access() {}, flush() {} };

/** `gateway serve --check`: reads the settings, opens dist and the store, and prints a line for each. @throws CommandError if one fails */
async function checkServe(settings: ServeSettings): Promise<void> {
  const results = [
    await check('settings', async () => {
      refusePublicDemo(settings);
      await readPeopleSettings(settings, SILENT);
      return `a gateway for ${settings.publicUrl ?? `${settings.host}:${settings.port}`}`;
    }),
    await check('dist', () => checkDist(settings)),
    await check('store', () => checkStore(settings)),
  ];
  if (results.includes(false)) throw new CommandError('the gateway cannot run with these settings');
}

async function check(name: string, work: () => Promise<string>): Promise<boolean> {
  try {
    print(`ok     ${name}: ${await work()}`);
    return true;
  } catch (error) {
    print(`error  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function checkDist(settings: ServeSettings): Promise<string> {
  const follower = await openDist(settings, Date.now, SILENT);
  follower.close();
  const { games } = follower.catalog.viewAt(Date.now(), 'pro');
  return `${settings.dist} has ${games.size} ${games.size === 1 ? 'game' : 'games'}`;
}

async function checkStore({ store: address }: ServeSettings): Promise<string> {
  if (!isPostgres(address) && !existsSync(address))
    return `${nameStore(address)} does not exist, and will be made`;
  await (await openStore(address)).close();
  return `${nameStore(address)} responds`;
}
