import { useEffect, useState } from 'preact/hooks';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { nameKey } from '../model/format-value.ts';
import type { ListReply } from '../model/page-data.ts';
import { readLastStep } from '../model/last-step.ts';
import type { ApiReply, Browser } from './browser.ts';

/** The state of a request. */
export interface Asked<Body = unknown> {
  /** The last reply; the one before stays until the next arrives. */
  reply: ApiReply<Body> | undefined;
  isLoading: boolean;
  /** Sends the request again. */
  again: () => void;
}

/** What the views read of `/api/me`. */
export interface MeReply {
  tier: 'free' | 'pro';
}

/** What the views read of `/api/{game}/{collection}/attributes`. */
export interface AttributesReply {
  attributes: Attribute[];
}

/**
 * Sends a request whose success has a body of a known type. All islands ask through this function: it trusts the gateway that sent the page, and checks
 * nothing.
 *
 * @typeParam Body as the API describes the response to this path
 */
export async function askFor<Body>(
  browser: Browser,
  path: string,
  signal: AbortSignal,
): Promise<ApiReply<Body>> {
  return (await browser.ask(path, signal)) as ApiReply<Body>;
}

/**
 * Sends a request when its path or the key changes, and cancels the one before. Without a key none is sent.
 *
 * @param path of the API, or of a page of this site, which brings what its island was rendered with; undefined to send none
 * @param key empty for a page
 * @typeParam Body what the path responds with, which is not checked
 */
export function useReply<Body>(
  browser: Browser | undefined,
  path: string | undefined,
  key: string | undefined,
): Asked<Body> {
  const [reply, setReply] = useState<ApiReply<Body>>();
  const [isLoading, setLoading] = useState(false);
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (browser === undefined || path === undefined || key === undefined) {
      setReply(undefined);
      setLoading(false);
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    setLoading(true);
    void askFor<Body>(browser, path, signal).then((received) => {
      if (signal.aborted) return;
      setReply(received);
      setLoading(false);
    });
    return () => controller.abort();
  }, [browser, path, key, count]);
  return { reply, isLoading, again: () => setCount((before) => before + 1) };
}

/** What is said of a record where another refers to it. */
export interface NamedRecord {
  name: string;
  /** What it does, in words; undefined if the data does not say. */
  effect: string | undefined;
}

/**
 * Looks up the names of records, so that people read names instead of ids.
 *
 * @param ids by collection; undefined to look up none yet
 * @param hasEffects whether to look up what they do too
 * @returns by `nameKey`; undefined until they arrive
 */
export function useNames(
  browser: Browser | undefined,
  game: string,
  ids: ReadonlyMap<string, readonly string[]> | undefined,
  key: string | undefined,
  hasEffects = false,
): ReadonlyMap<string, NamedRecord> | undefined {
  const [names, setNames] = useState<ReadonlyMap<string, NamedRecord>>();
  useEffect(() => {
    if (browser === undefined || ids === undefined || key === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const ask = async (collection: string, some: readonly string[]) => {
      const list = some.map(encodeURIComponent).join(',');
      const path = `/api/${game}/${encodeURIComponent(collection)}?ids=${list}&fields=id,name`;
      const first = await askFor<ListReply>(browser, hasEffects ? `${path},effect` : path, signal);
      // Most collections have no attribute `effect`.
      const isRefused = hasEffects && first.status === 400;
      const { body } = isRefused ? await askFor<ListReply>(browser, path, signal) : first;
      const records = body?.records ?? body?.characters ?? [];
      return records.map(({ id, name = id, effect }): [string, NamedRecord] => [
        nameKey(collection, String(id)),
        { name: String(name), effect: typeof effect === 'string' ? effect : undefined },
      ]);
    };
    void Promise.all([...ids].filter(([, some]) => some.length > 0).map((each) => ask(...each))).then(
      (found) => {
        if (!signal.aborted) setNames(new Map(found.flat()));
      },
    );
    return () => controller.abort();
  }, [browser, game, ids, key, hasEffects]);
  return names;
}

/** The key of the tab, and what keeps another; undefined until the page runs in a browser, or without a key. */
export function useKey(
  browser: Browser | undefined,
): [key: string | undefined, keep: (key: string | undefined) => void] {
  const [key, setKey] = useState<string>();
  useEffect(() => setKey(browser?.key()), [browser]);
  return [
    key,
    (next) => {
      browser?.keepKey(next);
      setKey(next);
    },
  ];
}

/** What a key may see, which costs no request, and why it is refused. */
export function useTier(
  browser: Browser | undefined,
  key: string | undefined,
): { tier: 'free' | 'pro' | undefined; refusal: string | undefined } {
  const { reply } = useReply<MeReply>(browser, '/api/me', key);
  return { tier: reply?.body?.tier, refusal: reply?.status === 401 ? reply.problem : undefined };
}

/** The language of the reader; that of the server until the page runs in a browser, so that both render the same. */
export function useLocale(browser: Browser | undefined): string {
  const [locale, setLocale] = useState('en');
  useEffect(() => {
    // What is written alike needs no other rendering.
    if (browser && browser.locale !== 'en-US') setLocale(browser.locale);
  }, [browser]);
  return locale;
}

/**
 * The last step of the page's address, decoded, for a page that many addresses share.
 *
 * @param rendered what the page was rendered with; empty if only its address says it
 */
export function useLastStep(browser: Browser | undefined, rendered: string): string {
  const [step, setStep] = useState(rendered);
  useEffect(() => {
    if (browser && rendered === '') setStep(readLastStep(browser.path()));
  }, [browser, rendered]);
  return step;
}
