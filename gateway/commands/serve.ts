import cluster from 'node:cluster';
import { Command } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { findFileLimit } from '../../scripts/lib/open-files.ts';
import { loadRoutes } from '../api/routes.ts';
import { type DegradedPart, DegradedParts } from '../data/dist-files.ts';
import { DistError } from '../data/dist-folder.ts';
import { openDist } from '../data/open-dist.ts';
import { countDescriptors, requestDescriptors } from '../http/descriptors.ts';
import { createLog, type WrittenLog } from '../http/log.ts';
import { openNearStore } from '../store/open-store.ts';
import { describeRecord, nameStore, type Store } from '../store/store.ts';
import type { Faults, PartSetup, ServedPart } from './door.ts';
import { type MadeGateway, makeGateway, type Run } from './make-gateway.ts';
import { partsOption } from './parts-option.ts';
import { addServeOptions, type ServeOptions } from './serve-options.ts';
import { closeAfter, findServiceManager, listenOn, STOP_MS, untilStopped } from './stop.ts';
import { isReachable } from './strict-mode.ts';

/** How long the last lines of the log may take to be read. */
const LAST_LINES_MS = 2000;

/** `gateway serve`, with the options of its parts. */
export function serveCommand(parts: readonly ServedPart[]): Command {
  const command = addAllOptions(new Command('serve'), parts).addOption(partsOption());
  return command
    .addHelpText(
      'after',
      `
The gateway follows the dist folder: it serves the output of a later gamedata build without a restart.
SIGTERM and SIGINT finish the open requests and stop it.

Examples:
  gateway serve                                     on http://127.0.0.1:3000, with the data in dist/
  gateway serve --host 0.0.0.0 --dist /srv/dist     for a machine behind a proxy that terminates TLS
  gateway serve --dist s3://games/dist              follow the output of gamedata publish
  gateway serve --parts none                        the API alone, without pages, mails and metrics
  gateway keys issue someone@example.org            issue a key, also while it runs`,
    )
    .action(async (options: ServeOptions) => {
      for (const part of parts) {
        const replaced = part.replace?.(command, parts);
        if (replaced) return await replaced;
      }
      const log = openLog(options);
      const setup = { command, log };
      try {
        await serve(options, setup, parts);
      } finally {
        // A worker process exits once it is disconnected from the primary process.
        cluster.worker?.disconnect();
        exitWithoutReader();
      }
    });
}

/** Adds the options of `gateway serve`, and those of parts. */
export function addAllOptions(command: Command, parts: readonly ServedPart[]): Command {
  addServeOptions(command);
  for (const part of parts) part.addOptions?.(command);
  return command;
}

/** Opens the log of `gateway serve`. */
export function openLog({ accessLog: access, logLevel: level, logFormat: format }: ServeOptions): WrittenLog {
  return createLog(process.stdout, { now: Date.now, access, level, format });
}

/** Ends the process soon although lines of the log wait for a reader that has stalled. */
export function exitWithoutReader(): void {
  if (process.stdout.writableLength > 0) setTimeout(() => process.exit(), LAST_LINES_MS).unref();
}

/** Serves in this process: alone, or as one of several workers. Only the first worker prints and logs for all. */
async function serve(options: ServeOptions, setup: PartSetup, parts: readonly ServedPart[]): Promise<void> {
  const { dist, store: storeAddress } = options;
  const { log } = setup;
  const degraded = new DegradedParts(Date.now);
  const faults: Faults = { damagedRecords: 0, clockJumps: 0 };
  const report = (problems: readonly DegradedPart[]) => {
    faults.clockJumps += problems.length;
    degraded.set('clock', problems);
  };
  const clock = parts.find((part) => part.makeClock)?.makeClock?.({ log, report });
  if (clock === undefined)
    log.error('the part watch is left out: a clock that jumps forward shows builds before their release');
  const now = clock ?? Date.now;
  const makers = await prepareParts(setup, parts);
  const opening = openDist(dist, { now, log, degraded, serveOptions: options });
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
    const routes = await loadRoutes();
    await runGateway({ follower, store, log, now, options, faults, makers, routes });
  };
  await closeAfter(run, async () => {
    follower.close();
    await store?.close();
    log.flush();
  });
}

/**
 * Reads the settings of parts.
 *
 * @returns what makes each of them
 * @throws CommandError that says what is wrong
 */
export async function prepareParts(setup: PartSetup, parts: readonly ServedPart[]) {
  const prepared = [];
  for (const part of parts) prepared.push(await part.prepare?.(setup));
  return prepared.filter((make) => make !== undefined);
}

/** Runs a gateway until it should stop. All that it opens is closed, also when the start fails. */
async function runGateway(run: Run): Promise<void> {
  const { log } = run;
  const made = makeGateway(run);
  const { gateway, parts } = made;
  const isAlone = cluster.isPrimary;
  const serving = async () => {
    // What can fail comes before the port on which requests arrive.
    for (const part of parts) await part.open?.();
    const stopped = untilStopped(log, STOP_MS);
    limitDescriptors(log);
    await listen(made, run);
    const manager = isAlone ? findServiceManager(process.env, log) : undefined;
    manager?.ready();
    await stopped;
    manager?.stopping();
    if (isAlone) log.info('shutting down');
  };
  await closeAfter(serving, async () => {
    await Promise.all([gateway.close(), ...parts.map((part) => part.close?.())]);
  });
}

/** Keeps some descriptors from requests, so that the metrics and the store have some. */
function limitDescriptors(log: WrittenLog): void {
  const [max, open] = [findFileLimit(), countDescriptors()];
  if (max === undefined || open === undefined) return;
  const error = `EMFILE: this process may have ${max} descriptors`;
  requestDescriptors.limit(max, open, () => {
    log.error('too many open files: a connection or file was refused', { error });
  });
}

/** What protects a gateway that others can reach, and what to do without it. */
const SAFEGUARDS = [
  ['guard', 'the proxy in front has to limit connections and slow clients'],
  ['limits', 'the proxy in front has to limit attempts with wrong keys and the requests of each key'],
] as const;

/** Listens, logs the addresses, and starts the parts. */
async function listen({ gateway, parts, reach }: MadeGateway, { options, log }: Run): Promise<void> {
  reach.address = await listenOn(gateway.server, options.port, options.host, '--port');
  for (const part of parts) await part.print?.();
  if (cluster.isPrimary || cluster.worker?.id === 1) {
    const described = parts.map((part) => part.describe?.());
    log.info('listening', { address: reach.address, ...Object.assign({}, ...described) });
  }
  for (const [name, advice] of SAFEGUARDS)
    if (isReachable(options) && !parts.some((part) => part[name]))
      log.error(`the part ${name} is left out: ${advice}`);
  for (const part of parts) await part.start?.();
}
