import { networkOf, siteOf } from '../networks/networks.ts';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';

/** How many bytes of responses may wait for clients without an account. */
export interface VisitorLimits {
  /** For all clients of one network: an IPv4 address, or the /64 of an IPv6 address. */
  network: number;
  /** For all clients of one IPv6 site, a /48. */
  site: number;
  /** For all of them together, so that some is left for clients with an account. */
  all: number;
}

const MEBIBYTE = 1024 * 1024;
/** After how many seconds a client may try again: responses that make no progress are ended by then. */
const RETRY_SECONDS = 60;
/** The limits of a process. */
export const VISITOR_LIMITS: VisitorLimits = {
  network: 32 * MEBIBYTE,
  site: 64 * MEBIBYTE,
  all: 256 * MEBIBYTE,
};

/** Counts the bytes that wait for clients without an account by their networks, so that one network cannot use up what others need. */
export class UnsentOfVisitors {
  readonly #limits: VisitorLimits;
  readonly #networks = new Map<string, number>();
  #total = 0;

  constructor(limits: VisitorLimits) {
    this.#limits = limits;
  }

  /** Finds why no further response may wait for a client; undefined when one may. */
  findProblem(request: Incoming): HttpProblem | undefined {
    if (this.#total === 0) return undefined;
    for (const { name, limit } of this.#countersOf(request)) {
      const waiting = this.#networks.get(name) ?? 0;
      if (waiting >= limit) return unreadByNetwork(waiting);
    }
    if (this.#total < this.#limits.all) return undefined;
    return unavailable('too many responses wait for visitors to read them');
  }

  /** Adds bytes that wait for a client. @returns what takes them away again */
  hold(request: Incoming, bytes: number): () => void {
    // When its connection has closed, its address is not known any more.
    const names = this.#countersOf(request).map(({ name }) => name);
    this.#add(names, bytes);
    return () => this.#add(names, -bytes);
  }

  #add(names: readonly string[], bytes: number): void {
    this.#total += bytes;
    for (const name of names) {
      const waiting = (this.#networks.get(name) ?? 0) + bytes;
      if (waiting === 0) this.#networks.delete(name);
      else this.#networks.set(name, waiting);
    }
  }

  #countersOf(request: Incoming): { name: string; limit: number }[] {
    const address = request.clientAddress?.(request) ?? request.socket.remoteAddress ?? '';
    const counters = [{ name: networkOf(address), limit: this.#limits.network }];
    const site = siteOf(address);
    if (site !== undefined) counters.push({ name: site, limit: this.#limits.site });
    return counters;
  }
}

function unreadByNetwork(bytes: number): HttpProblem {
  return new HttpProblem(
    'unread-responses',
    `${Math.floor(bytes / MEBIBYTE)} MiB of responses wait for clients of this network without a key, which is the maximum; read them before you send further requests`,
    {},
    { 'Retry-After': RETRY_SECONDS },
  );
}
