import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tier } from '../../gateway/access/account.ts';
import { BadAttempts } from '../../gateway/access/attempts.ts';
import { Links } from '../../gateway/api/links.ts';
import { ROUTES as routes } from '../../gateway/api/routes.ts';
import { type DistFollower, followDist } from '../../gateway/data/follow-dist.ts';
import type { GameBuild } from '../../gateway/data/game-build.ts';
import type { Endpoint, ResponseObserver } from '../../gateway/http/incoming.ts';
import { createLog, type Log } from '../../gateway/http/log.ts';
import { mcpEndpoint } from '../../gateway/mcp/mcp.ts';
import { readAlerts } from '../../gateway/people/alerts/channels.ts';
import { Gateway, type GatewayOptions } from '../../gateway/server.ts';
import { pageFrame } from '../../gateway/site/layout.ts';
import type { SiteServices } from '../../gateway/site/page-server.ts';
import { makePages } from '../../gateway/site/site.ts';
import { openStore as openStoreAt } from '../../gateway/store/open.ts';
import type { Store } from '../../gateway/store/sql.ts';
import type { BulkFormat } from '../../scripts/format/dist-format.ts';
import {
  checkAgainstGame,
  checkAgainstOpenApi,
  type TestResponse,
} from '../gateway/openapi/open-api-check.ts';
import { atEnd } from './at-end.ts';
import { buildGames } from './dist-fixture.ts';
import type { Files } from './fixtures.ts';
import { issueKey as issueAs } from './issue-key.ts';
import { listen } from './listen.ts';

/** A running gateway on a free port, over data that was compiled for it. */
export interface TestGateway {
  address: string;
  gateway: Gateway;
  follower: DistFollower;
  store: Store;
  /** The dist/ folder that it follows. */
  dist: string;
  /** The keys of a free and of a Pro account. */
  keys: Record<Tier, string>;
  /** The endpoints of its site. */
  pages: readonly Endpoint[];
  /** The lines that it logged. */
  logged: string[];
  /** Its clock, in ms since 1970; a test may set it. */
  clock: { now: number };
  /**
   * Sends a request, with the Pro key by default, and checks the response against the OpenAPI document.
   */
  ask(
    path: string,
    options?: { method?: string; key?: string | null; headers?: Record<string, string> },
  ): Promise<TestResponse & { json: <T = unknown>() => T }>;
  /** Stops it before the last test of the file has ended. */
  stop(): Promise<void>;
}

/** What a gateway's endpoints are built from. */
export type EndpointParts = Pick<
  GatewayOptions,
  'follower' | 'store' | 'log' | 'now' | 'routes' | 'clientAddress' | 'badAttempts'
> &
  Pick<Gateway, 'read'> & { hasSite: boolean };

/** A time after the release of every build in the fixtures, except those that test an embargo. */
export const NOON = Date.parse('2026-06-01T12:00:00Z');

/** How a test's gateway differs from the usual one. */
export interface TestGatewayOptions {
  /** The first time of its clock, in ms since 1970. */
  start?: number;
  /** Opens its store; without it, the gateway opens one in SQLITE. */
  openStore?: (log: Log) => Promise<Store>;
  /** Makes its endpoints besides those of the API. */
  endpoints?: (parts: EndpointParts) => Endpoint[];
  /** Changes the files of dist/ before the gateway starts. */
  prepare?: (dist: string) => Promise<void>;
  /** The formats of builds besides JSON. */
  formats?: readonly BulkFormat[];
  /** Called for each response. */
  observe?: ResponseObserver;
  /** Returns whether a request comes from a trusted proxy; without it, none does. */
  isFromProxy?: GatewayOptions['isFromProxy'];
  clientAddress?: GatewayOptions['clientAddress'];
  isHttpsOnly?: boolean;
  /** Whether it has the whole site. */
  hasSite?: boolean;
  /** How many pages of data a network opens in a minute before lists are refused. */
  pagesInMinute?: number;
  /** Who sees pictures. */
  images?: SiteServices['images'];
  /** Where Pro is sold, as the site shows it. */
  pro?: SiteServices['pro'];
}

