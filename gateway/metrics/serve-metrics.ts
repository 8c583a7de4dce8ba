import cluster from 'node:cluster';
import { listenOn } from '../commands/stop.ts';
import type { Log } from '../http/log.ts';
import { EventLoop } from './event-loop.ts';
import { reporter } from './make-report.ts';
import type { MetricsOptions } from './metrics-options.ts';
import type { MetricsServer } from './metrics-server.ts';
import type { ProcessReport } from './report.ts';
import type { Sources } from './sources.ts';
import { Traffic } from './traffic.ts';
import { sendReports, WorkerReports } from './worker-reports.ts';

/** The metrics of this process. */
export class ServedMetrics {
  readonly #options: MetricsOptions;
  readonly #log: Log;
  readonly #sources: Omit<Sources, 'traffic' | 'eventLoop'>;
  readonly #traffic = new Traffic();
  readonly #eventLoop = new EventLoop();
  #started: { server: MetricsServer; address: string } | undefined;

  constructor(options: MetricsOptions, log: Log, sources: Omit<Sources, 'traffic' | 'eventLoop'>) {
    this.#options = options;
    this.#log = log;
    this.#sources = sources;
  }

  /** Counts a response. */
  get observe() {
    return this.#traffic.observe;
  }

  /** Serves the metrics, or has the process above serve them. */
  async open(): Promise<void> {
    const makeReport = reporter({ ...this.#sources, traffic: this.#traffic, eventLoop: this.#eventLoop });
    if (cluster.isWorker) sendReports(makeReport);
    else this.#started = await listen(this.#options, async () => [await makeReport()], this.#log);
  }

  start(): void {
    if (this.#started) this.#log.info('metrics', { address: this.#started.address });
  }

  async close(): Promise<void> {
    this.#eventLoop.close();
    await this.#started?.server.close();
  }
}

/** Serves the metrics of all workers in the process above them. */
export async function serveWorkerMetrics(
  options: MetricsOptions,
  log: Log,
): Promise<{ close(): Promise<void> } | undefined> {
  const reports = new WorkerReports();
  const started = await listen(options, () => reports.read(), log);
  if (started) log.info('metrics', { address: started.address });
  return started?.server;
}

/** @throws CommandError when it cannot listen */
async function listen(
  { metricsPort, metricsHost, metricsName }: MetricsOptions,
  read: () => Promise<ProcessReport[]>,
  log: Log,
): Promise<{ server: MetricsServer; address: string } | undefined> {
  if (metricsPort === undefined) return undefined;
  const { MetricsServer } = await import('./metrics-server.ts');
  const server = new MetricsServer({ read, log, names: [metricsHost, ...metricsName] });
  return { server, address: await listenOn(server.server, metricsPort, metricsHost, '--metrics-port') };
}
