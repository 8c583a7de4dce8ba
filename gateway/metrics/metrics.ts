import cluster from 'node:cluster';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import type { BadAttemptsState } from '../access/account.ts';
import { listenOn } from '../commands/processes.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import type { MetricsOptions } from './metrics-options.ts';

/** What the metrics of a process are read from, at each scrape. */
export interface Sources {
  follower: DistFollower;
  /** Keys that were not valid since the start, by what happened to them. */
  readBadKeys(): Readonly<BadAttemptsState>;
  /** Returns why the gateway is not ready; undefined when it is. */
  findUnreadiness(): Promise<string | undefined>;
  /** Rejects when the store does not respond. */
  pingStore(): Promise<unknown>;
  /** How many alerts are due and not begun, by channel. Rejects when the store does not respond. */
  readDueAlerts(): Promise<Readonly<Record<string, number>>>;
  /** ms since 1970. */
  now: () => number;
}

/** The metrics of this process: what prom-client has by default, and ten of ours. */
export class Metrics {
  readonly #requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Responses by route, tier of the caller, and status.',
    labelNames: ['route', 'tier', 'status'] as const,
  });
  readonly #durations = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time from a request to the end of its response, by route.',
    labelNames: ['route'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });

  constructor(sources: Sources) {
    collectDefaultMetrics();
    addGauges(sources);
    // A worker sends its metrics to the process above it when that asks.
    if (cluster.isWorker) new AggregatorRegistry();
  }

  /** Counts a response. */
  readonly observe = (
    { pattern = 'none', tier = 'none' }: Pick<Incoming, 'pattern' | 'tier'>,
    status: number,
    ms: number,
  ): void => {
    this.#requests.inc({ route: pattern, tier, status });
    this.#durations.observe({ route: pattern }, ms / 1000);
  };

  close(): void {
    register.clear();
  }
}

function addGauges({ follower, readBadKeys, findUnreadiness, pingStore, readDueAlerts, now }: Sources): void {
  const seenGames = () =>
    TIERS.flatMap((tier) =>
      [...follower.catalog.viewAt(now(), tier).games.values()].map((game) => ({ tier, game })),
    );
  gauge('gateway_ready', '1 while the process may take traffic, as /readyz says.', 'min', async (ready) =>
    ready.set(Number((await findUnreadiness()) === undefined)),
  );
  gauge('gateway_store_up', '1 while the store responds.', 'min', async (up) =>
    up.set(
      await pingStore().then(
        () => 1,
        () => 0,
      ),
    ),
  );
  gauge(
    'gateway_dist_loaded_timestamp_seconds',
    'When the served state of dist/ was loaded.',
    'min',
    (loaded) => loaded.set(follower.state.loadedAt / 1000),
  );
  gauge(
    'gateway_dist_failing',
    '1 while a newer state of dist/ cannot be loaded or fetched.',
    'max',
    (failing) => {
      failing.set(Number(follower.state.failure !== undefined));
    },
  );
  gauge(
    'gateway_game_degraded',
    '1 while a game is not served as it should be.',
    'max',
    (degraded) => {
      const broken = new Set(follower.degraded.flatMap(({ game }) => game ?? []));
      for (const { slug } of follower.catalog.loaded) degraded.set({ game: slug }, Number(broken.has(slug)));
      for (const slug of broken) degraded.set({ game: slug }, 1);
    },
    ['game'],
  );
  gauge(
    'gateway_build_info',
    'The current build of each game, by tier.',
    'max',
    (info) => {
      for (const { tier, game } of seenGames()) info.set({ game: game.slug, tier, build: game.build }, 1);
    },
    ['game', 'tier', 'build'],
  );
  gauge(
    'gateway_alerts_due',
    'Alerts that are due and not begun, by channel.',
    'max',
    async (due) => {
      const counts = await readDueAlerts().catch(() => ({}));
      for (const [channel, count] of Object.entries(counts)) due.set({ channel }, count);
    },
    ['channel'],
  );
  gauge(
    'gateway_bad_keys',
    'Keys since the start that were not valid: refused with 401, or throttled with 429.',
    'sum',
    (bad) => {
      for (const [result, count] of Object.entries(readBadKeys())) bad.set({ result }, count);
    },
    ['result'],
  );
}

const TIERS = ['free', 'pro'] as const;

/** Adds a gauge that is read anew at each scrape. */
function gauge(
  name: string,
  help: string,
  aggregator: 'min' | 'max' | 'sum',
  read: (gauge: Gauge) => Promise<void> | void,
  labelNames: string[] = [],
): void {
  new Gauge({
    ...{ name, help, aggregator, labelNames },
    async collect() {
      this.reset();
      await read(this);
    },
  });
}

/** The path of the metrics. */
export const METRICS_PATH = '/metrics';

/**
 * Serves metrics on a port that only operators reach.
 *
 * @param of `process` for those of this process, `workers` for the sums of all workers below it
 */
export async function serveMetrics(
  of: 'process' | 'workers',
  { metricsPort = 0, metricsHost, metricsName }: MetricsOptions,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const names = [metricsHost, ...metricsName];
  const aggregator = of === 'workers' ? new AggregatorRegistry() : undefined;
  const read = () => (aggregator ? aggregator.clusterMetrics() : register.metrics());
  const server = createServer((request, response) => void respond(request, response, read, names, log));
  server.maxConnections = MAX_CONNECTIONS;
  const address = await listenOn(server, metricsPort, metricsHost, '--metrics-port');
  log.info('metrics', { address });
  return { close: () => closeServer(server) };
}

/** A scraper needs one; the port must not use up what the gateway needs. */
const MAX_CONNECTIONS = 16;

async function respond(
  { url = '/', method, headers: { host = '' } }: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<string>,
  names: readonly string[],
  log: Log,
): Promise<void> {
  const send = (status: number, text: string, type = 'text/plain; charset=utf-8') =>
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
  if (!isKnown(nameIn(host), names)) return void send(421, WRONG_NAME);
  if (url.split('?', 1)[0] !== METRICS_PATH) return void send(404, `expected ${METRICS_PATH}\n`);
  if (method !== 'GET' && method !== 'HEAD') return void send(405, 'expected GET\n');
  try {
    send(200, await read(), register.contentType);
  } catch (error) {
    log.error('metrics failed', { error: String(error) });
    send(500, 'the metrics cannot be read; the failure was logged\n');
  }
}

const WRONG_NAME =
  'Host is not a name of this port, expected an IP address, a name without dots, or one of --metrics-name (GATEWAY_METRICS_NAME)\n';

/** Refuses names with dots: the author of a page can let one resolve to this port (DNS rebinding). */
function isKnown(name: string, names: readonly string[]): boolean {
  return isIP(name) !== 0 || !name.includes('.') || names.includes(name);
}

/** Returns the name in a Host header field, without the port and the brackets of an IPv6 address. */
function nameIn(host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (address ?? name).toLowerCase();
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
