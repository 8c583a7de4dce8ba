import cluster from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { DegradedParts } from '../catalog/degraded.ts';
import { DistError } from '../catalog/dist-folder.ts';
import type { DistFollower } from '../catalog/follow-dist.ts';
import { openDist } from '../catalog/open-dist.ts';
import { SteadyClock } from '../catalog/steady-clock.ts';
import { serveAssets } from '../layout/serve-assets.ts';
import { whenPrepared } from '../lib/part.ts';
import { createLog, type WrittenLog } from '../log/log.ts';
import { mcpEndpoint } from '../mcp/endpoint.ts';
import { ACCOUNT } from '../people/account-pages/addresses.ts';
import { peopleEndpoints, peopleServices, startPeopleJobs } from '../people/people.ts';
import { SIGNUP } from '../people/signup/pages.ts';
import { Gateway } from '../server.ts';
import { securityTxtEndpoint } from '../site/security-txt.ts';
import { siteEndpoints } from '../site/site.ts';
import type { LinkScheme } from '../snapshot-links/link-scheme.ts';
import { openNearStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { describeDemo } from './demo.ts';
import { issueDemoKeys, revokeDemoKeys } from './demo-keys.ts';
import { checkServe } from './doctor.ts';
import { chooseLinkScheme } from './link-options.ts';
import { MEMBERSHIP_HELP } from './membership-settings.ts';
import { findServiceManager } from './notify-systemd.ts';
import { type PeopleSettings, readPeopleSettings } from './people-settings.ts';
import { ServedMetrics, serveWorkerMetrics } from './serve-metrics.ts';
import { addServeOptions, type ServeOptions } from './serve-options.ts';
import { withStore } from './store-command.ts';
import { isStrict } from './strict-mode.ts';
import { superviseWorkers } from './workers.ts';

/** How long the last lines of the log may take to be read. */
const LAST_LINES_MS = 2000;

/** `gateway serve`. */
export function serveCommand(): Command {
  return addServeOptions(new Command('serve'))
    .description('serve the compiled data over HTTP')
    .addHelpText(
      'after',
      `
Mails are sent by the server SMTP_URL, smtps://user:password@host:465 or smtp://host:587, from the sender MAIL_FROM. Both are environment
variables. Without them, mails are written to files in var/outbox if only this machine can reach the gateway.

Platforms that sell memberships report them to /webhooks/patreon and /webhooks/ko-fi, if the environment configures them:
  PATREON_WEBHOOK_SECRET   the secret that Patreon shows for the webhook
  KOFI_VERIFICATION_TOKEN  the token that Ko-fi shows for the webhook${MEMBERSHIP_HELP}

The gateway follows the dist folder: it serves the output of a later gamedata build without a restart.
SIGTERM and SIGINT finish the open requests and stop it.

Examples:
  gateway serve                                     on http://127.0.0.1:3000, with the data in dist/
  gateway serve --host 0.0.0.0 --dist /srv/dist     for a machine behind a proxy that terminates TLS
  gateway serve --dist s3://games/dist              follow the output of gamedata publish
  gateway keys issue someone@example.org            issue a key, also while it runs`,
    )
    .action(async (options: ServeOptions) => {
      if (options.check) return checkServe(options);
      try {
        await (options.workers > 1 && cluster.isPrimary ? serveByWorkers(options) : serve(options));
      } finally {
        // A worker process exits once it is disconnected from the primary process.
        cluster.worker?.disconnect();
        exitWithoutReader();
      }
    });
}

async function serveByWorkers(options: ServeOptions): Promise<void> {
  const { workers, store, storeId } = options;
  refusePublicDemo(options);
  const stopped = untilStopped();
  const log = openLog(options);
  await withStore(store, revokeDemoKeys, storeId);
  const metrics = await serveWorkerMetrics(options, log);
  const manager = findServiceManager(process.env, log);
  cluster.once('listening', () => manager.ready());
  void stopped.then(() => manager.stopping());
  process.exitCode = await superviseWorkers(workers, stopped, log);
  await metrics?.close();
  await withStore(store, revokeDemoKeys, storeId);
}

function openLog({ accessLog: access, logLevel: level, logFormat: format }: ServeOptions): WrittenLog {
  return createLog(process.stdout, { now: Date.now, access, level, format });
}

/** Ends the process soon although lines of the log wait for a reader that has stalled. */
function exitWithoutReader(): void {
  if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), LAST_LINES_MS).unref();
}

/** Resolves when the process receives SIGTERM or SIGINT. */
function untilStopped(): Promise<unknown> {
  return Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
}

/** Serves in this process: alone, or as one of several workers. Only the first worker prints and logs for all. */
async function serve(options: ServeOptions): Promise<void> {
  const { dist, cache, s3Endpoint: endpoint, store: storeAddress } = options;
  refusePublicDemo(options);
  const log = openLog(options);
  const degraded = new DegradedParts(Date.now);
  const { now } = new SteadyClock({ log, report: (problems) => degraded.set('clock', problems) });
  const openLinkScheme = chooseLinkScheme(options, endpoint, now);
  const stopped = untilStopped();
  const settings = await readPeopleSettings(options, log);
  const trust = { keys: options.distKey, allowOlder: options.distAllowOlder };
  const scrubs = cluster.isPrimary || cluster.worker?.id === 1;
  const opening = openDist(dist, { cache, endpoint, now, log, trust, degraded, scrubs });
  const follower = await opening.catch((error: unknown) => {
    throw error instanceof DistError ? new CommandError(error.message) : error;
  });
  const store = await openNearStore(storeAddress, {
    log,
    identity: options.storeId,
    waitMs: options.storeTimeout,
  });
  try {
    const linkScheme = await openLinkScheme(store);
    await runGateway({ follower, store, log, now, linkScheme, settings, options, stopped });
  } finally {
    follower.close();
    await store.close();
  }
}

