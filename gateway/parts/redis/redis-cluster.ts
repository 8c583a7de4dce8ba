import clusterKeySlot from 'cluster-key-slot';
import { ErrorReply } from '@redis/client';
import type { Log } from '../../core/log/log.ts';
import type { Deadlines } from '../../core/store/deadlines.ts';
import type { RedisLayout } from './redis-layout.ts';
import { RedisLink } from './redis-link.ts';
import type { PatientCall, RedisServers } from './redis-servers.ts';
import { type Revision, StoreError } from '../../core/store/store.ts';

/** Options of a cluster. */
export interface RedisClusterOptions {
  /** `host:port` of some of its servers; the others are asked for. */
  hosts: readonly string[];
  /** Makes the address of a server. */
  urlOf: (host: string) => string;
  /** What messages call the cluster. */
  name: string;
  log?: Log | undefined;
  layout: RedisLayout;
  deadlines: Deadlines;
}

/** What `CLUSTER SLOTS` reports of some slots: the first and the last, then the servers that have them, their master first. */
type SlotRange = [first: number, last: number, master: [host: string | null, port: number], ...unknown[]];

const SLOTS = 16_384;
/** How often the cluster is asked which server has which slots while one does not respond, and how long that may take, in ms. */
const LOOK_MS = 1000;
const LOOK_PATIENCE_MS = 2000;
/** How often a call is sent to another server, because its slot has moved. */
const MAX_REDIRECTIONS = 5;

/**
 * The masters of a Redis Cluster, with one link to each: when one is away, calls on its slots fail at once, and others go on. The
 * room's README says why it is not the cluster client of `redis`.
 */
