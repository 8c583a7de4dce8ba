import type { ServerResponse } from 'node:http';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import type { Holder } from '../access/account.ts';
import { Shares } from '../shares/shares.ts';
import { onClose } from '../pages/on-close.ts';
import type { UnsentLimits } from '../http/identified-response.ts';
import { UnsentOfVisitors, VISITOR_LIMITS, type VisitorLimits } from './unsent-of-visitors.ts';

/** How many bytes of responses may wait for clients to read them. */
export interface ByteLimits {
  /** For one account: its keys and addresses divide it. */
  account: number;
  /** For clients without an account. */
  visitors: VisitorLimits;
  /** For all clients of this process together. */
  process: number;
}

const MEBIBYTE = 1024 * 1024;
const LIMITS: ByteLimits = {
  account: 128 * MEBIBYTE,
  visitors: VISITOR_LIMITS,
  process: 512 * MEBIBYTE,
};
/** After how many seconds a client may try again: responses that make no progress are ended by then. */
const RETRY_SECONDS = 60;

/** Counts the bytes of responses that clients have not read yet, because they stay in memory until then. */
export class UnsentBytes implements UnsentLimits {
  readonly #limits: ByteLimits;
  readonly #accounts = new Map<string, Shares>();
  readonly #visitors: UnsentOfVisitors;
  #total = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
    this.#visitors = new UnsentOfVisitors(limits.visitors);
  }

  /** How many bytes wait to be read. */
  get total(): number {
    return this.#total;
  }

  /**
   * Checks whether one more response may wait.
   *
   * @throws HttpProblem `unread-responses` when the key or address has reached its part of the account's limit, or a visitor's network its own, `unavailable` when that of the process is
   */
  check(response: ServerResponse): void {
    if (this.#total === 0) return;
    const request = response.req as Incoming;
    const problem = request.holder ? this.#findProblem(request.holder) : this.#visitors.findProblem(request);
    if (problem) throw problem;
    if (this.#total >= this.#limits.process) {
      throw unavailable('too many responses wait for clients to read them');
    }
  }

  /** Counts the bytes of a response until it is sent, or its connection is closed. */
  hold(response: ServerResponse, bytes: number): void {
    const request = response.req as Incoming;
    this.#total += bytes;
    const release = this.#holdFor(request, bytes);
    onClose(response, () => {
      this.#total -= bytes;
      release();
    });
  }

  #findProblem(holder: Holder): HttpProblem | undefined {
    const shares = this.#accounts.get(holder.account);
    const waiting = shares?.usedBy(holder) ?? 0;
    const isFull = shares && waiting >= this.#limits.account * shares.partOf(holder);
    return isFull ? unreadResponses(waiting) : undefined;
  }

  #holdFor(request: Incoming, bytes: number): () => void {
    const { holder } = request;
    if (holder === undefined) return this.#visitors.hold(request, bytes);
    this.#add(holder, bytes);
    return () => this.#add(holder, -bytes);
  }

  #add(holder: Holder, bytes: number): void {
    const shares = this.#accounts.get(holder.account) ?? new Shares();
    shares.add(holder, bytes);
    if (shares.isUnused) this.#accounts.delete(holder.account);
    else this.#accounts.set(holder.account, shares);
  }
}

function unreadResponses(bytes: number): HttpProblem {
  return new HttpProblem(
    'unread-responses',
    `${Math.floor(bytes / MEBIBYTE)} MiB of responses wait for the clients with this key or address, which is its part of what the account may have waiting; read them before you send further requests`,
    {},
    { 'Retry-After': RETRY_SECONDS },
  );
}
