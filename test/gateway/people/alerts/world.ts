import type { LogFields } from '../../../../gateway/http/log.ts';
import { findAccount } from '../../../../gateway/store/accounts.ts';
import { type Alerts, startAlerts } from '../../../../gateway/people/alerts/alerts.ts';
import { type Attempt, listAttempts } from '../../../../gateway/people/alerts/attempts.ts';
import { feedEndpoint } from '../../../../gateway/people/alerts/events/feed.ts';
import { changeSubscription, type Subscription } from '../../../../gateway/people/alerts/subscription.ts';
import { createWebhookSecret } from '../../../../scripts/notices/webhook-signature.ts';
import { Vault } from '../../../../gateway/people/alerts/vault.ts';
import type { Mailer } from '../../../../gateway/people/mail/mailer.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
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
  alerts: Alerts;
  /** The messages that the alerts logged as errors, with their fields. */
  errors: { message: string; fields: LogFields }[];
  stop(): Promise<void>;
}

/** Parts of a subscription; `url` is the URL of its webhook, `discord` and `slack` those of chat services. */
type SubscriptionChanges = Partial<Omit<Subscription, 'webhook' | 'discord' | 'slack'>> & {
  url?: string;
  discord?: string;
  slack?: string;
};

/** Starts a gateway with alerts, which check for due work every 20 ms. */
export async function startAlertWorld(
  files: Files,
  mailer?: Mailer,
  vault = new Vault([]),
): Promise<AlertWorld> {
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
    ...{ follower, store, log, now, mailer, policy, vault, interval: 20 },
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
    alerts,
    errors,
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
  { url, discord, slack, ...changes }: SubscriptionChanges,
): Promise<string> {
  await issueKey(store, 'pro', email);
  const account = await findAccount(store, email);
  if (!account) throw new Error('no account');
  const webhook = url === undefined ? null : { url, secret: createWebhookSecret(), disabled: null };
  const hookTo = (address: string | undefined) =>
    address === undefined ? null : { address, shown: 'https://chat.example/…', disabled: null };
  await changeSubscription(store, account.id, (subscription) => ({
    ...{ ...subscription, webhook, discord: hookTo(discord), slack: hookTo(slack) },
    ...changes,
  }));
  return account.id;
}

/** Formats a time as dist/ does: ISO 8601 UTC, in seconds. */
export function isoAt(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, '');
}
