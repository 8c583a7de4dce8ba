import type { ApiReply, Browser } from '../../views/browser.ts';
import { dropKey, keepKey, readKey } from './key.ts';
import { requestApi } from './request-api.ts';

/** The browser that the page runs in. */
export const browser: Browser = {
  origin: location.origin,
  locale: navigator.language,
  key: readKey,
  keepKey: (key) => (key === undefined ? dropKey() : keepKey(key)),
  ask,
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
    const problem = 'The gateway could not be reached. Check your connection.';
    return { status: 0, body: undefined, problem, retryAfter: undefined, remaining: [] };
  }
}

function describeProblem(status: number, body: unknown): string {
  const { detail } = body as { detail?: unknown };
  if (typeof detail !== 'string' || detail === '') return `The gateway responded with the status ${status}.`;
  return `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.`;
}
