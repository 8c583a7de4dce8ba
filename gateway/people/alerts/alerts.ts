import type { DistFollower } from '../../data/follow-dist.ts';
import { countDueJobs, type DueJobs } from '../jobs/queue.ts';
import { reportFailures } from '../jobs/report-failures.ts';
import { StepRunner } from '../jobs/run-steps.ts';
import type { Vault } from './vault.ts';
import type { Log } from '../../http/log.ts';
import type { Store } from '../../store/sql.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { ChannelName } from './attempts.ts';
import { mailChannel, postChannel } from './channels/channel.ts';
import { CHANNELS, DELIVERIES, POST_CHANNELS } from './delivery.ts';
import { Dispatcher, type OutcomeCounts } from './dispatch.ts';
import { fanOutNext } from './fan-out.ts';
import type { AddressPolicy } from './channels/public-address.ts';
import { Raiser } from './events/raise.ts';

/** Options of alerts. */
export interface AlertOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Without it, mails wait in the queue for a gateway that has a mailer, for a week at most. */
  mailer?: Mailer | undefined;
  policy: AddressPolicy;
  /** Reads the secrets of webhooks, and the addresses of chat services. */
  vault: Vault;
  /** The public URL of the gateway, without a path: messages link to its pages. */
  publicUrl: () => string;
  /** Whether it has pages about games. */
  hasSite: boolean;
  /** After how long another gateway may claim an unfinished delivery, in ms. */
  lease?: number;
  /** How often to check for due work, in ms. */
  interval?: number;
}

/** The state of a channel's deliveries. */
export interface ChannelState {
  channel: ChannelName;
  /** The deliveries in the store that are due, at most `MAX_COUNTED` of them. */
  due: DueJobs;
  /** The outcomes of this process's attempts; undefined when it has no such channel. */
  outcomes: Readonly<OutcomeCounts> | undefined;
}

/** The maximum number of due deliveries that are counted, so that counting in SQLite does not delay requests. */
export const MAX_COUNTED = 1000;
/** Twice the time of the slowest delivery, which is a mail. */
const LEASE_MS = 60_000;
/** An event is raised and fanned out, and its deliveries begin, within two intervals. */
const INTERVAL_MS = 400;

/**
 * Starts raising the events of a dist/ and delivering them. All gateways on a store share this work: each event, page of followers and
 * delivery is handled by one of them.
 */
export function startAlerts(options: AlertOptions): Alerts {
  const alerts = new Alerts(options);
  alerts.start();
  return alerts;
}

/** Running alerts. */
export class Alerts {
  readonly #dispatchers: readonly Dispatcher[];
  readonly #runner: StepRunner;
  readonly #options: AlertOptions;

  constructor(options: AlertOptions) {
    this.#options = options;
    const { follower, store, log, now, lease = LEASE_MS, interval = INTERVAL_MS } = options;
    const raiser = new Raiser({ follower, store, log, now });
    this.#dispatchers = listChannels(options).map(
      (channel) => new Dispatcher({ channel, store, log, now, lease, onEnd: () => this.#runner.wakeSoon() }),
    );
    const steps = [
      ...this.#dispatchers.map((dispatcher) => () => settleSome(dispatcher)),
      () => raiser.raise(),
      () => fanOutNext(store, now, lease),
      ...this.#dispatchers.map((dispatcher) => () => dispatcher.begin()),
    ].map((step) => reportFailures(step, log, 'alerts failed, and will be retried'));
    this.#runner = new StepRunner({ steps, interval });
  }

  /** Starts now instead of after the first interval. */
  start(): void {
    this.#runner.wake();
  }

  /**
   * Reads the state of each channel's deliveries.
   *
   * @throws StoreError when the store does not respond
   */
  async readState(): Promise<ChannelState[]> {
    const { store, now } = this.#options;
    return await Promise.all(
      CHANNELS.map(async (channel) => ({
        channel,
        due: await countDueJobs(store, DELIVERIES[channel], now(), MAX_COUNTED),
        outcomes: this.#dispatchers.find((dispatcher) => dispatcher.channel === channel)?.outcomes,
      })),
    );
  }

  /** Finishes the deliveries under way, or leaves them to other gateways. */
  async close(): Promise<void> {
    await this.#runner.close();
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.close()));
  }
}

/** Writes what has ended so far. More is written with what ends next: each transaction waits for the disk. */
async function settleSome(dispatcher: Dispatcher): Promise<boolean> {
  await dispatcher.settle();
  return false;
}

function listChannels({ mailer, ...options }: AlertOptions) {
  const posting = POST_CHANNELS.map((name) => postChannel(name, options));
  return [...posting, ...(mailer ? [mailChannel(mailer)] : [])];
}
