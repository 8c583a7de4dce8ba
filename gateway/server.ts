import type { Server, ServerResponse } from 'node:http';
import { ADDRESSES } from './access/account.ts';
import type { BadAttempts } from './access/attempts.ts';
import { Authenticator } from './access/authenticate.ts';
import { Quota } from './access/quota.ts';
import { Api, type ApiIncoming, type Asked, toProblem } from './api/api.ts';
import type { Services } from './api/route.ts';
import { Archive } from './data/archive.ts';
import type { View } from './data/catalog.ts';
import type { DistFollower } from './data/follow-dist.ts';
import { HttpServer, type HttpServerOptions } from './http/http-server.ts';
import { type ClientAddress, type Endpoint, isApi, type PageFrame, prefersType } from './http/incoming.ts';
import { HttpProblem, moved, quote, unavailable } from './http/problem.ts';
import { ReplyCache, sendProblem } from './http/respond.ts';
import { serveAssets } from './site/files.ts';
import type { Store } from './store/sql.ts';

const REPLY_CACHE_BYTES = 64 * 1024 * 1024;

/** The parts of a gateway. Time is passed in, so that tests can set it. */
export interface GatewayOptions
  extends Pick<HttpServerOptions, 'log' | 'isHttpsOnly' | 'isFromProxy' | 'observe'>,
    Pick<Services, 'links' | 'routes' | 'readAlerts'> {
  follower: DistFollower;
  store: Store;
  clientAddress: ClientAddress;
  badAttempts: BadAttempts;
  /** ms since 1970. */
  now: () => number;
  /** Addresses besides the API, such as pages. */
  endpoints: readonly Endpoint[];
  /** Makes further addresses, which send requests to the API themselves. */
  apiEndpoints: (api: Api) => readonly Endpoint[];
  /** The layout of pages. */
  frame: PageFrame;
}

/** A gateway: an HTTP server with the API, endpoints and pages. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #archive: Archive;
  readonly #authenticator: Authenticator;
  readonly #api: Api;
  readonly #http: HttpServer;
  /** The server, which is not listening yet. */
  readonly server: Server;
  #isOpen = true;

  constructor(options: GatewayOptions) {
    const { follower, store, log, now, routes, links, readAlerts, clientAddress, badAttempts } = options;
    this.#options = options;
    this.#archive = new Archive(follower, log);
    this.#authenticator = new Authenticator({ store, log, clientAddress, badAttempts });
    const checkReadiness = () => {
      const fault = this.findUnreadiness();
      if (fault !== undefined) throw unavailable(fault);
    };
    const api = new Api({
      follower,
      now,
      authenticator: this.#authenticator,
      services: { store, readAlerts, archive: this.#archive, links, routes, checkReadiness },
      quota: new Quota(store, log),
      replies: new ReplyCache(REPLY_CACHE_BYTES),
    });
    this.#api = api;
    const fail: HttpServerOptions['fail'] = (...failed) => this.#fail(...failed);
    this.#http = new HttpServer({
      ...options,
      routes: routes.map((route) => ({ path: route.path, get: api.respond.bind(api, route) })),
      endpoints: [...options.endpoints, ...options.apiEndpoints(api)],
      files: serveAssets(fail),
      refuse: (request, problem) => (problem ? api.refuse(request, problem) : this.#refuseUnknown(request)),
      fail,
    });
    this.server = this.#http.server;
  }

  /** Makes the JSON of a 200 for a page, without a key. */
  read(asked: Asked, view: View): Promise<Buffer> {
    return this.#api.read(asked, view);
  }

  /** @returns why the gateway is not ready; undefined if it is */
  findUnreadiness(): string | undefined {
    if (!this.#isOpen) return 'the gateway is shutting down';
    return this.#authenticator.isReady ? undefined : 'the store does not respond';
  }

  /** Accepts no more connections, finishes the responses under way, and resolves when everything has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#http.close();
    await this.#archive.close();
    await this.#api.close();
    await this.#authenticator.close();
  }

  async #refuseUnknown(request: ApiIncoming): Promise<never> {
    delete request.pattern;
    const { path } = request;
    const near = path.replace(/\/+$/, '');
    const isSlip = near !== path && this.#http.has(near);
    if (isSlip && !isApi(near)) throw moved(near + request.search);
    const meant = isSlip ? `; did you mean ${quote(near)}, without a slash at its end?` : '';
    const detail = `nothing is at ${quote(path)}${meant}; /openapi.json lists all addresses`;
    const problem = new HttpProblem('not-found', detail);
    if (!isSlip) return await this.#api.refuse(request, problem);
    // An extra slash is a slip, and does not count as a request.
    await this.#api.identify(request);
    throw problem;
  }

  #fail(error: unknown, request: ApiIncoming, response: ServerResponse): void {
    if (response.writableEnded) return;
    const { frame, log } = this.#options;
    const isCutOff = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (response.headersSent) {
      if (!isCutOff) toProblem(error, log);
      response.destroy();
      return;
    }
    const problem = toProblem(error, log);
    const { path, headers, charge } = request;
    if (!isApi(path) && prefersType(headers.accept, 'text/html')) {
      frame.sendProblem(request, response, problem);
      return;
    }
    // The path of a read-only address is a secret, even if the address does not work.
    const secrecy = path.startsWith(`${ADDRESSES}/`) ? { 'Referrer-Policy': 'no-referrer' } : {};
    sendProblem(request, response, problem, { ...charge?.headers, ...secrecy });
  }
}
