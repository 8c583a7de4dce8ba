import type { DistFollower } from '../../catalog/follow-dist.ts';
import { reportFailures } from '../../jobs/report-failures.ts';
import { StepRunner } from '../../jobs/run-steps.ts';
import type { Log } from '../../log/log.ts';
import type { Store } from '../../store/store.ts';
import type { Mailer } from '../mail/mailer.ts';
import { mailChannel, webhookChannel } from './channel.ts';
import { Dispatcher } from './dispatch.ts';
import { fanOutNext } from './fan-out.ts';
import type { AddressPolicy } from './public-address.ts';
import { Raiser } from './raise.ts';

/** What alerts are made of. */
export interface AlertOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** What mails leave by; without it, mails wait for a gateway that has one, a week at most. */
  mailer?: Mailer | undefined;
  policy: AddressPolicy;
  /** How long a delivery may take before another gateway takes it for lost, in ms. */
  lease?: number;
  /** How often to look for what is due, in ms. */
  interval?: number;
}

/** Twice what the slowest delivery takes, which is a mail. */
const LEASE_MS = 60_000;
/** An event is raised, fanned out and begun within two of these. */
const INTERVAL_MS = 400;

/**
 * Starts alerts: raises the events of a dist/, makes deliveries of them, and sends those. All gateways on a store do so side by side, and
 * each event, page of followers and delivery is done by one of them.
 */
export function startAlerts(options: AlertOptions): Alerts {
  const alerts = new Alerts(options);
  alerts.start();
  return alerts;
}

/** Alerts at work. */
export class Alerts {
  readonly #dispatchers: readonly Dispatcher[];
  readonly #runner: StepRunner;

  constructor(options: AlertOptions) {
    const { follower, store, log, now, lease = LEASE_MS, interval = INTERVAL_MS } = options;
    const raiser = new Raiser({ follower, store, log, now });
    this.#dispatchers = listChannels(options).map(
      (channel) => new Dispatcher({ channel, store, log, now, lease, onEnd: () => this.#runner.wakeSoon() }),
    );
    const steps = [
      ...this.#dispatchers.map((dispatcher) => () => dispatcher.settle()),
      () => raiser.raise(),
      () => fanOutNext(store, now, lease),
      ...this.#dispatchers.map((dispatcher) => () => dispatcher.begin()),
    ].map((step) => reportFailures(step, log, 'alerts wait'));
    this.#runner = new StepRunner({ steps, interval });
  }

  /** Begins at once, not only after the first interval. */
  start(): void {
    this.#runner.wake();
  }

  /** Ends what is under way, or leaves it to other gateways. */
  async close(): Promise<void> {
    await this.#runner.close();
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.close()));
  }
}

function listChannels({ policy, now, mailer }: AlertOptions) {
  return [webhookChannel(policy, now), ...(mailer ? [mailChannel(mailer)] : [])];
}
