import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { arrangeComparison, MAX_COMPARED, pickCompared, tileOfCompared } from '../model/compare-rows.ts';
import type { Reader } from '../model/format-value.ts';
import { inLanguage } from '../model/in-language.ts';
import { type ListState, readListState, START, writeListState } from '../model/list-state.ts';
import type { CompareData, Comparison } from '../model/page-data.ts';
import { addressOf } from '../model/linked.ts';
import { useReady } from './use-choice.ts';
import { AddByName } from './add-by-name.tsx';
import type { Browser } from './browser.ts';
import { CompareTable } from './compare-table.tsx';
import { KeyBox } from './key-box.tsx';
import { LanguagePicker } from './language-picker.tsx';
import { ReplyProblem } from './reply-state.tsx';
import { RequestBox } from './request-box.tsx';
import { useKey, useLocale, useReply, useTier } from './use-reply.ts';

/** Properties of `Compare`. */
export interface CompareProps {
  data: CompareData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** The page that compares characters. A script changes it in place: what it shows comes from the page at the new address, or for Pro from the API. */
export function Compare({ data, browser }: CompareProps): JSX.Element {
  const { game, sample } = data;
  const [key, keepKey] = useKey(browser);
  const { tier, refusal } = useTier(browser, key);
  const [{ ids: named, lang }, show] = useCompared(data.query, browser);
  const isApi = tier === 'pro' || (sample !== undefined && tier !== undefined);
  const path = `/api/${game.slug}/compare`;
  const locale = useLocale(browser);
  const ids = named.length > 0 ? named : data.comparison.ids;
  const query = writeListState({ ...START, ids, lang });
  const wasElsewhere = useRef(false);
  wasElsewhere.current ||= named.length > 0 && named.join() !== data.comparison.ids.join();
  const page =
    wasElsewhere.current && sample === undefined ? `/games/${game.slug}/compare?${query}` : undefined;
  const asked = useReply<CompareReply>(browser, isApi ? `${path}?${query}` : page, isApi ? key : '');
  const comparison =
    sample && !isApi
      ? pickFrom(sample, ids, lang)
      : inNames(useLast(data.comparison, asked.reply?.body), lang);
  const live = useReady() ? browser : undefined;
  const showIds = (next: readonly string[]) => show({ ids: next, lang });
  return (
    <div aria-busy={asked.isLoading}>
      {sample && !isApi ? (
        <SampleChoice sample={sample} chosen={comparison.ids} lang={lang} showIds={showIds} />
      ) : (
        <Adding game={game.slug} browser={live} ids={comparison.ids} showIds={showIds} isApi={isApi} />
      )}
      <p class="without-script">
        <a href={`/games/${game.slug}/explore`}>Choose other characters in the table</a>
      </p>
      <div class="tools">
        <LanguagePicker
          codes={game.languages}
          chosen={lang}
          locale={locale}
          onChoose={(code) => show({ ids, lang: code })}
        />
      </div>
      <ReplyProblem asked={asked} />
      <Comparing
        {...{ data, comparison }}
        reader={{ locale, lang }}
        onRemove={live && ((id) => showIds(comparison.ids.filter((other) => other !== id)))}
      />
      <Key sample={sample} hasKey={key !== undefined} refusal={refusal} onKey={browser && keepKey} />
      <RequestBox
        request={{ origin: browser?.origin ?? '', path, query, hasCsv: true }}
        remaining={asked.reply?.remaining ?? []}
        copy={browser && ((text) => browser.copy(text))}
      />
    </div>
  );
}

function Key({
  sample,
  hasKey,
  refusal,
  onKey,
}: Pick<CompareData, 'sample'> & {
  hasKey: boolean;
  refusal: string | undefined;
  onKey: ((key: string | undefined) => void) | undefined;
}) {
  const purpose = sample
    ? `The first ${sample.ids.length} characters can be compared without a key. All others need one.`
    : 'The table shows what a free key sees. With a Pro key it has builds from their release on.';
  return (
    <KeyBox purpose={purpose} hasKey={hasKey && refusal === undefined} problem={refusal} onKey={onKey} />
  );
}

/** A comparison of the API, or what the page of one was rendered with. */
type CompareReply = Comparison | { data: CompareData };

/** The last comparison that arrived, from a page or from the API. */
function useLast(first: Comparison, body: CompareReply | undefined): Comparison {
  const last = useRef(first);
  if (body && 'data' in body) last.current = body.data.comparison;
  else if (body && 'fields' in body) last.current = body;
  return last.current;
}

/** A comparison with the names in a language. */
function inNames(comparison: Comparison, lang: string): Comparison {
  return { ...comparison, characters: comparison.characters.map((unit) => inLanguage(unit, lang)) };
}

/** Those of the sample that are chosen. */
function pickFrom(sample: Comparison, ids: readonly string[], lang: string): Comparison {
  const positions = ids.map((id) => sample.ids.indexOf(id)).filter((at) => at >= 0);
  const pick = <T,>(all: readonly T[]) => positions.map((at) => all[at]).filter((each) => each !== undefined);
  return inNames(
    {
      ids: pick(sample.ids),
      characters: pick(sample.characters),
      fields: pickCompared(sample.fields, positions),
    },
    lang,
  );
}

/** Finds further characters by name, in the search of the site. */
function Adding({
  game,
  browser,
  ids,
  showIds,
  isApi,
}: {
  game: string;
  browser: Browser | undefined;
  /** Whether the API is searched, which finds what only the key sees. */
  isApi: boolean;
  ids: readonly string[];
  showIds: (ids: readonly string[]) => void;
}) {
  if (ids.length >= MAX_COMPARED) return <p class="small muted">These are the most that can be compared.</p>;
  return (
    <AddByName
      find={
        browser &&
        (async (text, signal) => {
          const results = await browser.search(text, game, isApi, signal);
          return results.filter(({ id }) => !ids.includes(id));
        })
      }
      onAdd={(id) => showIds([...ids, id])}
    />
  );
}

/** What is compared: everything that the page's address says. */
type Compared = Pick<ListState, 'ids' | 'lang'>;

/** What the page's address says, and what changes it. */
function useCompared(
  query: string,
  browser: Browser | undefined,
): [compared: Compared, show: (next: Compared) => void] {
  const [compared, setCompared] = useState<Compared>(() => readListState(query));
  useEffect(() => {
    if (browser === undefined) return undefined;
    const read = () => {
      const { ids, lang } = readListState(browser.query());
      if (new URLSearchParams(browser.query()).has('unit')) return;
      setCompared({ ids: ids.slice(0, MAX_COMPARED), lang });
    };
    read();
    return browser.onMove(read);
  }, [browser]);
  return [
    compared,
    (next) => {
      setCompared(next);
      browser?.showQuery(writeListState({ ...START, ...next }), true);
    },
  ];
}

function Comparing({
  data: { game, main, tile },
  reader,
  comparison: { characters, fields },
  onRemove,
}: Pick<CompareProps, 'data'> & {
  reader: Reader;
  comparison: Comparison;
  onRemove: ((id: string) => void) | undefined;
}) {
  const attributes = useMemo(
    () => new Map(game.attributes.map((attribute) => [attribute.key, attribute])),
    [game.attributes],
  );
  const units = characters.map(({ id, name = id }, at) => ({
    id: String(id),
    name: String(name),
    tile: tileOfCompared(fields, at, String(name), tile),
    href: addressOf(game.slug, 'characters', String(id)),
  }));
  return (
    <CompareTable
      units={units}
      sections={arrangeComparison(fields, { attributes, reader, main, hosts: tile.picture?.hosts ?? [] })}
      onRemove={onRemove}
    />
  );
}

/** Chooses characters of the sample. */
function SampleChoice({
  sample,
  chosen,
  lang,
  showIds,
}: {
  sample: Comparison;
  chosen: readonly string[];
  lang: string;
  showIds: (ids: readonly string[]) => void;
}) {
  const toggle = (id: string) => {
    const others = chosen.filter((other) => other !== id);
    if (others.length < chosen.length) showIds(others);
    else if (chosen.length < MAX_COMPARED) showIds([...chosen, id]);
  };
  return (
    <fieldset class="choice-row">
      <legend class="small muted">Sample characters</legend>
      {sample.characters
        .map((unit) => inLanguage(unit, lang))
        .map(({ id, name }) => (
          <label key={String(id)} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(String(id))}
              onChange={() => toggle(String(id))}
            />
            <span>{String(name ?? id)}</span>
          </label>
        ))}
    </fieldset>
  );
}
