import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { People } from '../../gateway/api/people.ts';
import { type DistFollower, followDist } from '../../gateway/catalog/follow-dist.ts';
import type { Endpoint } from '../../gateway/http/endpoint.ts';
import { createKey } from '../../gateway/keys/api-key.ts';
import { createLog, type Log } from '../../gateway/log/log.ts';
import * as accounts from '../../gateway/people/accounts/accounts.ts';
import { peopleServices } from '../../gateway/people/people.ts';
import type { Tier } from '../../gateway/plans/account.ts';
import { Gateway, type GatewayOptions } from '../../gateway/server.ts';
import { openLmdbStore } from '../../gateway/store/lmdb-store.ts';
import type { Store } from '../../gateway/store/store.ts';
import { buildGames } from './dist-fixture.ts';
import type { Files } from './fixtures.ts';
import { checkAgainstOpenApi, type TestAnswer } from './open-api-check.ts';

/** A running gateway on a free port, over data that was compiled for it. */
export interface TestGateway {
  address: string;
  gateway: Gateway;
  follower: DistFollower;
  store: Store;
  /** The folder that it follows. */
  dist: string;
  /** Keys of a free and a Pro account. */
  keys: Record<Tier, string>;
  /** What it logged, a line an entry. */
  logged: string[];
  /** The time that it believes it is, in ms since 1970; may be set. */
  clock: { now: number };
  /** Asks with the Pro key, which has no caps, unless told otherwise, and holds the answer against the OpenAPI document; of a stream, its head. */
  ask(
    path: string,
    options?: { method?: string; key?: string | null; headers?: Record<string, string> },
  ): Promise<TestAnswer & { json: <T = unknown>() => T }>;
  stop(): Promise<void>;
}

/** What a gateway's endpoints are made of. */
export type EndpointParts = Pick<GatewayOptions, 'follower' | 'store' | 'log' | 'now'>;

/** A time after every build of the fixtures but those that are embargoed on purpose. */
export const NOON = Date.parse('2026-06-01T12:00:00Z');

/** How a test's gateway differs from the usual one. */
export interface TestGatewayOptions {
  /** The time that the gateway believes it is, in ms since 1970. */
  start?: number;
  /** Opens its store; without it, it has one of its own. */
  openStore?: (log: Log) => Promise<Store>;
  /** Makes what it responds to besides the API. */
  endpoints?: (parts: EndpointParts) => Endpoint[];
  /** What it knows about people; without it, what the accounts in its store say. */
  people?: (store: Store) => People;
}

let plainHttp = false;

/** Has every gateway that starts from now on in this process leave responses to node:http. */
export function usePlainHttp(): void {
  plainHttp = true;
}

/**
 * Compiles game folders and starts a gateway over them.
 *
 * @param files the data folder
 */
export async function startGateway(
  files: Files,
  { start = NOON, openStore, endpoints = () => [], people = peopleServices }: TestGatewayOptions = {},
): Promise<TestGateway> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-'));
  const dist = path.join(folder, 'dist');
  await buildGames(files, dist);

  const clock = { now: start };
  const logged: string[] = [];
  const now = () => clock.now;
  const log = createLog(
    { write: (text) => logged.push(...text.trimEnd().split('\n')), on: () => {} },
    { now, access: true },
  );
  const follower = await followDist(dist, { now, log, interval: 20 });
  const store = await (openStore?.(log) ?? openLmdbStore(path.join(folder, 'store'), { now }));
  const gateway = new Gateway({
    follower,
    store,
    people: people(store),
    log,
    now,
    endpoints: endpoints({ follower, store, log, now }),
    plainHttp,
  });
  await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
  const keys = { free: await issueKey(store, 'free'), pro: await issueKey(store, 'pro') };

  return {
    address,
    gateway,
    follower,
    store,
    dist,
    keys,
    logged,
    clock,
    async ask(target, { method = 'GET', key = keys.pro, headers = {} } = {}) {
      const response = await fetch(address + target, {
        method,
        headers: { ...(key !== null && { 'x-api-key': key }), ...headers },
      });
      const isStream = response.headers.get('content-type') === 'text/event-stream';
      if (isStream) await response.body?.cancel();
      const text = isStream ? '' : await response.text();
      const answer = { status: response.status, headers: response.headers, text };
      checkAgainstOpenApi(method, new URL(address + target), answer);
      return { ...answer, json: <T>() => JSON.parse(answer.text) as T };
    },
    async stop() {
      await gateway.close();
      follower.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Issues a key to an account of the tier. */
export async function issueKey(store: Store, tier: Tier, email = `${tier}@example.org`): Promise<string> {
  const { key, prefix, hash } = createKey();
  await accounts.issueKey(store, {
    email,
    prefix,
    hash,
    grant: { tier, pro_until: null },
    now: NOON,
  });
  return key;
}