/** The parts of a running gateway. */
interface Run {
  follower: DistFollower;
  store: Store;
  log: WrittenLog;
  now: () => number;
  linkScheme: LinkScheme;
  settings: PeopleSettings;
  options: ServeOptions;
  /** Resolves when the gateway should stop. */
  stopped: Promise<unknown>;
}

/** Runs a gateway until it should stop. */
async function runGateway({ settings, options, stopped, linkScheme, ...parts }: Run): Promise<void> {
  const { store, log, now, follower } = parts;
  const {
    port,
    host,
    demo,
    plainHttp,
    trustedProxy: { clientAddress, isFromProxy },
  } = options;
  const isAlone = cluster.isPrimary;
  const isReporting = isAlone || cluster.worker?.id === 1;
  let address = '';
  const publicUrl = () => options.publicUrl ?? address;
  const site = siteEndpoints({
    ...{ ...parts, ...describeSite(options, settings), publicUrl },
    ...{ archive: () => gateway.archive, findUnreadiness: () => gateway.findUnreadiness() },
  });
  const peopleOptions = { ...parts, ...settings, publicUrl, clientAddress, joinLinks: options.proUrl };
  const metrics = options.metricsPort === undefined ? undefined : new ServedMetrics(options);
  const gateway = new Gateway({
    ...parts,
    observe: metrics?.observe,
    people: peopleServices(store),
    linkScheme,
    apiEndpoints: (api) => [mcpEndpoint({ api, log, publicUrl })],
    endpoints: [...peopleEndpoints(peopleOptions), ...site, ...securityEndpoints(options, now)],
    files: serveAssets,
    hasSite: options.site,
    plainHttp,
    isFromProxy,
    clientAddress,
    isHttpsOnly: options.publicUrl?.startsWith('https:') === true,
  });
  // A demo that was killed leaves its keys behind.
  if (isAlone) await revokeDemoKeys(store);
  address = await listen(gateway, port, host);
  if (demo && isReporting) {
    const keys = await issueDemoKeys(store, now(), isAlone ? process.pid : process.ppid);
    const view = follower.catalog.viewAt(now(), 'free');
    process.stdout.write(await whenPrepared(() => describeDemo(address, keys, view)));
  }
  const jobs = startPeopleJobs({ ...peopleOptions, hasSite: options.site });
  const { mails } = settings;
  const metricsAddress = await metrics?.start({
    ...parts,
    gateway,
    jobs,
    mails,
    storeAddress: options.store,
  });
  if (isReporting) log.info('listening', describeListening(address, publicUrl(), settings));
  if (metricsAddress) log.info('metrics', { address: metricsAddress });
  const manager = isAlone ? findServiceManager(process.env, log) : undefined;
  manager?.ready();
  await stopped;
  manager?.stopping();
  if (isAlone) log.info('shutting down');
  await Promise.all([gateway.close(), jobs.close(), metrics?.close()]);
  if (isAlone) await revokeDemoKeys(store);
}

/** What the options say about the site. */
function describeSite({ site, proPrice, proUrl }: ServeOptions, { signupMailer }: PeopleSettings) {
  return {
    isOn: site,
    pro: { price: proPrice, links: proUrl },
    hasSignup: signupMailer !== undefined,
  };
}

function securityEndpoints({ securityContact, securityExpires, publicUrl }: ServeOptions, now: () => number) {
  if (securityContact === undefined) return [];
  return [securityTxtEndpoint({ contact: securityContact, expires: securityExpires, publicUrl, now })];
}

function describeListening(address: string, publicUrl: string, settings: PeopleSettings) {
  const { signupMailer, accountMailer, platforms } = settings;
  const webhooks = platforms.flatMap(({ name, readWebhook }) => (readWebhook ? name : []));
  return {
    address,
    ...(signupMailer && { signup: `${publicUrl}${SIGNUP}` }),
    ...(accountMailer && { account: `${publicUrl}${ACCOUNT}` }),
    webhooks: webhooks.join(', ') || undefined,
  };
}

/** @throws CommandError if others can reach a gateway that prints keys */
function refusePublicDemo(options: ServeOptions): void {
  if (!options.demo || !isStrict(options)) return;
  throw new CommandError(
    '--demo prints keys, so --host and --public-url must be loopback addresses, without --trusted-proxy; --dev turns this check off',
    2,
  );
}

async function listen({ server }: Gateway, port: number, host: string): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE'
        ? 'it is in use: stop the other program, or choose another port with --port'
        : (error as Error).message;
    throw new CommandError(`cannot listen on port ${port} of ${host}: ${reason}`);
  }
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
