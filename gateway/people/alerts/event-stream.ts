import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { StreamRequest } from '../../api/people.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { onClose } from '../../wire/on-close.ts';
import { type LoggedEvent, listEvents } from './event-log.ts';
import { followedBy } from './followed-by.ts';
import { findSubscription } from './subscription.ts';

/** A stream to one client. */
export interface EventStream {
  /** Writes events to the client until it goes away, may not be told any more, or `end` is called. */
  run(response: ServerResponse): Promise<void>;
  /** There may be something new. */
  wake(): void;
  end(): void;
}

/** After how long a client comes back that was cut off, in ms. */
const RETRY_MS = 3000;
const PAGE = 50;
/** After how many heartbeats a client that reads nothing is given up. */
const STALLED_HEARTBEATS = 4;

/**
 * Makes a stream of the event log. What a client has not read yet is not sent twice over: the log waits for it.
 *
 * @param heartbeat how often it shows that it is alive, in ms
 */
export function createEventStream(
  { account, follows, after, isAllowed }: StreamRequest & { after: number },
  store: Store,
  heartbeat: number,
): EventStream {
  let position = after;
  let isOpen = true;
  let isAwake = false;
  let wakeUp = () => {};

  const rest = async () => {
    if (!isAwake && isOpen) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, heartbeat);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    isAwake = false;
  };
  /** Waits until a client that reads slowly has read; one that reads nothing at all is cut off, so that it holds nothing for ever. */
  const send = async (response: ServerResponse, text: string) => {
    if (response.write(text) || !isOpen) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    const timer = setTimeout(() => response.destroy(), STALLED_HEARTBEATS * heartbeat);
    try {
      await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    } finally {
      clearTimeout(timer);
      waiting.abort();
    }
  };
  /** @returns whether there may be more */
  const sendPage = async (response: ServerResponse): Promise<boolean> => {
    const page = await listEvents(store, position, PAGE);
    const topics = follows ?? (page.length > 0 ? (await findSubscription(store, account)).follows : []);
    for (const logged of page) {
      if (followedBy(logged.event, topics) !== undefined) await send(response, describeEvent(logged));
      position = logged.position;
    }
    return page.length === PAGE;
  };
  const stream: EventStream = {
    async run(response) {
      onClose(response, stream.end);
      await send(response, `retry: ${RETRY_MS}\n\n`);
      while (isOpen) {
        try {
          if (!(await isAllowed())) break;
          if (await sendPage(response)) continue;
        } catch (error) {
          // The client waits as the store does.
          if (!(error instanceof StoreError)) throw error;
        }
        await rest();
        await send(response, ':\n\n');
      }
      response.end();
    },
    wake() {
      isAwake = true;
      wakeUp();
    },
    end() {
      isOpen = false;
      wakeUp();
    },
  };
  return stream;
}

function describeEvent({ position, event }: LoggedEvent): string {
  return `id: ${position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
