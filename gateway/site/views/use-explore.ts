import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import type { JsonObject } from '../../../scripts/format/json.ts';
import { columnsOf } from '../model/columns.ts';
import { type FacetRecord, type SideFacet, sideFacets } from '../model/facets.ts';
import type { Known, Reader } from '../model/format-value.ts';
import { inReadingOrder } from '../model/in-order.ts';
import { inLanguage } from '../model/in-language.ts';
import { type ListState, readListState, START, tidyQuery, writeListState } from '../model/list-state.ts';
import type { ExploreData, ListReply } from '../model/page-data.ts';
import { listAddressOf } from '../model/linked.ts';
import type { Browser } from './browser.ts';
import { useChoice } from './use-choice.ts';
import { type Asked, type AttributesReply, useKey, useLocale, useReply, useTier } from './use-reply.ts';
import { MAX_WHOLE, useWholeList } from './use-whole-list.ts';

/** How many records a page of the table has, unless its address says otherwise. */
export const PAGE_SIZE = 50;

/** Everything that a list shows. */
export interface ExploreModel {
  state: ListState;
  /** Changes what is shown, and the page's address; undefined if the list cannot be changed. @param isStep whether the browser can go back to the state before */
  show: ((state: ListState, isStep?: boolean) => void) | undefined;
  /** The address of the page in a state. */
  addressOf: (state: ListState) => string;
  /** Whether rows are high. */
  isRoomy: boolean;
  chooseRoomy: (isRoomy: boolean) => void;
  hasKey: boolean;
  keepKey: (key: string | undefined) => void;
  /** Why the key of the tab does not work. */
  keyProblem: string | undefined;
  /** The path and the query of the API's request for the same. */
  path: string;
  query: string;
  asked: Asked;
  list: ListReply;
  records: readonly JsonObject[];
  names: ExploreData['names'];
  columns: readonly string[];
  side: readonly SideFacet[];
  facets: readonly FacetRecord[];
  attributes: readonly Attribute[];
  known: ReadonlyMap<string, Known>;
  reader: Reader;
}

/**
 * Keeps the state of the page in its address. What it shows comes from the page at that address, which costs no request of the API; a key that sees
 * more than visitors do asks the API. A reply that brings nothing leaves what is shown.
 */
export function useExplore(data: ExploreData, browser: Browser | undefined): ExploreModel {
  const { game, collection, isSample } = data;
  const choices = `${game.slug}/${collection}`;
  const [state, show] = useAddress(data.query, browser, choices);
  const [density, chooseDensity] = useChoice(browser, 'density');
  const [key, keepKey] = useKey(browser);
  const { tier, refusal } = useTier(browser, key);
  const isApi = tier === 'pro' || (isSample && tier !== undefined);
  const path = `/api/${game.slug}/${collection}`;
  const query = writeListState({ ...state, limit: state.limit ?? PAGE_SIZE });
  const pageAddress = (next: ListState) => join(listAddressOf(game.slug, collection), writeListState(next));
  const isElsewhere = writeListState(state) !== data.query;
  const wasElsewhere = useRef(false);
  wasElsewhere.current ||= isElsewhere && !isSample;
  const columns = columnsOf(data.columns, state.fields);
  const isWhole = tier !== undefined && data.records <= MAX_WHOLE && (isApi || wasElsewhere.current);
  const whole = useWholeList(browser, {
    ...{ path, state, size: state.limit ?? PAGE_SIZE, apiKey: isWhole ? key : undefined },
    canQuery:
      state.q === '' &&
      !columns.some((column) =>
        data.game.attributes.some((each) => each.key === column && each.ref !== undefined),
      ),
  });
  const isHere = whole.list !== undefined || whole.isComing;
  const elsewhere = isApi ? `${path}?${query}` : wasElsewhere.current ? pageAddress(state) : undefined;
  const paged = useReply<ExploreReply>(browser, isHere ? undefined : elsewhere, isApi ? key : '');
  // The same build has the same rows.
  const isSame = !isElsewhere && whole.list?.build === data.list.build;
  const { list, page } = useLast(data, paged, isSame ? data.list : whole.list);
  const asked = isHere ? whole.asked : paged;
  const { attributes, facets } = useDictionary(page, browser, isApi ? key : undefined, list);
  const byKey = useMemo(
    () => new Map(attributes.map((attribute) => [attribute.key, attribute])),
    [attributes],
  );
  const side = useMemo(
    () => sideFacets(facets, attributes, data.records, state.lang),
    [facets, attributes, data.records, state.lang],
  );
  const all = list.characters ?? list.records ?? [];
  return {
    ...{ state, path, query, asked, list, facets, attributes, known: byKey, keepKey, addressOf: pageAddress },
    show: isSample && !isApi ? undefined : show,
    ...{ isRoomy: density === 'roomy', chooseRoomy: (roomy: boolean) => chooseDensity(roomy ? 'roomy' : '') },
    hasKey: key !== undefined,
    keyProblem: refusal,
    records: isSample && !isApi ? all.map((record) => inLanguage(record, state.lang)) : all,
    names: page.names,
    ...{ side, columns },
    reader: { locale: useLocale(browser), lang: state.lang },
  };
}

