import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DistFollower } from '../../catalog/follow-dist.ts';
import { keepTrying } from '../../jobs/keep-trying.ts';
import type { Log } from '../../log/log.ts';
import type { Store } from '../../store/store.ts';
import type { Mailer } from '../mail/mailer.ts';
import { mailChannel, webhookChannel } from './channel.ts';
import { createDispatcher } from './dispatch.ts';
import { fanOutNext } from './fan-out.ts';
import type { AddressPolicy } from './public-address.ts';
import { createRaiser } from './raise.ts';

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

/** Alerts at work. */
export interface Alerts {
  /** Ends what is under way, or leaves it to other gateways. */
  close(): Promise<void>;
}

/** Twice what the slowest delivery takes, which is a mail. */
const LEASE_MS = 60_000;
/** An event is raised, fanned out and begun within two of these. */
const INTERVAL_MS = 400;
/** How long what has ended waits to be written down, in ms. */
const SETTLE_MS = 20;

/**
 * Starts alerts: raises the events of a dist/, makes deliveries of them, and sends those. All gateways on a store do so side by side, and
 * each event, page of followers and delivery is done by one of them.
 */
export function startAlerts({
  follower,
  store,
  log,
  now,
  mailer,
  policy,
  lease = LEASE_MS,
  interval = INTERVAL_MS,
}: AlertOptions): Alerts {
  let isOpen = true;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let soon: NodeJS.Timeout | undefined;

  const raiser = createRaiser(follower, { store, log, now });
  const channels = [webhookChannel(policy, now), ...(mailer ? [mailChannel(mailer)] : [])];
  const dispatchers = channels.map((channel) =>
    createDispatcher(channel, { store, log, now, lease, onEnd: () => wakeSoon() }),
  );
  const steps = [
    ...dispatchers.map(({ settle }) => settle),
    raiser.raise,
    () => fanOutNext(store, now, lease),
    ...dispatchers.map(({ begin }) => begin),
  ].map((step) => keepTrying(step, log, 'alerts wait'));
  /** Takes steps until none has anything to do. */
  const work = async () => {
    for (let isBusy = true; isBusy && isOpen; ) {
      isBusy = false;
      for (const step of steps) {
        isBusy = (await step()) || isBusy;
        // LMDB answers within the turn: without this no request would be answered before all is done.
        await nextTurn();
      }
    }
  };
  const wake = () => {
    isWanted = running !== undefined;
    if (!isOpen || running) return;
    running = work().finally(() => {
      running = undefined;
      if (isWanted) wakeSoon();
    });
  };
  // What ends at about the same time is written down together.
  const wakeSoon = () => {
    if (!isOpen) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      wake();
    }, SETTLE_MS);
  };
  const timer = setInterval(wake, interval);
  timer.unref();
  wake();

  return {
    async close() {
      isOpen = false;
      clearInterval(timer);
      clearTimeout(soon);
      await running;
      await Promise.all(dispatchers.map(({ close }) => close()));
    },
  };
}
