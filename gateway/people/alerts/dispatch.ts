import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Claim, claimJobs } from '../jobs/queue.ts';
import type { Log } from '../../http/log.ts';
import { type Store, StoreError } from '../../store/sql.ts';
import { transact } from '../../store/records.ts';
import { type ChannelName, trimAttempts } from './attempts.ts';
import type { Channel, Recipient } from './channels/channel.ts';
import { Deliverer } from './deliver.ts';
import { addFailure, DELIVERIES, type Delivery } from './delivery.ts';
import type { Outcome } from './outcome.ts';
import { type Ended, settleDelivery } from './settle.ts';
import { Slots } from './slots.ts';

/** Options of a `Dispatcher`. */
export interface DispatchOptions {
  channel: Channel;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** How long a delivery is held, in ms; then other gateways may claim it. */
  lease: number;
  /** Called when a delivery has ended. */
  onEnd(): void;
}

/** How many attempts had each outcome. */
export type OutcomeCounts = Record<Outcome['kind'], number>;

/** How many deliveries one transaction claims or settles. */
const BATCH = 128;
/** A recipient that needs as long as this is treated like one that fails, so that it does not hold up others. */
const SLOW_MS = 5000;
/** When shutting down: how long deliveries may take to finish, and then to abort. */
const GRACE_MS = 3000;

/** Claims the deliveries of one channel from the queue, has them delivered, and writes the outcomes. */
export class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #deliverer: Deliverer;
  readonly #slots: Slots;
  readonly #underWay = new Set<Promise<void>>();
  readonly #interrupt = new AbortController();
  readonly #outcomes: OutcomeCounts = {
    delivered: 0,
    failed: 0,
    refused: 0,
    gone: 0,
    interrupted: 0,
    waiting: 0,
  };
  #ended: Ended[] = [];

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#deliverer = new Deliverer(options);
    this.#slots = new Slots(options.channel.slots);
    setMaxListeners(0, this.#interrupt.signal);
  }

  /** The outcomes of attempts since the start, by kind. */
  get outcomes(): Readonly<OutcomeCounts> {
    return this.#outcomes;
  }

  /** The name of its channel. */
  get channel(): ChannelName {
    return this.#options.channel.name;
  }

  /** Starts due deliveries that have a free slot. @returns whether there may be more: it started as many as one transaction claims */
  async begin(): Promise<boolean> {
    const { channel, store, now, lease } = this.#options;
    const choose = this.#slots.plan();
    const terms = { now: now(), lease, limit: BATCH, choose, afterLease: addFailure };
    const claims = await claimJobs(store, DELIVERIES[channel.name], terms);
    if (claims.length === 0) return false;
    const recipients = await this.#deliverer.findRecipients(claims);
    for (const [index, claim] of claims.entries()) this.#start(claim, recipients[index]);
    return claims.length === BATCH;
  }

  /** Writes the outcomes of the deliveries that have ended. @returns whether there were any */
  async settle(): Promise<boolean> {
    const isIdle = this.#ended.length === 0;
    while (this.#ended.length > 0) {
      const batch = this.#ended.splice(0, BATCH);
      try {
        await this.#settleBatch(batch);
      } catch (error) {
        this.#ended = [...batch, ...this.#ended];
        throw error;
      }
    }
    return !isIdle;
  }

  /** Waits for the deliveries under way, then aborts the rest, so that other gateways can claim them. */
  async close(): Promise<void> {
    const all = Promise.all(this.#underWay);
    await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
    this.#interrupt.abort();
    await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
    try {
      await this.settle();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #start(claim: Claim<Delivery>, recipient: Recipient | undefined): void {
    const release = this.#slots.take(claim.job);
    const done = this.#deliver(claim, recipient).finally(() => {
      release();
      this.#underWay.delete(done);
      this.#options.onEnd();
    });
    this.#underWay.add(done);
  }

  async #deliver(claim: Claim<Delivery>, recipient: Recipient | undefined): Promise<void> {
    const { now } = this.#options;
    const begun = now();
    try {
      const ended = await this.#deliverer.deliver(claim, recipient, this.#interrupt.signal);
      if (ended.attempt) {
        const isSlow = now() - begun >= SLOW_MS;
        this.#slots.note(claim.job.account, isSlow || ended.attempt.outcome.kind !== 'delivered');
        this.#note(claim.job, ended.attempt.outcome);
      }
      this.#ended.push(ended);
    } catch (error) {
      // The job stays claimed until its lease ends, and is then retried with one more failure.
      const { channel, log } = this.#options;
      log.error('a delivery failed', { channel: channel.name, error: describeError(error) });
    }
  }

  #note({ account, failures }: Delivery, outcome: Outcome): void {
    this.#outcomes[outcome.kind]++;
    if (outcome.kind === 'delivered' || outcome.kind === 'interrupted') return;
    const { channel, log } = this.#options;
    const { kind, detail } = outcome;
    const error = (kind === 'failed' && outcome.cause) || detail;
    log.error('an alert could not be sent', {
      ...{ channel: channel.name, account, attempt: failures + 1 },
      ...{ outcome: kind, error },
    });
  }

  async #settleBatch(batch: readonly Ended[]): Promise<void> {
    const { channel, store, now } = this.#options;
    await transact(store, async (transaction) => {
      for (const end of batch) await settleDelivery(transaction, channel.name, end, now());
    });
    const accounts = new Set(batch.flatMap(({ attempt }) => attempt?.recipient.account.id ?? []));
    for (const account of accounts) await trimAttempts(store, account);
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
