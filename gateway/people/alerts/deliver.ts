import { LRUCache } from 'lru-cache';
import type { Claim } from '../jobs/queue.ts';
import { tierAt } from '../../access/account.ts';
import type { Store } from '../../store/sql.ts';
import { findAccounts } from '../accounts/account-records.ts';
import type { Channel, Recipient } from './channels/channel.ts';
import { type Delivery, isOn } from './delivery.ts';
import { type GameEvent, makeTestEvent } from './events/event.ts';
import { findEvent } from './events/event-log.ts';
import { MAX_ATTEMPTS } from './outcome.ts';
import type { Ended } from './settle.ts';
import { findSubscriptions } from './subscription.ts';

/** Options of a `Deliverer`. */
export interface DelivererOptions {
  channel: Channel;
  store: Store;
  /** ms since 1970. */
  now: () => number;
}

/** How many events are cached. */
const MAX_EVENTS = 100;

/** Makes the deliveries of one channel: finds the recipient and the event of each, and sends it. */
export class Deliverer {
  readonly #channel: Channel;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #events = new LRUCache<number, GameEvent>({ max: MAX_EVENTS });

  constructor({ channel, store, now }: DelivererOptions) {
    this.#channel = channel;
    this.#store = store;
    this.#now = now;
  }

  /** Finds the recipient of each delivery; undefined when the account may not get it or no longer wants it. */
  async findRecipients(claims: readonly Claim<Delivery>[]): Promise<(Recipient | undefined)[]> {
    const ids = claims.map(({ job }) => job.account);
    const accounts = await findAccounts(this.#store, ids);
    const subscriptions = await findSubscriptions(this.#store, ids);
    return ids.map((id, index) => {
      const account = accounts.get(id);
      const subscription = subscriptions[index];
      if (!account || !subscription || tierAt(account, this.#now()) !== 'pro') return undefined;
      return isOn(subscription, this.#channel.name) ? { account, subscription } : undefined;
    });
  }

  /** Sends a delivery, unless its recipient or event no longer exists, or its last attempt never ended; `signal` aborts it. */
  async deliver(
    claim: Claim<Delivery>,
    recipient: Recipient | undefined,
    signal: AbortSignal,
  ): Promise<Ended> {
    if (claim.job.failures >= MAX_ATTEMPTS) return { claim };
    const event = recipient && (await this.#findEvent(claim));
    if (!event) return { claim };
    const begun = performance.now();
    const outcome = await this.#channel.send(event, recipient, signal);
    return { claim, attempt: { event, recipient, outcome, ms: Math.round(performance.now() - begun) } };
  }

  async #findEvent({ id, job }: Claim<Delivery>): Promise<GameEvent | undefined> {
    if (job.event === null) return makeTestEvent(id, this.#now());
    const event = this.#events.get(job.event) ?? (await findEvent(this.#store, job.event));
    if (event) this.#events.set(job.event, event);
    return event;
  }
}
