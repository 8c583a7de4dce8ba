import { createClient, ErrorReply } from 'redis';
import type { Script } from './redis-scripts.ts';
import { within } from './within.ts';

/** How long connecting and closing may take, in ms. */
const OPENING_MS = 5000;
const RECONNECT_MS = 200;

type Client = ReturnType<typeof makeClient>;

/** A connection to a Redis server, which is made again when it breaks. */
export class RedisConnection {
  readonly #url: string;
  #client: Client;

  /** @param options `url` is a `redis://` or `rediss://` address */
  constructor({ url }: { url: string }) {
    this.#url = url;
    this.#client = makeClient(url);
  }

  /** Whether commands can be sent. */
  get isReady(): boolean {
    return this.#client.isReady;
  }

  /**
   * Connects. Unlike the client's own method it rejects at the first failure, and does not try for ever.
   *
   * @throws Error when there is no connection within 5 seconds
   */
  async open(): Promise<void> {
    const client = this.#client;
    const connected = new Promise<void>((resolve, reject) => {
      client.once('error', reject);
      client.connect().then(() => resolve(), reject);
    });
    await within(connected, OPENING_MS);
  }

  /**
   * Runs a script by its hash, or by its source where the server does not know it yet.
   *
   * @throws ErrorReply when the server refuses it; another Error when the connection fails
   */
  async send(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    try {
      return await this.#client.sendCommand(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error;
      return await this.#client.sendCommand(['EVAL', script.source, ...rest]);
    }
  }

  /** Drops the connection and makes another. What was sent and not answered is rejected. */
  async replace(): Promise<void> {
    this.#client.destroy();
    this.#client = makeClient(this.#url);
    await this.#client.connect();
  }

  /** Closes the connection after what was sent is answered. */
  async close(): Promise<void> {
    await within(this.#client.close(), OPENING_MS).catch(() => this.#client.destroy());
  }

  /** Drops the connection. */
  destroy(): void {
    this.#client.destroy();
  }
}

function makeClient(url: string) {
  const client = createClient({
    url,
    RESP: 2,
    // What cannot be sent now is of no use later.
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: OPENING_MS, reconnectStrategy: RECONNECT_MS },
  });
  // Each failure is reported to the caller whose command failed.
  client.on('error', () => {});
  return client;
}
