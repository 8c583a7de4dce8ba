import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { StreamRequest } from '../../../api/people.ts';
import { type Store, StoreError } from '../../../store/sql.ts';
import { endWithClient, onClose } from '../../../pages/on-close.ts';
import { type LoggedEvent, listEvents } from './event-log.ts';
import { followedBy } from '../followed-by.ts';
import { findSubscription } from '../subscription.ts';

/** Options of an event stream. */
export interface EventStreamOptions {
  /** `after` is the position of the last event that the client has received. */
  request: StreamRequest & { after: number };
  store: Store;
  /** How often an idle stream sends a comment, in ms. */
  heartbeat: number;
}

/** After how long a disconnected client reconnects. */
const RETRY_MS = 3000;
const PAGE = 50;
/** After how many heartbeats a client that reads nothing is disconnected. */
const STALLED_HEARTBEATS = 4;

/** Sends the event log to one client. Reads more of the log only after the client has read what was sent. */
export class EventStream {
  readonly #request: StreamRequest;
  readonly #store: Store;
  readonly #heartbeat: number;
  #position: number;
  #isOpen = true;
  #isAwake = false;
  #wakeUp = () => {};

  constructor({ request, store, heartbeat }: EventStreamOptions) {
    this.#request = request;
    this.#store = store;
    this.#heartbeat = heartbeat;
    this.#position = request.after;
  }

  /** Sends events until the client disconnects, `isAllowed` returns false, or `end` is called. */
  async run(response: ServerResponse): Promise<void> {
    endWithClient(response);
    onClose(response, () => this.end());
    await this.#send(response, `retry: ${RETRY_MS}\n\n`);
    while (this.#isOpen) {
      const outcome = await this.#tryPage(response);
      if (outcome === 'refused') break;
      if (outcome === 'more') continue;
      await this.#waitForWake();
      await this.#send(response, ':\n\n');
    }
    response.end();
  }

  /** Makes the stream check for new events. */
  wake(): void {
    this.#isAwake = true;
    this.#wakeUp();
  }

  /** Ends the stream. */
  end(): void {
    this.#isOpen = false;
    this.#wakeUp();
  }

  async #tryPage(response: ServerResponse): Promise<'more' | 'none' | 'refused'> {
    try {
      if (!(await this.#request.isAllowed())) return 'refused';
      return (await this.#sendPage(response)) ? 'more' : 'none';
    } catch (error) {
      // The stream stays open until the store responds again.
      if (!(error instanceof StoreError)) throw error;
      return 'none';
    }
  }

  /** @returns whether there may be more */
  async #sendPage(response: ServerResponse): Promise<boolean> {
    const page = await listEvents(this.#store, this.#position, PAGE);
    const topics = page.length > 0 ? await this.#findTopics() : [];
    for (const logged of page) {
      if (followedBy(logged.event, topics) !== undefined) await this.#send(response, formatEvent(logged));
      this.#position = logged.position;
    }
    return page.length === PAGE;
  }

  async #findTopics() {
    const { account, follows } = this.#request;
    return follows ?? (await findSubscription(this.#store, account)).follows;
  }

  /** Sends a text; resolves when the client has read enough of what was sent before. */
  async #send(response: ServerResponse, text: string): Promise<void> {
    if (response.write(text) || !this.#isOpen) return;
    await waitForDrain(response, STALLED_HEARTBEATS * this.#heartbeat);
  }

  /** Resolves after a heartbeat or when the stream is woken. */
  async #waitForWake(): Promise<void> {
    if (!this.#isAwake && this.#isOpen) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#heartbeat);
        this.#wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isAwake = false;
  }
}

/** Waits until the client has read what was sent; disconnects it when that takes longer than `ms`. */
async function waitForDrain(response: ServerResponse, ms: number): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const timer = setTimeout(() => response.destroy(), ms);
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}

function formatEvent({ position, event }: LoggedEvent): string {
  return `id: ${position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
