import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { StreamRequest } from '../../api/people.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { onClose } from '../../wire/on-close.ts';
import { type LoggedEvent, listEvents } from './event-log.ts';
import { followedBy } from './followed-by.ts';
import { findSubscription } from './subscription.ts';

/** What a stream takes. */
export interface EventStreamOptions {
  /** `after` is the id of the last event that the client has. */
  request: StreamRequest & { after: number };
  store: Store;
  /** How often it shows that it is alive, in ms. */
  heartbeat: number;
}

/** After how long a client comes back that was cut off, in ms. */
const RETRY_MS = 3000;
const PAGE = 50;
/** After how many heartbeats a client that reads nothing is given up. */
const STALLED_HEARTBEATS = 4;

/** A stream of the event log to one client. What the client has not read yet is not sent twice over: the log waits for it. */
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

  /** Writes events to the client until it goes away, may not get any more, or `end` is called. */
  async run(response: ServerResponse): Promise<void> {
    onClose(response, () => this.end());
    await this.#send(response, `retry: ${RETRY_MS}\n\n`);
    while (this.#isOpen) {
      const outcome = await this.#tryPage(response);
      if (outcome === 'refused') break;
      if (outcome === 'more') continue;
      await this.#rest();
      await this.#send(response, ':\n\n');
    }
    response.end();
  }

  /** There may be something new. */
  wake(): void {
    this.#isAwake = true;
    this.#wakeUp();
  }

  end(): void {
    this.#isOpen = false;
    this.#wakeUp();
  }

  async #tryPage(response: ServerResponse): Promise<'more' | 'none' | 'refused'> {
    try {
      if (!(await this.#request.isAllowed())) return 'refused';
      return (await this.#sendPage(response)) ? 'more' : 'none';
    } catch (error) {
      // The client waits as the store does.
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

  /** Waits until a client that reads slowly has read. */
  async #send(response: ServerResponse, text: string): Promise<void> {
    if (response.write(text) || !this.#isOpen) return;
    await waitForDrain(response, STALLED_HEARTBEATS * this.#heartbeat);
  }

  /** Waits for a heartbeat, or until it is woken. */
  async #rest(): Promise<void> {
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

/** A client that reads nothing at all is cut off after so many ms, so that it holds nothing for ever. */
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
