import { useMemo, useRef } from 'preact/hooks';
import { type ListState, writeListState } from '../model/list-state.ts';
import type { ListReply } from '../model/page-data.ts';
import { querySample, type RosterSample } from '../parts/query-sample.ts';
import type { Browser } from './browser.ts';
import { type Asked, useReply } from './use-reply.ts';

/** A longer list is read page by page. */
export const MAX_WHOLE = 1000;

/** Properties of `useWholeList`. */
export interface WholeListProps {
  /** The path of the list in the API. */
  path: string;
  state: ListState;
  /** The records of a page. */
  size: number;
  /** Undefined while the list is not wanted. */
  apiKey: string | undefined;
  /** Whether a change can be made here: a search, and the names of what records refer to, need the gateway. */
  canQuery: boolean;
}

/** A list that is loaded once, by one request, and then filtered, sorted and paged in the browser. */
export interface WholeList {
  asked: Asked;
  /** Whether the list is on its way. */
  isComing: boolean;
  /** What the state shows of it; undefined if the gateway has to be asked. */
  list: ListReply | undefined;
}

/** Loads a list once it is wanted, and filters, sorts and pages it in the browser; `list` is undefined while the gateway has to. */
export function useWholeList(
  browser: Browser | undefined,
  { path, state, size, apiKey, canQuery }: WholeListProps,
): WholeList {
  const lang = state.lang === '' ? '' : `&lang=${encodeURIComponent(state.lang)}`;
  // Whether it was wanted once: then it stays.
  const key = useRef(apiKey);
  if (apiKey !== undefined) key.current = apiKey;
  const asked = useReply<ListReply>(browser, `${path}?limit=${MAX_WHOLE}${lang}`, key.current);
  const query = writeListState({ ...state, q: '', lang: '', fields: [], limit: size });
  const whole = asked.reply?.body;
  const list = useMemo(() => (canQuery ? queryWhole(whole, query) : undefined), [whole, query, canQuery]);
  return { asked, list, isComing: asked.isLoading && key.current !== undefined };
}

function queryWhole(whole: ListReply | undefined, query: string): ListReply | undefined {
  const records = whole?.characters ?? whole?.records;
  if (whole === undefined || records === undefined || whole.total > records.length) return undefined;
  const sample: RosterSample = { game: '', build: whole.build, characters: records };
  const { status, body } = querySample(sample, new URLSearchParams(query));
  return status === 200 ? (body as unknown as ListReply) : undefined;
}
