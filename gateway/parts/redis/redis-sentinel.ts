import { ErrorReply } from '@redis/client';
import { RedisConnection } from './redis-connection.ts';
import { RedisLink, type RedisLinkOptions } from './redis-link.ts';
import { StoreError } from '../../core/store/store.ts';

/** Options of a master that sentinels know. */
export interface RedisSentinelOptions extends Omit<RedisLinkOptions, 'url'> {
  /** `host:port` of some sentinels. */
  hosts: readonly string[];
  /** The name under which sentinels know the master. */
  master: string;
  /** Makes the address of a server. */
  urlOf: (host: string) => string;
}

/** How often a sentinel is asked which server is the master, and how long each may take to respond, in ms. */
const LOOK_MS = 1000;
const LOOK_PATIENCE_MS = 2000;

/**
 * Connects to the master that sentinels name, and follows them to another one.
 *
 * @throws StoreError when no sentinel knows the master, or it does not respond within 5 seconds
 */
export async function openMaster(options: RedisSentinelOptions): Promise<RedisLink> {
  const sentinels = new RedisSentinels(options);
  let current = await sentinels.find();
  const link = await RedisLink.open({ ...options, url: options.urlOf(current) });
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const found = await sentinels.find().catch(() => current);
    isLooking = false;
    if (found === current || link.isClosed) return;
    current = found;
    link.moveTo(options.urlOf(found));
  };
  const looks = setInterval(() => (link.isClosed ? clearInterval(looks) : void look()), LOOK_MS).unref();
  return link;
}

/** Asks sentinels, each in turn until one knows the master. */
class RedisSentinels {
  readonly #options: RedisSentinelOptions;

  constructor(options: RedisSentinelOptions) {
    this.#options = options;
  }

  /** Returns `host:port` of the master. */
  async find(): Promise<string> {
    const { hosts, urlOf, name } = this.#options;
    let failure: unknown;
    for (const host of hosts) {
      // Most sentinels have no password, also where the servers have one.
      for (const url of new Set([withoutLogin(urlOf(host)), withoutDatabase(urlOf(host))])) {
        try {
          return await this.#ask(url);
        } catch (error) {
          failure = error;
          if (!(error instanceof ErrorReply && error.message.startsWith('NOAUTH'))) break;
        }
      }
    }
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new StoreError(
      `cannot open the store ${name}: no sentinel names the master: ${reason}; see whether the sentinels run, or name another store by --store`,
      { cause: failure },
    );
  }

  async #ask(url: string): Promise<string> {
    const { master } = this.#options;
    const connection = new RedisConnection({ url });
    try {
      await connection.open();
      const command = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master];
      const reply = (await connection.send(command, LOOK_PATIENCE_MS)) as [string, string] | null;
      if (reply === null) throw new Error(`they know no master ${master}`);
      const [host, port] = reply;
      return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    } finally {
      connection.destroy();
    }
  }
}

function withoutDatabase(url: string): string {
  return url.replace(/(:\/\/[^/]*)\/.*$/, '$1');
}

function withoutLogin(url: string): string {
  return withoutDatabase(url).replace(/:\/\/[^@/]*@/, '://');
}
