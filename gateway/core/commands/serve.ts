import cluster from 'node:cluster';
import { Command } from 'commander';
import { CommandError } from '../../../scripts/core/lib/command-error.ts';
import { DegradedParts } from '../catalog/degraded.ts';
import { DistError } from '../catalog/dist-folder.ts';
import { openDist } from '../catalog/open-dist.ts';
import { SteadyClock } from '../catalog/steady-clock.ts';
import { countDescriptors, readMaxDescriptors, requestDescriptors } from '../lib/descriptors.ts';
import { whenPrepared } from '../lib/part.ts';
import { createLog, type WrittenLog } from '../log/log.ts';
import type { Faults } from '../../parts/metrics/sources.ts';
import { ACCOUNT } from '../../parts/people/account-pages/addresses.ts';
import { type PeopleJobs, startPeopleJobs } from '../../parts/people/people.ts';
import { SIGNUP } from '../../parts/people/signup/pages.ts';
import { nameStore } from '../store/address.ts';
import { describeRecord } from '../store/damage.ts';
import { openNearStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { describeDemo } from '../../parts/demo/demo.ts';
import { issueDemoKeys, revokeDemoKeys } from '../../parts/demo/demo-keys.ts';
import { checkServe } from '../../parts/doctor/commands/doctor.ts';
import { chooseLinkScheme } from './link-options.ts';
import { listenOn } from './listen-on.ts';
import { makeGateway, type Run } from './make-gateway.ts';
import { MEMBERSHIP_HELP } from '../../parts/people/commands/membership-settings.ts';
import { findServiceManager } from './notify-systemd.ts';
import { type PeopleSettings, readPeopleSettings } from '../../parts/people/commands/people-settings.ts';
import { ServedMetrics, serveWorkerMetrics } from '../../parts/metrics/serve-metrics.ts';
import { addServeOptions, type ServeOptions } from './serve-options.ts';
import { closeAfter, STOP_MS, untilStopped, WORKERS_STOP_MS } from './stop.ts';
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
  const log = openLog(options);
  await withStore(store, revokeDemoKeys, storeId);
  const metrics = await serveWorkerMetrics(options, log);
  const manager = findServiceManager(process.env, log);
  cluster.once('listening', () => manager.ready());
  const stopped = untilStopped(log, WORKERS_STOP_MS);
  void stopped.then(() => manager.stopping());
  process.exitCode = await superviseWorkers(workers, stopped, log);
  await metrics?.close();
  log.flush();
  await withStore(store, revokeDemoKeys, storeId);
}

function openLog({ accessLog: access, logLevel: level, logFormat: format }: ServeOptions): WrittenLog {
  return createLog(process.stdout, { now: Date.now, access, level, format });
}

/** Ends the process soon although lines of the log wait for a reader that has stalled. */
function exitWithoutReader(): void {
  if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), LAST_LINES_MS).unref();
}

/** Serves in this process: alone, or as one of several workers. Only the first worker prints and logs for all. */
async function serve(options: ServeOptions): Promise<void> {
  const { dist, cache, s3Endpoint: endpoint, store: storeAddress } = options;
  refusePublicDemo(options);
  const log = openLog(options);
  const degraded = new DegradedParts(Date.now);
  const faults: Faults = { damagedRecords: 0, clockJumps: 0 };
  const { now } = new SteadyClock({
    log,
    report(problems) {
      faults.clockJumps += problems.length;
      degraded.set('clock', problems);
    },
  });
  const openLinkScheme = chooseLinkScheme(options, endpoint, now);
  const settings = await readPeopleSettings(options, log);
  const trust = { keys: options.distKey, allowOlder: options.distAllowOlder };
  const scrubs = cluster.isPrimary || cluster.worker?.id === 1;
  const opening = openDist(dist, { cache, endpoint, now, log, trust, degraded, scrubs });
  const follower = await opening.catch((error: unknown) => {
    throw error instanceof DistError ? new CommandError(error.message) : error;
  });
  let store: Store | undefined;
  const run = async () => {
    store = await openNearStore(storeAddress, {
      log,
      identity: options.storeId,
      waitMs: options.storeTimeout,
      reportDamage(record) {
        faults.damagedRecords++;
        log.error(`${describeRecord(record)} is damaged`, { store: nameStore(storeAddress) });
      },
    });
    const linkScheme = await openLinkScheme(store);
    await runGateway({ follower, store, log, now, linkScheme, settings, options, faults });
  };
  await closeAfter(run, async () => {
    follower.close();
    await store?.close();
    log.flush();
  });
}

/** Runs a gateway until it should stop. All that it opens is closed, also when the start fails. */
async function runGateway(run: Run): Promise<void> {
  const { store, log, options } = run;
  const metrics = options.metricsPort === undefined ? undefined : new ServedMetrics(options);
  const made = makeGateway(run, metrics);
  const { gateway } = made;
  const isAlone = cluster.isPrimary;
  let jobs: PeopleJobs | undefined;
  const serving = async () => {
    // A demo that was killed leaves its keys behind.
    if (isAlone) await revokeDemoKeys(store);
    // What can fail comes before the port on which requests arrive.
    const metricsAddress = await metrics?.start({
      ...{ ...run, gateway, mails: run.settings.mails, storeAddress: options.store },
      readAlerts: async () => (await jobs?.readAlerts()) ?? [],
    });
    const stopped = untilStopped(log, STOP_MS);
    limitDescriptors(log);
    await listen(made, run);
    jobs = startPeopleJobs({ ...made.peopleOptions, hasSite: options.site });
    if (metricsAddress) log.info('metrics', { address: metricsAddress });
    const manager = isAlone ? findServiceManager(process.env, log) : undefined;
    manager?.ready();
    await stopped;
    manager?.stopping();
    if (isAlone) log.info('shutting down');
  };
  await closeAfter(serving, async () => {
    await Promise.all([gateway.close(), jobs?.close(), metrics?.close()]);
    if (isAlone) await revokeDemoKeys(store);
  });
}

/** Keeps some descriptors from requests, so that the metrics and the store have some. */
function limitDescriptors(log: WrittenLog): void {
  const [max, open] = [readMaxDescriptors(), countDescriptors()];
  if (max === undefined || open === undefined) return;
  const error = `EMFILE: this process may have ${max} descriptors`;
  requestDescriptors.limit(max, open, () => {
    log.error('too many open files: a connection or file was refused', { error });
  });
}

/** Listens, prints the demo, and logs the addresses. */
async function listen(
  { gateway, reach, peopleOptions }: ReturnType<typeof makeGateway>,
  { options, store, follower, now, log, settings }: Run,
): Promise<void> {
  const isReporting = cluster.isPrimary || cluster.worker?.id === 1;
  const keys =
    options.demo && isReporting
      ? await issueDemoKeys(store, now(), cluster.isPrimary ? process.pid : process.ppid)
      : undefined;
  reach.address = await listenOn(gateway.server, options.port, options.host, '--port');
  if (keys) {
    const view = follower.catalog.viewAt(now(), 'free');
    process.stdout.write(await whenPrepared(() => describeDemo(reach.address, keys, view)));
  }
  if (isReporting)
    log.info('listening', describeListening(reach.address, peopleOptions.publicUrl(), settings));
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
