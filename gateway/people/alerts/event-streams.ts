import type { EventStreams } from '../../api/people.ts';
import { HttpProblem, unavailable } from '../../http/problem.ts';
import type { Store } from '../../store/store.ts';
import { COMMON_HEADERS } from '../../wire/respond.ts';
import { lastPosition } from './event-log.ts';
import { createEventStream, type EventStream } from './event-stream.ts';

/** How long at most an event waits for those who listen, in ms. */
const LOOK_MS = 500;
const HEARTBEAT_MS = 15_000;
/** How many streams an account may have at once on one gateway, and all accounts together. */
const MOST_OF_ONE = 5;
const MOST_STREAMS = 2000;
const HEADERS = {
  ...COMMON_HEADERS,
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // For nginx, which would keep events until there are many.
  'X-Accel-Buffering': 'no',
};

/**
 * Makes streams of the event log, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). One look at the
 * log serves all.
 *
 * @param heartbeat how often a stream shows that it is alive, in ms
 */
export function createEventStreams(store: Store, heartbeat = HEARTBEAT_MS): EventStreams {
  const streams = new Map<EventStream, string>();
  let isOpen = true;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;

  const look = async () => {
    const newest = await lastPosition(store);
    if (newest === last) return;
    last = newest;
    for (const stream of streams.keys()) stream.wake();
  };
  const join = (stream: EventStream, account: string) => {
    streams.set(stream, account);
    // While the store does not answer there is nothing to tell.
    timer ??= setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  };
  const leave = (stream: EventStream) => {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const checkRoom = (account: string) => {
    if (!isOpen) throw unavailable('the gateway is shutting down');
    if (streams.size >= MOST_STREAMS) throw unavailable('there are too many streams right now');
    const count = [...streams.values()].filter((each) => each === account).length;
    if (count >= MOST_OF_ONE) throw tooManyStreams();
  };

  return {
    async serve({ after, ...request }, response) {
      const newest = await lastPosition(store);
      // Past the end is an id of another store, or of this one before it was emptied.
      const from = Math.min(after ?? newest, newest);
      checkRoom(request.account);
      response.writeHead(200, HEADERS);
      if (response.req.method === 'HEAD') {
        response.end();
        return;
      }
      const stream = createEventStream({ ...request, after: from }, store, heartbeat);
      join(stream, request.account);
      await stream.run(response).finally(() => leave(stream));
    },
    close() {
      isOpen = false;
      for (const stream of streams.keys()) stream.end();
    },
  };
}

function tooManyStreams(): HttpProblem {
  return new HttpProblem(
    'too-many-streams',
    `this account has as many streams open as it may, expected at most ${MOST_OF_ONE}: close one, or share it`,
    {},
    { 'Retry-After': Math.ceil(HEARTBEAT_MS / 1000) },
  );
}
