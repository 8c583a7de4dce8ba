import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';
import type { BadAttempts } from '../access/attempts.ts';
import { listenOn } from '../commands/processes.ts';
import type { ServeSettings } from '../commands/settings.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';

/** The sources of a process's metrics, read at each scrape. */
export interface Sources {
  follower: DistFollower;
  /** Attempts with invalid keys since the start. */
  readBadKeys(): Readonly<BadAttempts['state']>;
  /** @returns why the gateway is not ready; undefined if it is */
  findUnreadiness(): string | undefined;
  /** Rejects when the store does not respond. */
  pingStore(): Promise<unknown>;
  /** Returns how many alerts are due but not begun, by channel. Rejects when the store does not respond. */
  readDueAlerts(): Promise<Readonly<Record<string, number>>>;
  /** ms since 1970. */
  now: () => number;
}

/** Collects the metrics of this process: the defaults of prom-client, and ten of our own. @returns a function that counts a response */
export function collectMetrics(sources: Sources) {
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Responses by route, tier of the caller, and status.',
    labelNames: ['route', 'tier', 'status'] as const,
  });
  const durations = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time from a request to the end of its response, by route.',
    labelNames: ['route'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  collectDefaultMetrics();
  addGauges(sources);
  // A worker sends its metrics to its parent on request.
  if (cluster.isWorker) new AggregatorRegistry();
  return (
    { pattern = 'none', tier = 'none' }: Pick<Incoming, 'pattern' | 'tier'>,
    status: number,
    ms: number,
  ) => {
    requests.inc({ route: pattern, tier, status });
    durations.observe({ route: pattern }, ms / 1000);
  };
}

// biome-ignore format: a metric is a row
function addGauges({ follower, readBadKeys, findUnreadiness, pingStore, readDueAlerts, now }: Sources): void {
  const isTrue = (state: Promise<unknown>) => state.then(() => 1, () => 0);
  gauge('gateway_ready', '1 while the process may take traffic, as /readyz says.', 'min', [], () => [[{}, Number(findUnreadiness() === undefined)]]);
  gauge('gateway_store_up', '1 while the store responds.', 'min', [], async () => [[{}, await isTrue(pingStore())]]);
  gauge('gateway_dist_loaded_timestamp_seconds', 'When the served state of dist/ was loaded.', 'min', [], () => [[{}, follower.state.loadedAt / 1000]]);
  gauge('gateway_dist_failing', '1 while a newer state of dist/ cannot be loaded or fetched.', 'max', [], () => [[{}, Number(follower.state.failure !== undefined)]]);
  gauge('gateway_game_degraded', '1 while a game is not served as it should be.', 'max', ['game'], () => {
    const broken = new Set(follower.degraded.flatMap(({ game }) => game ?? []));
    const games = new Set([...follower.catalog.loaded.map(({ slug }) => slug), ...broken]);
    return [...games].map((game) => [{ game }, Number(broken.has(game))]);
  });
  gauge('gateway_build_info', 'The current build of each game, by tier.', 'max', ['game', 'tier', 'build'], () =>
    (['free', 'pro'] as const).flatMap((tier) => [...follower.catalog.viewAt(now(), tier).games.values()].map(({ slug, build }): Row => [{ game: slug, tier, build }, 1])));
  gauge('gateway_alerts_due', 'Alerts that are due and not begun, by channel.', 'max', ['channel'], async () =>
    Object.entries(await readDueAlerts().catch(() => ({}))).map(([channel, count]) => [{ channel }, count]));
  gauge('gateway_bad_keys', 'Keys, links and webhooks since the start that were not valid: refused, or throttled with 429.', 'sum', ['result'], () =>
    Object.entries(readBadKeys()).map(([result, count]) => [{ result }, count]));
}

/** A value of a metric, with its labels. */
type Row = [labels: Record<string, string>, value: number];

/** Adds a gauge whose value is read at each scrape. */
function gauge(
  name: string,
  help: string,
  aggregator: 'min' | 'max' | 'sum',
  labelNames: string[],
  read: () => Row[] | Promise<Row[]>,
): void {
  new Gauge({
    name,
    help,
    aggregator,
    labelNames,
    async collect() {
      this.reset();
      for (const [labels, value] of await read()) this.set(labels, value);
    },
  });
}

export const METRICS_PATH = '/metrics';
/** Descriptors that the port may take from the gateway. */
const MAX_CONNECTIONS = 16;

/**
 * Serves metrics on a port that only operators can reach.
 *
 * @param of `process` for the metrics of this process, `workers` for the sums over its workers
 * @returns a function that closes the port
 */
export async function serveMetrics(
  of: 'process' | 'workers',
  { metricsPort = 0, metricsHost }: Pick<ServeSettings, 'metricsPort' | 'metricsHost'>,
  log: Log,
): Promise<() => void> {
  const aggregator = of === 'workers' ? new AggregatorRegistry() : undefined;
  const server = createServer(async ({ url }, response) => {
    const send = (status: number, text: string, type = 'text/plain') =>
      void response.writeHead(status, { 'Content-Type': type }).end(text);
    if (url !== METRICS_PATH) return send(404, `expected ${METRICS_PATH}\n`);
    try {
      send(200, await (aggregator?.clusterMetrics() ?? register.metrics()), register.contentType);
    } catch (error) {
      log.error('metrics failed', { error: String(error) });
      send(500, 'the metrics cannot be read; the failure was logged\n');
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  const address = await listenOn(server, metricsPort, metricsHost, '--metrics-port');
  log.info('metrics', { address });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
