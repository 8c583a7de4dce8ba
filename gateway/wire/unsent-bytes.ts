import type { ServerResponse } from 'node:http';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import { onClose } from './on-close.ts';

/** How many bytes of responses may wait for clients to read them. */
export interface UnsentLimits {
  /** For all clients of one account together. All clients without an account count as one account. */
  account: number;
  /** For all clients of this process together. */
  process: number;
}

const MEBIBYTE = 1024 * 1024;
const LIMITS: UnsentLimits = { account: 128 * MEBIBYTE, process: 512 * MEBIBYTE };
/** After how many seconds a client may try again: responses that make no progress are ended by then. */
const RETRY_SECONDS = 60;

/** Counts the bytes of responses that clients have not read yet, because they stay in memory until then. */
export class UnsentBytes {
  readonly #limits: UnsentLimits;
  readonly #accounts = new Map<string, number>();
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
   * @throws HttpProblem `unread-responses` when the account's limit is reached, `unavailable` when that of the process is
   */
  check(response: ServerResponse): void {
    if (this.#total === 0) return;
    const waiting = this.#accounts.get(accountOf(response)) ?? 0;
    if (waiting >= this.#limits.account) throw unreadResponses(waiting);
    if (this.#total >= this.#limits.process) {
      throw unavailable('too many responses wait for clients to read them');
    }
  }

  /** Counts the bytes of a response until it is sent, or its connection is closed. */
  hold(response: ServerResponse, bytes: number): void {
    const account = accountOf(response);
    this.#add(account, bytes);
    onClose(response, () => this.#add(account, -bytes));
  }

  #add(account: string, bytes: number): void {
    this.#total += bytes;
    const waiting = (this.#accounts.get(account) ?? 0) + bytes;
    if (waiting === 0) this.#accounts.delete(account);
    else this.#accounts.set(account, waiting);
  }
}

function accountOf({ req }: ServerResponse): string {
  return (req as Incoming).account ?? '';
}

function unreadResponses(bytes: number): HttpProblem {
  return new HttpProblem(
    'unread-responses',
    `${Math.floor(bytes / MEBIBYTE)} MiB of responses wait for the clients of this account, which is the maximum; read them before you send further requests`,
    {},
    { 'Retry-After': RETRY_SECONDS },
  );
}