function join(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** A list of the API, or what the page of one was rendered with. */
type ExploreReply = ListReply | { data: ExploreData };

/** The last list that arrived, from a page or from the API, and the last page. */
function useLast(
  data: ExploreData,
  { reply }: Asked<ExploreReply>,
  whole: ListReply | undefined,
): { list: ListReply; page: ExploreData } {
  const last = useRef({ list: data.list, page: data });
  const body = reply?.body;
  if (whole) last.current = { ...last.current, list: whole };
  else if (isPage(body)) last.current = { list: body.data.list, page: body.data };
  else if (body !== undefined) last.current = { ...last.current, list: body };
  return last.current;
}

function isPage(body: ExploreReply | undefined): body is { data: ExploreData } {
  return typeof body?.data === 'object';
}

/** The state in the page's address, and the columns and language that the reader chose before. @param choices the name that they are kept by */
function useAddress(
  query: string,
  browser: Browser | undefined,
  choices: string,
): [state: ListState, show: (state: ListState, isStep?: boolean) => void] {
  const [state, setState] = useState<ListState>(() => readListState(query));
  useEffect(() => {
    if (browser === undefined) return undefined;
    const read = () => setState(readListState(tidyQuery(browser.query(), PAGE_SIZE)));
    const listState = readListState(tidyQuery(browser.query(), PAGE_SIZE));
    const choice = readListState(browser.choice(choices) ?? '');
    // What the address says comes first.
    const fields = listState.fields.length > 0 ? listState.fields : choice.fields;
    const next = { ...listState, fields, lang: listState.lang === '' ? choice.lang : listState.lang };
    if (writeListState(next) !== writeListState(listState)) browser.showQuery(writeListState(next), false);
    // The same state is no reason to render all again.
    setState((before) => (writeListState(before) === writeListState(next) ? before : next));
    return browser.onMove(read);
  }, [browser]);
  return [
    state,
    (next, isStep = true) => {
      if (next.lang !== state.lang || next.fields !== state.fields)
        browser?.keepChoice(choices, writeListState({ ...START, lang: next.lang, fields: next.fields }));
      setState(next);
      browser?.showQuery(writeListState(next), isStep);
    },
  ];
}

/** The dictionary and the facets: those of the page. If the list is of another build, as for Pro, those of that build are requested. */
function useDictionary(
  { game, collection, facets: freeFacets }: ExploreData,
  browser: Browser | undefined,
  key: string | undefined,
  { build }: ListReply,
): { attributes: readonly Attribute[]; facets: readonly FacetRecord[] } {
  const isOther = key !== undefined && build !== game.build;
  const base = `/api/${game.slug}/${collection}`;
  const attributes = useReply<AttributesReply>(browser, isOther ? `${base}/attributes` : undefined, key);
  const facets = useReply<{ records: FacetRecord[] }>(browser, isOther ? `${base}/facets` : undefined, key);
  const listed = attributes.reply?.body?.attributes;
  return {
    attributes: useMemo(() => (listed ? inReadingOrder(listed) : game.attributes), [listed, game]),
    facets: facets.reply?.body?.records ?? freeFacets,
  };
}
