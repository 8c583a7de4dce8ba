import { createClient, ErrorReply } from 'redis';
import type { Log } from '../log/log.ts';
import { SCRIPTS, type Script } from './redis-scripts.ts';
import { type Revision, StoreError } from './store.ts';

/** A connection to Redis that never keeps anybody waiting, and comes back by itself. */
export interface RedisLink {
  /**
   * Runs a script.
   *
   * @param patience how long the answer may take, in ms
   * @throws StoreError when there is none in time; while Redis is known not to answer, at once where the patience is short, and within a
   *   second where it is not
   */
  run(script: Script, keys: string[], args: (string | number)[], patience: number): Promise<unknown>;
  /** The store's revision, as it was told last. */
  revision(): Revision;
  /** The time by Redis's clock, as far as it can be known here: never ahead of it. ms since 1970. */
  time(): number;
  close(): Promise<void>;
}

/** How often Redis is asked for its time and the store's revision, in ms; how long the answer may take. */
const PROBE_MS = 200;
const PROBE_PATIENCE_MS = 200;
/** A connection that is silent for so long is replaced: its other end may be gone without a word. */
const SILENCE_MS = 3000;
const RECONNECT_MS = 200;
/** What has no more patience than that is not asked while Redis is late; all else gives it so long to come back. */
const SHORT_MS = 250;
const LATE_MS = 1000;
const OPENING_MS = 5000;

/**
 * Connects to Redis.
 *
 * @param url `redis://` or `rediss://`
 * @param name what messages call it: the address without its password
 * @throws StoreError when there is no connection within 5 seconds
 */
export async function openRedisLink(url: string, name: string, log: Log | undefined): Promise<RedisLink> {
  let client = makeClient(url);
  /** The first is told before this is connected. */
  let revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };
  /** Redis's clock less this process's own. */
  let ahead = 0;
  let isUp = true;
  let heardAt = performance.now();
  let told = '';
  let closed = false;

  const refuse = (error: unknown, isProbe = false): StoreError => {
    const reason = error instanceof Error ? error.message : String(error);
    // An error in reply to anything but a probe is an answer: Redis is there. The same is told once.
    const isDown = isProbe || !(error instanceof ErrorReply);
    if (isUp && !closed && (isDown || reason !== told)) {
      log?.error('the store failed', { store: name, error: reason });
    }
    told = reason;
    if (isDown) isUp = false;
    return new StoreError(`the store ${name} failed: ${reason}; see whether Redis is well`, { cause: error });
  };
  const send = async (script: Script, keys: string[], args: (string | number)[]): Promise<unknown> => {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    try {
      return await client.sendCommand(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error;
      return await client.sendCommand(['EVAL', script.source, ...rest]);
    }
  };
  const probe = async (): Promise<void> => {
    const askedAt = performance.now();
    const [time, value] = (await send(SCRIPTS.probe, [], [])) as [string, string];
    heardAt = performance.now();
    ahead = Number(time) - heardAt;
    revision = { value, heardAt: askedAt };
    if (!isUp) log?.info('the store is back', { store: name });
    isUp = true;
  };
  let isProbing = false;
  const look = async () => {
    if (isProbing) return;
    isProbing = true;
    const done = probe().finally(() => {
      isProbing = false;
    });
    await within(done, PROBE_PATIENCE_MS).catch((error) => refuse(error, true));
  };
  const watch = () => {
    if (performance.now() - heardAt > SILENCE_MS && client.isReady) {
      heardAt = performance.now();
      client.destroy();
      client = makeClient(url);
      client.connect().catch((error) => refuse(error, true));
    }
    void look();
  };

  try {
    await within(connect(client), OPENING_MS);
    await within(probe(), OPENING_MS);
  } catch (error) {
    client.destroy();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      `cannot open the store ${name}: ${reason}; see whether Redis runs there, or name another by --store`,
      { cause: error },
    );
  }
  const timer = setInterval(watch, PROBE_MS);
  timer.unref();

  return {
    async run(script, keys, args, patience) {
      if (closed) throw new StoreError(`the store ${name} is closed`);
      if (!isUp && patience <= SHORT_MS) throw new StoreError(`the store ${name} does not answer`);
      try {
        return await within(send(script, keys, args), isUp ? patience : Math.min(patience, LATE_MS));
      } catch (error) {
        throw refuse(error);
      }
    },
    revision: () => revision,
    time: () => performance.now() + ahead,
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      if (isUp) await within(client.close(), OPENING_MS).catch(() => client.destroy());
      else client.destroy();
    },
  };
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
  // What fails is told where it was asked for.
  client.on('error', () => {});
  return client;
}

/** Resolves when connected; unlike the client's own, rejects at the first failure, and does not try for ever. */
function connect(client: ReturnType<typeof makeClient>): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('error', reject);
    client.connect().then(() => resolve(), reject);
  });
}

/**
 * Gives what a promise gives, if it does so within a time. What has arrived by then but was not read yet, because this process was busy,
 * is read first: it was not Redis who was late.
 */
function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
