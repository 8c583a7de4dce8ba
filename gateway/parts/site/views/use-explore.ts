import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Attribute } from '../../../../scripts/core/format/attributes.ts';
import type { JsonObject } from '../../../../scripts/core/format/json.ts';
import { usualColumns } from '../model/columns.ts';
import { type FacetRecord, type SideFacet, sideFacets } from '../model/facets.ts';
import type { Known, Reader } from '../model/format-value.ts';
import { inLanguage } from '../model/in-language.ts';
import { type ListState, readListState, START, writeListState } from '../model/list-state.ts';
import type { ExploreData, ListReply } from '../model/page-data.ts';
import { hasAccountCaps } from '../model/quota.ts';
import type { ApiReply, Browser } from './browser.ts';
import { type Asked, useKey, useLocale, useReply } from './use-reply.ts';

/** How many records a page of the table has, unless its address says otherwise. */
export const PAGE_SIZE = 50;

/** Everything that the page `explore` shows. */
export interface ExploreModel {
  state: ListState;
  /** Changes what is shown, and the page's address. @param isStep whether the browser can go back to the state before */
  show: (state: ListState, isStep?: boolean) => void;
  /** Whether the tab has a key: without one nothing is sent, and the sample is shown. */
  isLive: boolean;
  keepKey: (key: string | undefined) => void;
  /** The path and the query of the request. */
  path: string;
  query: string;
  asked: Asked;
  list: ListReply | undefined;
  records: readonly JsonObject[];
  columns: readonly string[];
  side: readonly SideFacet[];
  facets: readonly FacetRecord[];
  attributes: readonly Attribute[];
  known: ReadonlyMap<string, Known>;
  reader: Reader;
}

/** Keeps the state of the page in its address, and requests what it shows: one request for each state. */
export function useExplore(data: ExploreData, browser: Browser | undefined): ExploreModel {
  const { game, collection, sample } = data;
  const [state, show] = useAddress(browser);
  const [key, keepKey] = useKey(browser);
  const path = `/api/${game.slug}/${collection}`;
  const query = writeListState(state ? { ...state, limit: state.limit ?? PAGE_SIZE } : START);
  const asked = useReply(browser, state && `${path}?${query}`, key);
  const list = asked.reply?.body as ListReply | undefined;
  const { attributes, facets } = useDictionary(data, browser, key, asked.reply);
  const known = useMemo(
    () => new Map(attributes.map((attribute) => [attribute.key, attribute])),
    [attributes],
  );
  const shown = state ?? START;
  const side = sideFacets(facets, attributes, data.records, shown.lang);
  const usual = usualColumns(side, facets, sample);
  return {
    ...{ show, keepKey, path, query, asked, list, side, facets, attributes, known },
    state: shown,
    isLive: key !== undefined,
    records:
      key === undefined
        ? sample.map((record) => inLanguage(record, shown.lang))
        : (list?.characters ?? list?.records ?? []),
    columns: shown.fields.length === 0 ? usual : [...new Set([...usual.slice(0, 1), ...shown.fields])],
    reader: { locale: useLocale(browser), lang: shown.lang },
  };
}

/** The state in the page's address; undefined until the page runs in a browser. */
function useAddress(
  browser: Browser | undefined,
): [state: ListState | undefined, show: (state: ListState, isStep?: boolean) => void] {
  const [state, setState] = useState<ListState>();
  useEffect(() => {
    if (browser === undefined) return undefined;
    const read = () => setState(readListState(browser.query()));
    read();
    return browser.onMove(read);
  }, [browser]);
  return [
    state,
    (next, isStep = true) => {
      setState(next);
      browser?.showQuery(writeListState(next), isStep);
    },
  ];
}

/**
 * The dictionary and the facets: those of the page, which are of the free view. If a response is of another build, as for Pro, those of that
 * build are requested.
 */
function useDictionary(
  { game, collection, facets: freeFacets }: ExploreData,
  browser: Browser | undefined,
  key: string | undefined,
  reply: ApiReply | undefined,
): { attributes: readonly Attribute[]; facets: readonly FacetRecord[] } {
  const build = (reply?.body as ListReply | undefined)?.build;
  const isPro = reply !== undefined && !hasAccountCaps(reply.remaining);
  const isOther = isPro && build !== undefined && build !== game.build;
  const base = `/api/${game.slug}/${collection}`;
  const attributes = useReply(browser, isOther ? `${base}/attributes` : undefined, key).reply?.body;
  const facets = useReply(browser, isOther ? `${base}/facets` : undefined, key).reply?.body;
  return {
    attributes: (attributes as { attributes: Attribute[] } | undefined)?.attributes ?? game.attributes,
    facets: (facets as { records: FacetRecord[] } | undefined)?.records ?? freeFacets,
  };
}
