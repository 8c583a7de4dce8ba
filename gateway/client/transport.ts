import { readProblem } from './problem.ts';

/** How a client sends requests. */
export interface TransportOptions {
  /** The address of the gateway: `https://api.example.org`. */
  address: string;
  /** The API key, for addresses below /api/. */
  key?: string;
  /** How often a request is sent again after 429 and 503; 3 by default. */
  retries?: number;
  /** A longer wait is an error at once, in seconds; 60 by default. */
  maxWait?: number;
  /** How many characters of responses are kept for ETags, at most; 10 million by default. 0 keeps none. */
  cacheSize?: number;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
}

interface Kept {
  etag: string;
  text: string;
}

/** Sends requests: with the key, again after 429 and 503, and with the ETag of the response before. */
export class Transport {
  readonly #options: Required<Omit<TransportOptions, 'key'>> & { key: string | undefined };
  /** The least recently used first. */
  readonly #cache = new Map<string, Kept>();
  #size = 0;

  constructor({ address, key, ...rest }: TransportOptions) {
    const defaults = { retries: 3, maxWait: 60, cacheSize: 1e7, fetch: globalThis.fetch };
    this.#options = { ...defaults, ...rest, key, address: address.replace(/\/+$/, '') };
  }

  /**
   * Requests an address, and returns the parsed response.
   *
   * @param path path and query
   * @throws ProblemError
   */
  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    const cached = this.#cache.get(path);
    const response = await this.#send(path, cached?.etag, signal);
    if (response.status === 304 && cached) {
      this.#keep(path, cached);
      return JSON.parse(cached.text);
    }
    if (!response.ok) throw await readProblem(response, readWait(response));
    const text = await response.text();
    const etag = response.headers.get('etag');
    if (etag) this.#keep(path, { etag, text });
    return JSON.parse(text);
  }

  async #send(path: string, etag: string | undefined, signal: AbortSignal | undefined): Promise<Response> {
    const { address, key, retries, maxWait, fetch } = this.#options;
    const headers = { ...(key && { 'X-API-Key': key }), ...(etag && { 'If-None-Match': etag }) };
    for (let attempt = 0; ; attempt++) {
      // Fetch would send the key to the target of a redirect too, also on another host.
      const response = await fetch(address + path, {
        headers,
        redirect: 'manual',
        ...(signal && { signal }),
      });
      if ((response.status !== 429 && response.status !== 503) || attempt >= retries) return response;
      const seconds = readWait(response) ?? 2 ** attempt;
      if (seconds > maxWait) return response;
      await response.body?.cancel();
      await wait(seconds, signal);
    }
  }

  #keep(path: string, entry: Kept): void {
    const before = this.#cache.get(path);
    if (before) this.#remove(path, before);
    if (entry.text.length > this.#options.cacheSize) return;
    this.#cache.set(path, entry);
    this.#size += entry.text.length;
    for (const [oldest, dropped] of this.#cache) {
      if (this.#size <= this.#options.cacheSize) return;
      this.#remove(oldest, dropped);
    }
  }

  #remove(path: string, { text }: Kept): void {
    this.#cache.delete(path);
    this.#size -= text.length;
  }
}

/** Reads Retry-After, which is a number of seconds or a date. */
function readWait({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (!text) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
