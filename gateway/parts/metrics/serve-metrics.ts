import cluster from 'node:cluster';
import { resolve } from 'node:path';
import type { DistFollower } from '../../core/catalog/follow-dist.ts';
import type { Log, WrittenLog } from '../../core/log/log.ts';
import { EventLoop } from './event-loop.ts';
import { reporter } from './make-report.ts';
import { MetricsServer } from './metrics-server.ts';
import type { MakeReport, ProcessReport } from './report.ts';
import type { Sources } from './sources.ts';
import { Traffic } from './traffic.ts';
import { sendReports, WorkerReports } from './worker-reports.ts';
import type { Gateway } from '../../core/server.ts';
import { isRedisAddress } from '../../core/store/address.ts';
import type { Store } from '../../core/store/store.ts';
import { listenOn } from '../../core/commands/listen-on.ts';
import type { MetricsOptions } from './metrics-options.ts';

/** The parts of a gateway that its metrics are read from. */
export interface MetricsParts {
  gateway: Gateway;
  readAlerts: Sources['readAlerts'];
  faults: Sources['faults'];
  follower: DistFollower;
  store: Store;
  storeAddress: string;
  mails: Sources['mails'];
  log: WrittenLog;
  now: () => number;
}

/** The metrics of this process. */
export class ServedMetrics {
  readonly #options: MetricsOptions;
  readonly #traffic = new Traffic();
  readonly #eventLoop = new EventLoop();
  #server: MetricsServer | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  /** Counts a response. */
  get observe() {
    return this.#traffic.observe;
  }

  /**
   * Serves the metrics, or has the process above serve them.
   *
   * @returns the address; undefined when it is not this process that listens
   * @throws CommandError when it cannot listen
   */
  async start({ gateway, storeAddress, log, ...parts }: MetricsParts): Promise<string | undefined> {
    const makeReport: MakeReport = reporter({
      ...parts,
      traffic: this.#traffic,
      eventLoop: this.#eventLoop,
      storeFolder: isRedisAddress(storeAddress) ? undefined : resolve(storeAddress),
      readState: () => gateway.state,
      findUnreadiness: () => gateway.findUnreadiness(),
      readDroppedLines: () => log.dropped,
    });
    if (cluster.isWorker) {
      sendReports(makeReport);
      return undefined;
    }
    const started = await listen(this.#options, async () => [await makeReport()], log);
    this.#server = started?.server;
    return started?.address;
  }

  async close(): Promise<void> {
    this.#eventLoop.close();
    await this.#server?.close();
  }
}

/**
 * Serves the metrics of all workers.
 *
 * @returns what ends that; undefined when metrics are off
 * @throws CommandError when it cannot listen
 */
export async function serveWorkerMetrics(
  options: MetricsOptions,
  log: Log,
): Promise<MetricsServer | undefined> {
  const reports = new WorkerReports();
  const started = await listen(options, () => reports.read(), log);
  if (started) log.info('metrics', { address: started.address });
  return started?.server;
}

async function listen(
  { metricsPort, metricsHost, metricsName }: MetricsOptions,
  read: () => Promise<ProcessReport[]>,
  log: Log,
): Promise<{ server: MetricsServer; address: string } | undefined> {
  if (metricsPort === undefined) return undefined;
  const server = new MetricsServer({ read, log, names: [metricsHost, ...metricsName] });
  return { server, address: await listenOn(server.server, metricsPort, metricsHost, '--metrics-port') };
}
