import type { ServerResponse } from 'node:http';
import type { EventStreams, StreamRequest } from '../../api/people.ts';
import { HttpProblem, unavailable } from '../../http/problem.ts';
import type { Store } from '../../store/store.ts';
import { COMMON_HEADERS } from '../../wire/respond.ts';
import { lastPosition } from './event-log.ts';
import { EventStream } from './event-stream.ts';

/** How long at most an event waits for those who listen, in ms. */
const LOOK_MS = 500;
const HEARTBEAT_MS = 15_000;
/** How many streams an account may have at once on one gateway, and all accounts together. */
const MAX_OF_ONE = 5;
const MAX_STREAMS = 2000;
const HEADERS = {
  ...COMMON_HEADERS,
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // For nginx, which would keep events until there are many.
  'X-Accel-Buffering': 'no',
};

/** What streams of the event log take. */
export interface EventLogStreamsOptions {
  store: Store;
  /** How often a stream shows that it is alive, in ms. */
  heartbeat?: number;
}

/**
 * Streams of the event log, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). One look at the
 * log serves all.
 */
export class EventLogStreams implements EventStreams {
  readonly #store: Store;
  readonly #heartbeat: number;
  /** Stream → account. */
  readonly #streams = new Map<EventStream, string>();
  #isOpen = true;
  #lastPosition = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ store, heartbeat = HEARTBEAT_MS }: EventLogStreamsOptions) {
    this.#store = store;
    this.#heartbeat = heartbeat;
  }

  async serve(request: StreamRequest, response: ServerResponse): Promise<void> {
    const newest = await lastPosition(this.#store);
    // Past the end is an id of another store, or of this one before it was emptied.
    const after = Math.min(request.after ?? newest, newest);
    this.#checkRoom(request.account);
    response.writeHead(200, HEADERS);
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const options = { request: { ...request, after }, store: this.#store, heartbeat: this.#heartbeat };
    const stream = new EventStream(options);
    this.#join(stream, request.account);
    await stream.run(response).finally(() => this.#leave(stream));
  }

  close(): void {
    this.#isOpen = false;
    for (const stream of this.#streams.keys()) stream.end();
  }

  #checkRoom(account: string): void {
    if (!this.#isOpen) throw unavailable('the gateway is shutting down');
    if (this.#streams.size >= MAX_STREAMS) throw unavailable('there are too many streams right now');
    const count = [...this.#streams.values()].filter((each) => each === account).length;
    if (count >= MAX_OF_ONE) throw tooManyStreams();
  }

  #join(stream: EventStream, account: string): void {
    this.#streams.set(stream, account);
    // While the store does not answer there is nothing to report.
    this.#timer ??= setInterval(() => void this.#look().catch(() => {}), LOOK_MS).unref();
  }

  #leave(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const newest = await lastPosition(this.#store);
    if (newest === this.#lastPosition) return;
    this.#lastPosition = newest;
    for (const stream of this.#streams.keys()) stream.wake();
  }
}

function tooManyStreams(): HttpProblem {
  return new HttpProblem(
    'too-many-streams',
    `this account has as many streams open as it may, expected at most ${MAX_OF_ONE}: close one, or share it`,
    {},
    { 'Retry-After': Math.ceil(HEARTBEAT_MS / 1000) },
  );
}
