import type { ServerResponse } from 'node:http';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import { type Holder, Shares } from '../plans/shares.ts';
import { onClose } from './on-close.ts';

/** How many bytes of responses may wait for clients to read them. */
export interface UnsentLimits {
  /** For one account: its keys and addresses divide it. All clients without an account count as one account. */
  account: number;
  /** For all clients of this process together. */
  process: number;
}

/** All clients without an account. */
const NOBODY: Holder = { account: '', secret: '', weight: 1 };
const MEBIBYTE = 1024 * 1024;
const LIMITS: UnsentLimits = { account: 128 * MEBIBYTE, process: 512 * MEBIBYTE };
/** After how many seconds a client may try again: responses that make no progress are ended by then. */
const RETRY_SECONDS = 60;

/** Counts the bytes of responses that clients have not read yet, because they stay in memory until then. */
export class UnsentBytes {
  readonly #limits: UnsentLimits;
  readonly #accounts = new Map<string, Shares>();
  #total = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** How many bytes wait to be read. */
  get total(): number {
    return this.#total;
  }

  /**
   * Checks whether one more response may wait.
   *
   * @throws HttpProblem `unread-responses` when the key or address has reached its part of the account's limit, `unavailable` when that of the process is
   */
  check(response: ServerResponse): void {
    if (this.#total === 0) return;
    const holder = holderOf(response);
    const shares = this.#accounts.get(holder.account);
    const waiting = shares?.usedBy(holder) ?? 0;
    if (shares && waiting >= this.#limits.account * shares.partOf(holder)) throw unreadResponses(waiting);
    if (this.#total >= this.#limits.process) {
      throw unavailable('too many responses wait for clients to read them');
    }
  }

  /** Counts the bytes of a response until it is sent, or its connection is closed. */
  hold(response: ServerResponse, bytes: number): void {
    const holder = holderOf(response);
    this.#add(holder, bytes);
    onClose(response, () => this.#add(holder, -bytes));
  }

  #add(holder: Holder, bytes: number): void {
    this.#total += bytes;
    const shares = this.#accounts.get(holder.account) ?? new Shares();
    shares.add(holder, bytes);
    if (shares.isUnused) this.#accounts.delete(holder.account);
    else this.#accounts.set(holder.account, shares);
  }
}

function holderOf({ req }: ServerResponse): Holder {
  return (req as Incoming).holder ?? NOBODY;
}

function unreadResponses(bytes: number): HttpProblem {
  return new HttpProblem(
    'unread-responses',
    `${Math.floor(bytes / MEBIBYTE)} MiB of responses wait for the clients with this key or address, which is its part of what the account may have waiting; read them before you send further requests`,
    {},
    { 'Retry-After': RETRY_SECONDS },
  );
}
