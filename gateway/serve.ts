import cluster from 'node:cluster';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { CommandError, errorOf, once } from '../scripts/system.ts';
import { BadAttempts } from './access/attempts.ts';
import { openLinks } from './api/links.ts';
import { ROUTES as routes } from './api/routes.ts';
import * as processes from './commands/processes.ts';
import { addSettings, isStrict, type ServeSettings } from './commands/settings.ts';
import { print, withStore } from './commands/store.ts';
import { SteadyClock } from './data/clock.ts';
import { type DistFollower, FOLLOW_MS, followDist } from './data/follow-dist.ts';
import { createLog, type Log } from './http/log.ts';
import { readAlerts } from './people/alerts/channels.ts';
import { countDue } from './people/alerts/deliver.ts';
import { describeDemo, issueDemoKeys, revokeDemoKeys } from './people/demo.ts';
import type { Runner } from './people/jobs.ts';
import { peopleEndpoints, readPeopleSettings, startPeopleJobs } from './people/people.ts';
import { SIGNUP } from './people/sign-up.ts';
import { Gateway } from './server.ts';
import { securityTxtEndpoint } from './site/files.ts';
import { pageFrame } from './site/layout.ts';
import { makePages } from './site/site.ts';
import { checkStore, isPostgres, openStore } from './store/open.ts';
import { nameStore } from './store/sql.ts';

/** How long the last log lines may wait for their reader. */
const LAST_LINES_MS = 2000;
/** How long the parent of workers may take to stop, in ms. */
const SUPERVISOR_STOP_MS = 19_000;

/** `gateway serve`. */
export function serveCommand(): Command {
  return addSettings(
    new Command('serve').description('serve the compiled data over HTTP').addHelpText('after', HELP),
  ).action(async (settings: ServeSettings) => {
    if (settings.check) return await checkServe(settings);
    const log = createLog(process.stdout, { now: Date.now, access: settings.accessLog });
    try {
      refusePublicDemo(settings);
      await (settings.workers > 1 && cluster.isPrimary ? serveByWorkers : serve)(settings, log);
    } finally {
      // A worker process exits after it is disconnected from the primary process.
      cluster.worker?.disconnect();
      // The process ends soon, even if log lines wait for a stalled reader.
      if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), LAST_LINES_MS).unref();
    }
  });
}

/** Serves in this process, alone or as a worker, until a signal stops it. Only the first worker prints and logs for all. */
async function serve(settings: ServeSettings, log: Log): Promise<void> {
  const people = await readPeopleSettings(settings, log);
  const { now } = new SteadyClock({ log, from: processes.clockOfMaster() });
  const isFirst = cluster.isPrimary || cluster.worker?.id === 1;
  await processes.closeAfter(async (onClose) => {
    const follower = await openDist(settings, now, log);
    onClose(() => follower.close());
    const store = await openStore(settings.store);
    onClose(() => store.close());
    const links = await openLinks(settings, store, now);

    let address = '';
    const { securityContact: contact, metricsPort, trustedProxy } = settings;
    const badAttempts = new BadAttempts();
    const publicUrl = () => settings.publicUrl ?? address;
    const read: Gateway['read'] = (asked, view) => gateway.read(asked, view);
    const findUnreadiness = () => gateway.findUnreadiness();
    const shared = { follower, store, log, now, ...trustedProxy, badAttempts, publicUrl, read, routes };
    const services = { ...shared, ...people, joinLinks: settings.proUrl, hasSite: settings.site !== 'none' };
    const site = makePages({
      ...shared,
      mode: settings.site,
      images: settings.images,
      findUnreadiness,
      hasSignup: people.signupMailer !== undefined,
      pro: { price: settings.proPrice, links: settings.proUrl },
      pagesInMinute: settings.siteBudget,
    });
    const { collectMetrics, serveMetrics } =
      metricsPort === undefined ? {} : await import('./metrics/metrics.ts');
    const observe = collectMetrics?.({
      follower,
      now,
      findUnreadiness,
      pingStore: () => store.fast.get('SELECT 1 AS one'),
      readBadKeys: () => badAttempts.state,
      readDueAlerts: () => countDue(store),
    });
    const gateway = new Gateway({
      ...shared,
      links,
      isHttpsOnly: settings.publicUrl?.startsWith('https:') === true,
      readAlerts: (account) => readAlerts(store, account),
      endpoints: [
        ...[...peopleEndpoints(services), ...site.endpoints],
        ...(contact ? [securityTxtEndpoint({ contact, publicUrl: settings.publicUrl, now })] : []),
      ],
      apiEndpoints(api) {
        // Loading its SDK takes as long as loading a third of the gateway.
        const load = once(async () => (await import('./mcp/mcp.ts')).mcpEndpoint({ api, log, publicUrl }));
        return [{ path: '/mcp', post: async (...asked) => await (await load()).post?.(...asked) }];
      },
      frame: pageFrame(site.frame),
      observe,
    });

    // Steps that can fail come before the port opens.
    if (cluster.isPrimary) {
      await revokeDemoKeys(store);
      onClose(() => revokeDemoKeys(store));
      const closeMetrics = await serveMetrics?.('process', settings, log);
      onClose(() => closeMetrics?.());
    }
    let jobs: Runner | undefined;
    onClose(() => Promise.all([gateway.close(), jobs?.close()]));
    const stopped = processes.untilStopped(log, processes.STOP_MS);
    address = await processes.listenOn(gateway.server, settings.port, settings.host, '--port');
    if (settings.demo && isFirst) {
      const keys = await issueDemoKeys(store, cluster.isPrimary ? process.pid : process.ppid);
      process.stdout.write(describeDemo(address, keys, follower.catalog.viewAt(now(), 'free')));
    }
    if (isFirst) log.info('listening', { address, signup: people.signupMailer && publicUrl() + SIGNUP });
    jobs = startPeopleJobs(services);
    await stopped;
    if (cluster.isPrimary) log.info('shutting down');
  });
}

