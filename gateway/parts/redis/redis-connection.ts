import { createClient, ErrorReply } from '@redis/client';
import type { Script } from './redis-scripts.ts';
import { within } from './within.ts';

/** How long connecting and closing may take, in ms. */
const OPENING_MS = 5000;
const RECONNECT_MS = 200;

type Client = ReturnType<typeof makeClient>;

/** An argument of a script; a function is called just before the script is sent, because a busy process may send it late. */
export type Argument = string | number | (() => string | number);

/** A script to run. */
export interface Call {
  script: Script;
  keys: readonly string[];
  args: readonly Argument[];
  /** How long the response may take, in ms; without it, any time. */
  patience?: number;
  /** Whether the keys are just being moved to this server from another one (the redirection `ASK` of a cluster). */
  isAsking?: boolean;
}

/** A command that was not sent yet. */
interface Unsent {
  command: string[];
  /** The values of its last arguments, or the functions that return them. */
  args: readonly Argument[];
}

/** Options of a connection. */
export interface RedisConnectionOptions {
  /** A `redis://` or `rediss://` address. */
  url: string;
  /** Called when the connection breaks. */
  onBreak?: () => void;
}

/** A connection to a Redis server, which reconnects when it breaks. */
export class RedisConnection {
  #url: string;
  readonly #onBreak: () => void;
  #client: Client;
  /** The commands that will be sent at the end of this event-loop tick; undefined if there are none. */
  #unsent: Unsent[] | undefined;

  constructor({ url, onBreak = () => {} }: RedisConnectionOptions) {
    this.#url = url;
    this.#onBreak = onBreak;
    this.#client = this.#makeClient();
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
   * Runs a script by its hash, or by its source if the server does not know it yet.
   *
   * @throws ErrorReply when the server refuses it; another Error when the connection fails, or the response is late
   */
  async run({ script, keys, args, patience, isAsking = false }: Call): Promise<unknown> {
    const begin = [String(keys.length), ...keys];
    const send = (command: string, text: string) => {
      // Both are sent in one write; the first is valid for the second only.
      if (isAsking) this.#client.sendCommand(['ASKING']).catch(() => {});
      return this.#send([command, text, ...begin], args, patience);
    };
    try {
      return await send('EVALSHA', script.sha);
    } catch (error) {
      if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error;
      return await send('EVAL', script.source);
    }
  }

  /**
   * Sends a command.
   *
   * @param patience how long the response may take, in ms
   * @throws ErrorReply when the server refuses it; another Error when the connection fails, or the response is late
   */
  send(command: readonly string[], patience: number): Promise<unknown> {
    return within(this.#client.sendCommand([...command]), patience);
  }

  /** Connects in the background, for as long as it takes. */
  start(): void {
    this.#client.connect().catch(() => {});
  }

  /**
   * Drops the connection and makes another. Commands without a response are rejected.
   *
   * @param url another server
   */
  async replace(url = this.#url): Promise<void> {
    this.#client.destroy();
    this.#url = url;
    this.#client = this.#makeClient();
    await this.#client.connect();
  }

  /** Closes the connection after all commands have a response. */
  async close(): Promise<void> {
    await within(this.#client.close(), OPENING_MS).catch(() => this.#client.destroy());
  }

  /** Drops the connection. */
  destroy(): void {
    this.#client.destroy();
  }

  #makeClient(): Client {
    const client = makeClient(this.#url);
    // Each failure is reported to the caller whose command failed.
    client.on('error', () => {});
    client.on('reconnecting', () => this.#onBreak());
    return client;
  }

  #send(begin: readonly string[], args: readonly Argument[], patience: number | undefined): Promise<unknown> {
    const command = [...begin, ...args.map(evaluate)];
    // The client encodes commands in its own immediate, which it schedules after this one.
    if (this.#unsent === undefined) {
      this.#unsent = [];
      setImmediate(() => this.#evaluateAgain());
    }
    if (args.some((arg) => typeof arg === 'function')) this.#unsent.push({ command, args });
    const sent = this.#client.sendCommand(command);
    return patience === undefined ? sent : within(sent, patience);
  }

  #evaluateAgain(): void {
    for (const { command, args } of this.#unsent ?? []) {
      args.forEach((arg, index) => {
        if (typeof arg === 'function') command[command.length - args.length + index] = evaluate(arg);
      });
    }
    this.#unsent = undefined;
  }
}

function evaluate(arg: Argument): string {
  return String(typeof arg === 'function' ? arg() : arg);
}

function makeClient(url: string) {
  return createClient({
    url,
    RESP: 2,
    // A command that cannot be sent now must fail now.
    disableOfflineQueue: true,
    // `within` limits the time of each call.
    commandOptions: { timeout: 0 },
    maintNotifications: 'disabled',
    socket: { connectTimeout: OPENING_MS, reconnectStrategy: RECONNECT_MS },
  });
}
