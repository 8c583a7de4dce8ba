import type { LogFields } from '../../../../gateway/http/log.ts';
import { changeFollows, readSecret, readSubscription } from '../../../../gateway/people/alerts/channels.ts';
import { type Attempt, listAttempts, startAlerts } from '../../../../gateway/people/alerts/deliver.ts';
import { feedEndpoint } from '../../../../gateway/people/alerts/feed.ts';
import type { Mailer } from '../../../../gateway/people/mailer.ts';
import { findAccount } from '../../../../gateway/store/accounts.ts';
import { seal } from '../../../../gateway/store/secrets.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { createWebhookSecret } from '../../../../scripts/notices/webhook-signature.ts';
import { buildGames } from '../../../support/dist-fixture.ts';
import type { Files } from '../../../support/fixtures.ts';
import { issueKey, startGateway, type TestGateway } from '../../../support/harness.ts';
import { QUIET } from '../../../support/quiet.ts';

export const PUBLIC_URL = 'https://api.example.org';

/** A gateway with alerts, over games that a test can change. */
export interface AlertWorld {
  gateway: TestGateway;
  store: Store;
  /** The clock of the gateway and its alerts; starts at the real time. */
  clock: { now: number };
  /** Changes some of the games' files, and compiles dist/ again. */
  publish(changes: Files): Promise<void>;
  /** Makes an account with Pro and a subscription. @returns its id */
  subscribe(email: string, changes: SubscriptionChanges): Promise<string>;
  attempts(account: string): Promise<Attempt[]>;
  /** The messages that the alerts logged as errors, with their fields. */
  errors: { message: string; fields: LogFields }[];
  /** Stops the alerts only. */
  close(): Promise<void>;
  stop(): Promise<void>;
}

/** What an account follows, and its channels: the address of a webhook, and mail. */
interface SubscriptionChanges {
  follows?: readonly string[];
  url?: string;
  mail?: boolean;
}

/** Starts a gateway with alerts, which check for due work every 20 ms. */
export async function startAlertWorld(files: Files, mailer?: Mailer): Promise<AlertWorld> {
  const gateway = await startGateway(files, {
    start: Date.now(),
    endpoints: (parts) => [feedEndpoint({ ...parts, publicUrl: () => PUBLIC_URL })],
  });
  const { clock, store, follower } = gateway;
  const policy = { isStrict: false };
  const now = () => clock.now;
  const errors: AlertWorld['errors'] = [];
  const log = {
    ...QUIET,
    error: (message: string, fields: LogFields = {}) => errors.push({ message, fields }),
  };
  const alerts = startAlerts({
    follower,
    store,
    log,
    now,
    mailer,
    policy,
    interval: 20,
    publicUrl: () => PUBLIC_URL,
    hasSite: true,
  });
  const current = { ...files };
  return {
    gateway,
    store,
    clock,
    async publish(changes) {
      Object.assign(current, changes);
      await buildGames(current, gateway.dist);
    },
    subscribe: (email, changes) => subscribe(store, email, changes),
    attempts: (account) => listAttempts(store, account),
    errors,
    close: () => alerts.close(),
    async stop() {
      await alerts.close();
      await gateway.stop();
    },
  };
}

/** Makes an account with Pro and a subscription. @returns its id */
export async function subscribe(
  store: Store,
  email: string,
  { follows = [], url, mail = false }: SubscriptionChanges,
): Promise<string> {
  await issueKey(store, 'pro', email);
  const account = await findAccount(store, email);
  if (!account) throw new Error('no account');
  await changeFollows(store, account.id, { add: follows, remove: [] });
  if (mail) await setHook(store, account.id, 'mail', '');
  if (url !== undefined) await setHook(store, account.id, 'webhook', url);
  return account.id;
}

/** Writes the address of a channel into the store, without the checks of the form. */
export async function setHook(store: Store, account: string, kind: string, address: string): Promise<void> {
  const secret = kind === 'webhook' ? seal(store, createWebhookSecret(), account) : null;
  await store.run(
    `INSERT INTO channels (account, kind, sealed_address, shown, sealed_secret) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account, kind) DO UPDATE SET sealed_address = excluded.sealed_address, disabled_at = NULL`,
    [account, kind, seal(store, address, account), 'https://receiver.example/…', secret],
  );
}

/** Returns the secret that signs the events of an account. */
export async function secretOf(store: Store, account: string): Promise<string> {
  const { webhook } = (await readSubscription(store, account)).channels;
  return (webhook && readSecret(store, webhook)) ?? '';
}

/** Formats a time as dist/ does: ISO 8601 UTC, in seconds. */
export function isoAt(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, '');
}
