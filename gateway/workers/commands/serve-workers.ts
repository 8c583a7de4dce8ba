import cluster from 'node:cluster';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PartSetup, ServedPart } from '../../commands/door.ts';
import { exitWithoutReader, openLog } from '../../commands/serve.ts';
import type { ServeOptions } from '../../commands/serve-options.ts';
import { closeAfter, findServiceManager, untilStopped } from '../../commands/stop.ts';
import { superviseWorkers } from './supervise.ts';

/** The options of processes that share the port. */
export interface WorkerOptions {
  workers: number;
}

const MAX_WORKERS = 256;
/** How long the process above the workers may take to stop, in ms. */
const STOP_MS = 19_000;

/** What several processes add to `gateway serve`. */
export const SERVED_WORKERS: ServedPart = {
  addOptions(command) {
    command.addOption(
      new Option('--workers <number>', 'number of processes that share the port, one per core')
        .env('GATEWAY_WORKERS')
        .default(1)
        .argParser(parseWorkers),
    );
  },
  replace(command, parts) {
    const { workers } = command.opts<WorkerOptions>();
    return workers > 1 && cluster.isPrimary ? serveByWorkers(workers, command, parts) : undefined;
  },
};

async function serveByWorkers(
  workers: number,
  command: Command,
  parts: readonly ServedPart[],
): Promise<void> {
  const log = openLog(command.opts<ServeOptions>());
  const setup: PartSetup = { command, log };
  const ends: (() => Promise<void>)[] = [];
  const run = async () => {
    for (const part of parts) ends.push((await part.supervise?.(setup)) ?? (async () => {}));
    const manager = findServiceManager(process.env, log);
    cluster.once('listening', () => manager.ready());
    const stopped = untilStopped(log, STOP_MS);
    void stopped.then(() => manager.stopping());
    process.exitCode = await superviseWorkers(workers, stopped, log);
  };
  try {
    await closeAfter(run, async () => {
      await Promise.all(ends.map((end) => end()));
      log.flush();
    });
  } finally {
    exitWithoutReader();
  }
}

function parseWorkers(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_WORKERS) return count;
  throw new InvalidArgumentError(`expected a number from 1 to ${MAX_WORKERS}.`);
}
