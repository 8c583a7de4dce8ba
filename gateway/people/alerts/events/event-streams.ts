import type { ServerResponse } from 'node:http';
import type { EventStreams, StreamRequest } from '../../../api/people.ts';
import { HttpProblem, unavailable } from '../../../http/problem.ts';
import type { Holder } from '../../../access/account.ts';
import type { Store } from '../../../store/sql.ts';
import { COMMON_HEADERS } from '../../../http/respond.ts';
import { Shares } from '../../../shares/shares.ts';
import { lastPosition } from './event-log.ts';
import { EventStream } from './event-stream.ts';

/** How often the log is checked for new events. */
const CHECK_MS = 500;
const HEARTBEAT_MS = 15_000;
/** How many streams one account may have open on one gateway. Its keys divide them, and each may have one. */
const MAX_STREAMS_PER_ACCOUNT = 5;
/** How many streams a gateway serves at once. */
const MAX_STREAMS = 2000;
const HEADERS = {
  ...COMMON_HEADERS,
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Without it, nginx would hold events back until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/** Options of the event streams. */
export interface EventLogStreamsOptions {
  store: Store;
  /** How often an idle stream sends a comment, in ms. */
  heartbeat?: number;
}

/**
 * Serves the event log as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). All streams share one
 * timer that checks the log for new events.
 */
export class EventLogStreams implements EventStreams {
  readonly #store: Store;
  readonly #heartbeat: number;
  readonly #streams = new Set<EventStream>();
  /** How many streams are open, by account. */
  readonly #accounts = new Map<string, Shares>();
  #isOpen = true;
  #lastPosition = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ store, heartbeat = HEARTBEAT_MS }: EventLogStreamsOptions) {
    this.#store = store;
    this.#heartbeat = heartbeat;
  }

  async serve(request: StreamRequest, response: ServerResponse): Promise<void> {
    const newest = await lastPosition(this.#store);
    // A position past the end comes from another store, or from this one before it was emptied.
    const after = Math.min(request.after ?? newest, newest);
    this.#checkRoom(request.holder);
    response.writeHead(200, HEADERS);
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const options = { request: { ...request, after }, store: this.#store, heartbeat: this.#heartbeat };
    const stream = new EventStream(options);
    this.#join(stream, request.holder);
    await stream.run(response).finally(() => this.#leave(stream, request.holder));
  }

  close(): void {
    this.#isOpen = false;
    for (const stream of this.#streams) stream.end();
  }

  #checkRoom(holder: Holder): void {
    if (!this.#isOpen) throw unavailable('the gateway is shutting down');
    if (this.#streams.size >= MAX_STREAMS)
      throw unavailable('the gateway has too many open streams right now');
    const shares = this.#accounts.get(holder.account);
    if (shares === undefined) return;
    const most = Math.max(1, Math.floor(MAX_STREAMS_PER_ACCOUNT * shares.partOf(holder)));
    if (shares.usedBy(holder) >= most) throw tooManyStreams(most);
  }

  #join(stream: EventStream, holder: Holder): void {
    this.#streams.add(stream);
    this.#count(holder, 1);
    // When the store does not respond, the next check tries again.
    this.#timer ??= setInterval(() => void this.#check().catch(() => {}), CHECK_MS).unref();
  }

  #leave(stream: EventStream, holder: Holder): void {
    this.#streams.delete(stream);
    this.#count(holder, -1);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #count(holder: Holder, change: number): void {
    const shares = this.#accounts.get(holder.account) ?? new Shares();
    shares.add(holder, change);
    if (shares.isUnused) this.#accounts.delete(holder.account);
    else this.#accounts.set(holder.account, shares);
  }

  async #check(): Promise<void> {
    const newest = await lastPosition(this.#store);
    if (newest === this.#lastPosition) return;
    this.#lastPosition = newest;
    for (const stream of this.#streams) stream.wake();
  }
}

function tooManyStreams(most: number): HttpProblem {
  return new HttpProblem(
    'too-many-streams',
    `this key has as many open streams as it may: ${most} of the ${MAX_STREAMS_PER_ACCOUNT} that the keys of an account with open streams divide; close one, or share one among your clients`,
    {},
    { 'Retry-After': Math.ceil(HEARTBEAT_MS / 1000) },
  );
}