/** Opens the dist/ of the settings, and follows it: a folder, or a copy of a published one. @throws DistError */
async function openDist({ dist, cache }: ServeSettings, now: () => number, log: Log): Promise<DistFollower> {
  if (!/^(https?|s3):/i.test(dist)) return await followDist(dist, { now, log, interval: FOLLOW_MS });
  return await (await import('./mirror/remote-dists.ts')).follow(dist, { now, log, cache });
}

/** Runs workers that share the port. This process owns the keys of a demo and the port of metrics. */
async function serveByWorkers(settings: ServeSettings, log: Log): Promise<void> {
  await processes.closeAfter(async (onClose) => {
    const revoke = () => withStore(settings.store, revokeDemoKeys);
    await revoke();
    onClose(revoke);
    if (settings.metricsPort !== undefined) {
      const { serveMetrics } = await import('./metrics/metrics.ts');
      onClose(await serveMetrics('workers', settings, log));
    }
    const stopped = processes.untilStopped(log, SUPERVISOR_STOP_MS);
    process.exitCode = await processes.superviseWorkers(settings.workers, stopped, log);
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

Examples:
  gateway serve                                     on http://127.0.0.1:3000, with the data in dist/
  gateway serve --host 0.0.0.0 --dist /srv/dist     for a machine behind a proxy that terminates TLS
  gateway serve --check                             read the settings, open store and dist, and report
  gateway keys issue someone@example.org            issue a key, also while it runs`;

/** `gateway serve --check`: reads the settings, opens dist and the store, and prints a line for each. @throws CommandError if one fails */
async function checkServe(settings: ServeSettings): Promise<void> {
  const silent: Log = { info() {}, error() {}, access() {} };
  const checks: Record<string, () => Promise<string>> = {
    async settings() {
      refusePublicDemo(settings);
      await readPeopleSettings(settings, silent);
      return `a gateway for ${settings.publicUrl ?? `${settings.host}:${settings.port}`}`;
    },
    async dist() {
      const follower = await openDist(settings, Date.now, silent);
      follower.close();
      const { size } = follower.catalog.viewAt(Date.now(), 'pro').games;
      return `${settings.dist} has ${size} ${size === 1 ? 'game' : 'games'}`;
    },
    async store() {
      const name = nameStore(settings.store);
      if (!isPostgres(settings.store) && !existsSync(path.join(settings.store, 'store.sqlite'))) {
        if (existsSync(settings.store)) accessSync(`${settings.store}/`, constants.W_OK);
        return `${name} does not exist, and will be made`;
      }
      const isCurrent = await checkStore(settings.store);
      return `${name} responds${isCurrent ? '' : ', and its tables will be changed'}`;
    },
  };
  let isFine = true;
  for (const [name, check] of Object.entries(checks)) {
    try {
      print(`ok     ${name}: ${await check()}`);
    } catch (error) {
      isFine = false;
      print(`error  ${name}: ${errorOf(error).message}`);
    }
  }
  if (!isFine) throw new CommandError('the gateway cannot run with these settings');
}