/** The key for the secrets of a store. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/**
 * Compiles game folders and starts a gateway over them.
 *
 * @param files the data folder
 */
export async function startGateway(
  files: Files,
  {
    start = NOON,
    openStore,
    endpoints = () => [],
    isFromProxy,
    clientAddress = () => '127.0.0.1',
    isHttpsOnly = false,
    observe,
    prepare,
    formats,
    hasSite = true,
    pagesInMinute = 10_000,
    images = 'ask',
    pro = { price: undefined, links: [] },
  }: TestGatewayOptions = {},
): Promise<TestGateway> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-'));
  const dist = path.join(folder, 'dist');
  await buildGames(files, dist, formats);
  await prepare?.(dist);

  const clock = { now: start };
  const logged: string[] = [];
  const now = () => clock.now;
  const log = createLog(
    { write: (text) => logged.push(...text.trimEnd().split('\n')), on: () => {} },
    { now, access: true },
  );
  const follower = await followDist(dist, { now, log, interval: 20 });
  const store = await (openStore?.(log) ??
    openStoreAt(path.join(folder, 'store'), { now, secretKey: SECRET_KEY }));
  const read: Gateway['read'] = (asked, view) => gateway.read(asked, view);
  const shared = { follower, store, log, now, routes, read, clientAddress };
  const parts = { ...shared, badAttempts: new BadAttempts(), hasSite };
  const site = makePages({
    ...shared,
    pro,
    mode: hasSite ? 'full' : 'none',
    hasSignup: true,
    pagesInMinute,
    images,
    publicUrl: () => 'https://api.example.org',
    findUnreadiness: () => gateway.findUnreadiness(),
  });
  const gateway = new Gateway({
    ...parts,
    readAlerts: (account) => readAlerts(store, account),
    apiEndpoints: (api) => [mcpEndpoint({ api, log, publicUrl: () => address })],
    endpoints: [...endpoints(parts), ...site.endpoints],
    links: new Links(now, { secret: 'secret' }),
    frame: pageFrame(site.frame),
    isHttpsOnly,
    ...(isFromProxy && { isFromProxy }),
    observe,
  });
  const address = await listen(gateway.server);
  const keys = { free: await issueKey(store, 'free'), pro: await issueKey(store, 'pro') };

  let isRunning = true;
  const started: TestGateway = {
    address,
    gateway,
    follower,
    store,
    dist,
    keys,
    pages: site.endpoints,
    logged,
    clock,
    async ask(target, { method = 'GET', key = keys.pro, headers = {} } = {}) {
      const received = await fetch(address + target, {
        method,
        headers: { ...(key !== null && { 'x-api-key': key }), ...headers },
      });
      const text = await received.text();
      const response = { status: received.status, headers: received.headers, text };
      checkAgainstOpenApi(method, new URL(address + target), response);
      const game =
        received.status === 200 && method === 'GET' ? findBuild(follower, response, target) : undefined;
      if (game) await checkAgainstGame(new URL(address + target), response, game);
      return { ...response, json: <T>() => JSON.parse(text) as T };
    },
    async stop() {
      if (!isRunning) return;
      isRunning = false;
      await gateway.close();
      follower.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
  atEnd(started.stop);
  return started;
}

/** The build in memory that a JSON response below /api/ is from; undefined if there is none, or more than one. */
function findBuild(
  { catalog }: DistFollower,
  { headers }: TestResponse,
  target: string,
): GameBuild | undefined {
  const isJson = headers.get('content-type')?.startsWith('application/json');
  const slug = /^\/api\/([^/?]+)\//.exec(target)?.[1];
  const build = headers.get('game-build');
  const [game, ...others] = catalog.loaded.filter((each) => each.slug === slug && each.build === build);
  return isJson && others.length === 0 ? game : undefined;
}

/** Issues a key to an account of the tier. */
export async function issueKey(store: Store, tier: Tier, email = `${tier}@example.org`): Promise<string> {
  return (await issueAs(store, { email, grant: { tier, pro_until: null } })).secret;
}
