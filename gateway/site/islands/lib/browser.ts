import { render } from 'preact';
import type { ApiReply, Browser, FoundRecord } from '../../views/browser.ts';
import { isObject } from '../../model/in-order.ts';
import { readLastStep } from '../../model/last-step.ts';
import { askFor } from '../../views/use-reply.ts';
import { dropKey, keepKey, readKey } from './key.ts';
import { findLinks } from './find-links.ts';
import { requestApi } from './request-api.ts';

/** What the names of choices begin with. */
const CHOICE = 'choice:';

/** The browser that the page runs in. */
export const browser: Browser = {
  origin: location.origin,
  locale: navigator.language,
  key: readKey,
  keepKey: (key) => (key === undefined ? dropKey() : keepKey(key)),
  choice: (name) => localStorage.getItem(CHOICE + name) ?? undefined,
  keepChoice: (name, value) =>
    value === '' ? localStorage.removeItem(CHOICE + name) : localStorage.setItem(CHOICE + name, value),
  ask: (path, signal) => (path.startsWith('/api/') ? ask(path, signal) : readPage(path, signal)),
  search: findCharacters,
  path: () => location.pathname,
  query: () => location.search.slice(1),
  showQuery(query, isStep) {
    const address = query === '' ? location.pathname : `?${query}`;
    if (isStep) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  },
  onMove(listener) {
    addEventListener('popstate', listener);
    return () => removeEventListener('popstate', listener);
  },
  show(id, node) {
    const place = document.getElementById(id);
    if (place === null) return;
    // In new elements: one that is used again in another place counts as moved.
    render(null, place);
    place.replaceChildren();
    render(node, place);
  },
  hide: (id) => document.getElementById(id)?.setAttribute('hidden', ''),
  copy: (text) => navigator.clipboard.writeText(text),
  async draw(element, plot, line) {
    const { drawPlot } = await import('./draw-plot.ts');
    return element instanceof HTMLElement && element.isConnected ? drawPlot(element, plot, line) : () => {};
  },
};

/** Sends a request for the views: a failure is a reply too. */
async function ask(path: string, signal: AbortSignal): Promise<ApiReply> {
  try {
    const { ok, body, ...reply } = await requestApi(path, signal);
    return {
      ...reply,
      body: ok ? body : undefined,
      problem: ok ? undefined : describeProblem(reply.status, body),
    };
  } catch {
    return UNREACHABLE;
  }
}

const UNREACHABLE: ApiReply = {
  status: 0,
  body: undefined,
  problem: 'The gateway could not be reached. Check your connection.',
  retryAfter: undefined,
  remaining: [],
};

/** Reads what the island of a page was rendered with. Pages cost no request of the API. */
async function readPage(path: string, signal: AbortSignal): Promise<ApiReply> {
  try {
    const response = await fetch(path, { headers: { accept: 'text/html' }, signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const wait = response.headers.get('Retry-After');
    const problem =
      page.querySelector('main h1 + p')?.textContent ?? `The gateway responded with ${response.status}.`;
    const island = page.querySelector<HTMLElement>('[data-island]');
    return {
      status: response.status,
      body: response.ok ? JSON.parse(island?.dataset.properties ?? '{}') : undefined,
      problem: response.ok ? undefined : problem,
      retryAfter: wait === null ? undefined : Number(wait),
      remaining: [],
    };
  } catch {
    return UNREACHABLE;
  }
}

/** What is read of `/api/search`. */
interface SearchReply {
  results: (FoundRecord & { collection: string })[];
}

async function findCharacters(
  text: string,
  game: string,
  isApi: boolean,
  signal: AbortSignal,
): Promise<FoundRecord[]> {
  if (isApi) {
    const path = `/api/search?q=${encodeURIComponent(text)}&games=${game}`;
    const { body } = await askFor<SearchReply>(browser, path, signal);
    return (body?.results ?? []).filter(({ collection }) => collection === 'characters');
  }
  const links = await findLinks(`/search?q=${encodeURIComponent(text)}&game=${game}`, signal);
  return links
    .filter(({ pathname }) => pathname.startsWith(`/games/${game}/characters/`))
    .map((link) => ({ id: readLastStep(link.pathname), name: link.textContent ?? '' }));
}

function describeProblem(status: number, body: unknown): string {
  const detail = isObject(body) ? body.detail : undefined;
  if (typeof detail !== 'string' || detail === '') return `The gateway responded with the status ${status}.`;
  return `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.`;
}
