import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Log } from '../http/log.ts';
import { METRICS_TYPE, renderMetrics } from './render.ts';
import type { ProcessReport } from './report.ts';
import { describeStatus } from './status.ts';

/** Options of a metrics server. */
export interface MetricsServerOptions {
  /** Makes the reports of all processes. */
  read: () => Promise<ProcessReport[]>;
  log: Log;
  /** Names with dots that clients may reach it by. IP addresses and names without dots always work. */
  names?: readonly string[];
}

/** A body and its media type. */
interface Content {
  type: string;
  text: string;
}

/** It must not use up the descriptors that are kept for it. */
const MAX_CONNECTIONS = 16;

/** Its addresses. */
export const METRICS_PATHS = ['/metrics', '/statusz'] as const;

/** Makes the content of each address. */
type Pages = Record<(typeof METRICS_PATHS)[number], () => Promise<Content>>;

/**
 * Serves `/metrics` and `/statusz` on a separate port, which only operators reach. It also responds when the gateway's server is
 * overloaded, and its requests are not in the metrics.
 */
export class MetricsServer {
  readonly #server: Server;
  readonly #log: Log;
  readonly #names: readonly string[];

  constructor({ read, log, names = [] }: MetricsServerOptions) {
    this.#log = log;
    this.#names = names;
    const pages: Pages = {
      '/metrics': async () => ({
        type: METRICS_TYPE,
        text: await renderMetrics((await read()).map(({ metrics }) => metrics)),
      }),
      '/statusz': async () => ({
        type: 'application/json; charset=utf-8',
        text: `${JSON.stringify(describeStatus(await read()), null, 2)}\n`,
      }),
    };
    this.#server = createServer((request, response) => void this.#respond(pages, request, response));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** The server; the caller makes it listen. */
  get server(): Server {
    return this.#server;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(
    pages: Pages,
    { url = '/', method = '', headers: { host } }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (host !== undefined && !this.#isKnown(nameIn(host))) return send(response, 421, plain(WRONG_NAME));
    const path = METRICS_PATHS.find((metricsPath) => metricsPath === url.split('?', 1)[0]);
    if (!path) return send(response, 404, plain(`expected ${METRICS_PATHS.join(' or ')}`));
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, plain('expected GET'));
    try {
      send(response, 200, await pages[path]());
    } catch (error) {
      this.#log.error('metrics failed', { error: error instanceof Error ? error.stack : String(error) });
      send(response, 500, plain('the metrics cannot be read; the failure was logged'));
    }
  }

  /** A page in a browser can reach this port by a name that its author lets resolve to it (DNS rebinding); such names have dots. */
  #isKnown(name: string): boolean {
    return isIP(name) !== 0 || (name !== '' && !name.includes('.')) || this.#names.includes(name);
  }
}

const WRONG_NAME =
  'Host is not a name of this port, expected an IP address, a name without dots, or one of --metrics-name (GATEWAY_METRICS_NAME)';

/** Returns the name in a Host header field, without the port and the brackets of an IPv6 address. */
function nameIn(host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (address ?? name).toLowerCase();
}

function plain(text: string): Content {
  return { type: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function send(response: ServerResponse, status: number, { type, text }: Content): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
