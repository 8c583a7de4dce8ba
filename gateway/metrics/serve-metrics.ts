import cluster from 'node:cluster';
import { resolve } from 'node:path';
import type { Core, RunningPart, ServedPart } from '../commands/door.ts';
import type { ServeOptions } from '../commands/serve-options.ts';
import { listenOn } from '../commands/stop.ts';
import type { Log } from '../http/log.ts';
import { isRedisAddress } from '../store/store.ts';
import { type Facts, factsOf } from '../facts/facts.ts';
import { EventLoop } from './event-loop.ts';
import { reporter } from './make-report.ts';
import { addMetricsOptions, type MetricsOptions } from './metrics-options.ts';
import type { MetricsServer } from './metrics-server.ts';
import type { MakeReport, ProcessReport } from './report.ts';
import { Traffic } from './traffic.ts';
import { sendReports, WorkerReports } from './worker-reports.ts';

type Options = MetricsOptions & Pick<ServeOptions, 'store'>;

/** The metrics of `gateway serve`. */
export const SERVED_METRICS: ServedPart = {
  addOptions: addMetricsOptions,
  prepare(setup) {
    const { command } = setup;
    const options = command.opts<Options>();
    return (core) =>
      options.metricsPort === undefined ? {} : new ServedMetrics(options, core, factsOf(setup));
  },
  async supervise({ command, log }) {
    const reports = new WorkerReports();
    const started = await listen(command.opts<Options>(), () => reports.read(), log);
    if (started) log.info('metrics', { address: started.address });
    return async () => started?.server.close();
  },
};

/** The metrics of this process. */
class ServedMetrics implements RunningPart {
  readonly #options: Options;
  readonly #core: Core;
  readonly #facts: Facts;
  readonly #traffic = new Traffic();
  readonly #eventLoop = new EventLoop();
  #started: { server: MetricsServer; address: string } | undefined;

  constructor(options: Options, core: Core, facts: Facts) {
    this.#options = options;
    this.#core = core;
    this.#facts = facts;
  }

  /** Counts a response. */
  get observe() {
    return this.#traffic.observe;
  }

  /** Serves the metrics, or has the process above serve them. */
  async open(): Promise<void> {
    const { log, gateway, ...sources } = this.#core;
    const { store } = this.#options;
    const makeReport: MakeReport = reporter({
      ...sources,
      traffic: this.#traffic,
      eventLoop: this.#eventLoop,
      storeFolder: isRedisAddress(store) ? undefined : resolve(store),
      mails: this.#facts.mails,
      readAlerts: () => this.#facts.readAlerts(),
      readState: () => gateway().state,
      findUnreadiness: () => gateway().findUnreadiness(),
      readDroppedLines: () => log.dropped,
    });
    if (cluster.isWorker) sendReports(makeReport);
    else this.#started = await listen(this.#options, async () => [await makeReport()], log);
  }

  start(): void {
    if (this.#started) this.#core.log.info('metrics', { address: this.#started.address });
  }

  async close(): Promise<void> {
    this.#eventLoop.close();
    await this.#started?.server.close();
  }
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