export class RedisCluster implements RedisServers {
  readonly #options: RedisClusterOptions;
  readonly #links = new Map<string, RedisLink>();
  /** Slot → `host:port` of its master. */
  #owners: readonly (string | undefined)[] = [];
  readonly #recordsSlot: number;
  #identity = '';
  #revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };
  #looks: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  private constructor(options: RedisClusterOptions) {
    this.#options = options;
    this.#recordsSlot = clusterKeySlot(options.layout.keysOfRecords([])[0] ?? '');
  }

  /**
   * Connects to a cluster.
   *
   * @throws StoreError when none of its servers responds within 5 seconds, or it is no cluster
   */
  static async open(options: RedisClusterOptions): Promise<RedisCluster> {
    const cluster = new RedisCluster(options);
    await cluster.#open();
    return cluster;
  }

  get identity(): string {
    return this.#identity;
  }

  expect(identity: string): void {
    this.#identity = identity;
    for (const link of this.#links.values()) link.expect(identity);
  }

  async run(call: PatientCall): Promise<unknown> {
    const slot = this.groupOf(call.keys[0] ?? '');
    let isAsking = false;
    let link = this.#linkOf(slot);
    for (let sent = 0; ; sent++) {
      try {
        return await link.run({ ...call, isAsking });
      } catch (error) {
        const redirection = readRedirection(error);
        if (!redirection) throw error;
        if (sent === MAX_REDIRECTIONS) throw new StoreError(`the store ${this.#options.name} moves a slot`);
        isAsking = redirection.isAsking;
        link = this.#linkTo(redirection.host || this.#owners[slot] || '');
        if (!isAsking) void this.#look();
      }
    }
  }

  revision(): Revision {
    const revision = this.#links.get(this.#owners[this.#recordsSlot] ?? '')?.revision();
    // A server that has just got the records has not been heard of yet.
    if (revision && revision.heardAt > this.#revision.heardAt) this.#revision = revision;
    return this.#revision;
  }

  time(key: string): number {
    // Before a server was heard of, no time is early enough.
    return this.#links.get(this.#owners[this.groupOf(key)] ?? '')?.time() ?? Number.NEGATIVE_INFINITY;
  }

  groupOf(key: string): number {
    return clusterKeySlot(key);
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  async #open(): Promise<void> {
    await this.#readFromHosts();
    await this.#openAll();
    this.#looks = setInterval(() => this.#lookIfNeeded(), LOOK_MS).unref();
  }

  /** Asks the servers that the address names, until one responds. */
  async #readFromHosts(): Promise<void> {
    const { hosts, urlOf } = this.#options;
    let failure: unknown;
    for (const host of hosts) {
      try {
        const link = await RedisLink.open({ ...this.#options, url: urlOf(host), hasRecords: () => false });
        return await this.#readSlots(link, host).finally(() => link.close());
      } catch (error) {
        failure = error instanceof ErrorReply ? this.#refuse(error) : error;
      }
    }
    throw failure;
  }

  /** Waits until every master responds, or has had its time. */
  async #openAll(): Promise<void> {
    const masters = new Set(this.#owners.filter((host) => host !== undefined));
    await Promise.all(
      [...masters].map(async (host) => {
        const options = this.#optionsOf(host);
        const link = await RedisLink.open(options).catch(() => RedisLink.start(options));
        this.#links.set(host, link);
      }),
    );
  }

  #refuse(error: ErrorReply): StoreError {
    return new StoreError(
      `cannot open the store ${this.#options.name}: ${error.message}; if it is one server and no cluster, name it as redis://`,
      { cause: error },
    );
  }

  #lookIfNeeded(): void {
    if ([...this.#links.values()].some(({ isUp }) => !isUp)) void this.#look();
  }

  /** Asks the servers, one after the other, which of them has which slots. */
  #look(): Promise<void> {
    this.#looking ??= this.#readFromAny().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #readFromAny(): Promise<void> {
    for (const [host, link] of this.#links) {
      if (!link.isUp) continue;
      const isRead = await this.#readSlots(link, host).then(
        () => true,
        () => false,
      );
      if (isRead) return this.#followOwners();
    }
    // All of them may have other addresses by now. Where none responds, this is done again soon.
    await this.#readFromHosts().then(
      () => this.#followOwners(),
      () => {},
    );
  }

  /** @param host the server that is asked, which does not always know its own name */
  async #readSlots(link: RedisLink, host: string): Promise<void> {
    const ranges = (await link.send(['CLUSTER', 'SLOTS'], LOOK_PATIENCE_MS)) as SlotRange[];
    const owners = new Array<string | undefined>(SLOTS);
    const own = host.slice(0, host.lastIndexOf(':'));
    for (const [first, last, [name, port]] of ranges) {
      const address = name?.includes(':') ? `[${name}]` : name || own;
      owners.fill(`${address}:${port}`, first, last + 1);
    }
    this.#owners = owners;
  }

  /** Makes links to new masters, and ends those to servers that are none any more. */
  #followOwners(): void {
    const masters = new Set(this.#owners);
    for (const host of masters) if (host !== undefined) this.#linkTo(host);
    for (const [host, link] of this.#links) {
      if (masters.has(host)) continue;
      this.#links.delete(host);
      void link.close();
    }
  }

  #linkOf(slot: number): RedisLink {
    const link = this.#links.get(this.#owners[slot] ?? '');
    if (link) return link;
    void this.#look();
    throw new StoreError(`the store ${this.#options.name} failed: no server of the cluster has slot ${slot}`);
  }

  #linkTo(host: string): RedisLink {
    let link = this.#links.get(host);
    if (!link) {
      link = RedisLink.start(this.#optionsOf(host));
      link.expect(this.#identity);
      this.#links.set(host, link);
    }
    return link;
  }

  #optionsOf(host: string) {
    return {
      ...this.#options,
      url: this.#options.urlOf(host),
      name: `${this.#options.name} (its server ${host})`,
      hasRecords: () => this.#owners[this.#recordsSlot] === host,
    };
  }
}

/** Reads where a call is to be sent instead; an empty host is that of the server that was asked. */
function readRedirection(error: unknown): { host: string; isAsking: boolean } | undefined {
  if (!(error instanceof ErrorReply)) return undefined;
  const [kind, , host = ''] = error.message.split(' ');
  if (kind !== 'MOVED' && kind !== 'ASK') return undefined;
  return { host: host.startsWith(':') ? '' : host, isAsking: kind === 'ASK' };
}
