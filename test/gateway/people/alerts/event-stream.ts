import type { GameEvent } from '../../../../gateway/people/alerts/events/event.ts';
import { checkEvent } from '../../../support/open-api-check.ts';

/** An event as it was streamed. */
export interface StreamedEvent {
  id: string;
  event: string;
  data: GameEvent;
}

/** A client of an event stream. */
export interface StreamClient {
  status: number;
  headers: Headers;
  events: StreamedEvent[];
  /** Everything received so far. */
  readonly text: string;
  /** Resolves when the stream has ended. */
  ended: Promise<void>;
  close(): void;
}

/** Reads a stream of server-sent events, and checks each event against the OpenAPI document. */
export async function listen(url: string, headers: Record<string, string>): Promise<StreamClient> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const events: StreamedEvent[] = [];
  let text = '';
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body as ReadableStream<Uint8Array>) {
      const part = decoder.decode(bytes, { stream: true });
      text += part;
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        const { id = '', event = '', data } = fields;
        if (data === undefined) continue;
        checkEvent(data);
        events.push({ id, event, data: JSON.parse(data) as GameEvent });
      }
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    events,
    get text() {
      return text;
    },
    ended: read().catch(() => {}),
    close: () => abort.abort(),
  };
}
