import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Json, prettyJson } from './json.tsx';
import type { RosterSample } from './query-sample.ts';

/** A response that is shown. */
export interface Shown {
  status: number;
  body: unknown;
  /** Where it came from, as a sentence. */
  note: string;
}

/** What the box to try requests is made from. */
export interface TryItProperties {
  /** The request in the field at first. */
  path: string;
  /** Its response. */
  shown: Shown;
  /** What requests run on without a key. */
  sample: RosterSample & { total: number };
}

/** Sends requests; only browsers have it. */
export interface Sender {
  send(path: string): Promise<Shown>;
}

const UNREACHABLE: Shown = {
  status: 0,
  body: { detail: 'the gateway could not be reached; check your connection and try again' },
  note: 'No response.',
};

/** A request that can be edited and run, and its response. */
export function TryIt({
  path: first,
  shown: given,
  sender,
}: Omit<TryItProperties, 'sample'> & { sender?: Sender }): JSX.Element {
  const [path, setPath] = useState(first);
  const [shown, setShown] = useState(given);
  const [isRunning, setRunning] = useState(false);
  const run = async (event: Event) => {
    event.preventDefault();
    if (sender === undefined) return;
    setRunning(true);
    setShown(await sender.send(path.trim()).catch(() => UNREACHABLE));
    setRunning(false);
  };
  return (
    <div class="try-it">
      <form class="try-it-request" onSubmit={run}>
        <label for="request">
          <span class="method">GET</span>
          <span class="visually-hidden">Request</span>
        </label>
        <input
          id="request"
          type="text"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={path}
          onInput={(event) => setPath((event.currentTarget as unknown as { value: string }).value)}
        />
        <button type="submit" class="screen-only" disabled={isRunning}>
          Run
        </button>
      </form>
      <div aria-live="polite">
        <p class="try-it-status small">
          <span class={shown.status === 200 ? 'status-good' : 'status-bad'}>
            {shown.status === 0 ? 'Error' : shown.status}
          </span>{' '}
          <span class="muted">{shown.note}</span>
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <pre tabIndex={0}>
          <Json text={prettyJson(shown.body)} />
        </pre>
      </div>
    </div>
  );
}
