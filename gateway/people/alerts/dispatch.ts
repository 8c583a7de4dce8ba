import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Claim, claimJobs } from '../../jobs/queue.ts';
import type { Log } from '../../log/log.ts';
import { tierAt } from '../../plans/account.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { findAccounts } from '../accounts/accounts.ts';
import type { Channel, Recipient } from './channel.ts';
import { DELIVERIES, type Delivery, isOn } from './delivery.ts';
import { type GameEvent, makeTestEvent } from './event.ts';
import { findEvent } from './event-log.ts';
import { type Ended, settleDelivery } from './settle.ts';
import { createSlots } from './slots.ts';
import { findSubscriptions } from './subscription.ts';

/** Sends by one channel what waits for it. */
export interface Dispatcher {
  /** Begins what is due and has room. @returns whether something was begun */
  begin(): Promise<boolean>;
  /** Writes down what has ended. @returns whether something had */
  settle(): Promise<boolean>;
  /** Ends or breaks off what is under way, so that other gateways go on with it. */
  close(): Promise<void>;
}

/** What a dispatcher needs besides its channel. */
export interface DispatchOptions {
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** How long a delivery is held, in ms; others take it after that. */
  lease: number;
  /** Told when something has ended. */
  onEnd(): void;
}

/** How many are claimed, and how many written down, in one transaction. */
const BATCH = 64;
const MOST_EVENTS = 100;
/** How long what is under way may take while shutting down, in ms: to its end, and then to its breaking off. */
const GRACE_MS = 3000;

/** Makes what sends by a channel. */
export function createDispatcher(
  { name, slots: counts, send }: Channel,
  { store, log, now, lease, onEnd }: DispatchOptions,
): Dispatcher {
  const slots = createSlots(counts);
  const underWay = new Set<Promise<void>>();
  const events = new LRUCache<number, GameEvent>({ max: MOST_EVENTS });
  const interrupt = new AbortController();
  setMaxListeners(0, interrupt.signal);
  let ended: Ended[] = [];

  const eventOf = async ({ id, job }: Claim<Delivery>): Promise<GameEvent | undefined> => {
    if (job.event === null) return makeTestEvent(id, now());
    const event = events.get(job.event) ?? (await findEvent(store, job.event));
    if (event) events.set(job.event, event);
    return event;
  };
  const readRecipients = async (claims: readonly Claim<Delivery>[]): Promise<(Recipient | undefined)[]> => {
    const ids = claims.map(({ job }) => job.account);
    const accounts = await findAccounts(store, ids);
    const subscriptions = await findSubscriptions(store, ids);
    return ids.map((id, index) => {
      const account = accounts.get(id);
      const subscription = subscriptions[index];
      const isWanted =
        account && subscription && tierAt(account, now()) === 'pro' && isOn(subscription, name);
      return isWanted ? { account, subscription } : undefined;
    });
  };
  const deliver = async (claim: Claim<Delivery>, recipient: Recipient | undefined): Promise<void> => {
    const event = recipient && (await eventOf(claim));
    if (!event) {
      ended.push({ claim });
      return;
    }
    const outcome = await send(event, recipient, interrupt.signal);
    slots.note(recipient.account.id, outcome.kind !== 'delivered');
    ended.push({ claim, attempt: { event, recipient, outcome } });
  };
  const start = (claim: Claim<Delivery>, recipient: Recipient | undefined) => {
    const giveBack = slots.take(claim.job);
    const done = deliver(claim, recipient)
      // It is held until its lease ends, and then tried again.
      .catch((error: unknown) => log.error('a delivery failed', { channel: name, error: tell(error) }))
      .finally(() => {
        giveBack();
        underWay.delete(done);
        onEnd();
      });
    underWay.add(done);
  };
  const settle = async () => {
    const isIdle = ended.length === 0;
    while (ended.length > 0) {
      const batch = ended.splice(0, BATCH);
      try {
        await transact(store, async (transaction) => {
          for (const end of batch) await settleDelivery(transaction, name, end, now());
        });
      } catch (error) {
        ended = [...batch, ...ended];
        throw error;
      }
    }
    return !isIdle;
  };

  return {
    async begin() {
      const terms = { now: now(), lease, limit: BATCH, choose: slots.plan() };
      const claims = await claimJobs(store, DELIVERIES[name], terms);
      if (claims.length === 0) return false;
      const recipients = await readRecipients(claims);
      for (const [index, claim] of claims.entries()) start(claim, recipients[index]);
      return true;
    },
    settle,
    async close() {
      const all = Promise.all(underWay);
      await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
      interrupt.abort();
      await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
      try {
        await settle();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    },
  };
}

function tell(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
