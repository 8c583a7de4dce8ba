import { setTimeout as sleep } from 'node:timers/promises';

/** The outcome of a request. */
export interface Outcome {
  /** 0 when no complete response came. */
  status: number;
  text: string;
  headers: Headers;
}

/** How long a response may take; longer than any outage that a campaign causes. */
const MAX_MS = 60_000;
/** The pause of a client between two requests, which leaves the processor to what is tried meanwhile. */
const PAUSE_MS = 10;

/** Sends one request. Never rejects. */
export async function send(target: string, key?: string): Promise<Outcome> {
  try {
    const headers: Record<string, string> = key ? { 'x-api-key': key } : {};
    const response = await fetch(target, { headers, signal: AbortSignal.timeout(MAX_MS) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: 0, headers: new Headers(), text: `${message}: ${cause}` };
  }
}

/** A client that sends one request after the other until it is stopped. */
export class Traffic {
  #isOpen = true;
  readonly #done: Promise<void>;

  /** @param onOutcome called after each request */
  constructor(
    clients: number,
    ask: () => Promise<Outcome>,
    onOutcome: (outcome: Outcome) => void = () => {},
  ) {
    const client = async () => {
      while (this.#isOpen) {
        const outcome = await ask();
        onOutcome(outcome);
        await sleep(PAUSE_MS);
      }
    };
    this.#done = Promise.all(Array.from({ length: clients }, client)).then(() => {});
  }

  /** Resolves when the last requests have their responses. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    await this.#done;
  }
}
