import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { arrangeComparison, MAX_COMPARED, pickCompared } from '../model/compare-rows.ts';
import type { Named } from '../model/find-names.ts';
import type { Reader } from '../model/format-value.ts';
import { inLanguage } from '../model/in-language.ts';
import { type ListState, readListState, START, writeListState } from '../model/list-state.ts';
import type { CompareData, Comparison } from '../model/page-data.ts';
import { addressOf } from '../model/record-view.ts';
import { AddByName } from './add-by-name.tsx';
import type { Browser } from './browser.ts';
import { CompareTable } from './compare-table.tsx';
import { KeyBox } from './key-box.tsx';
import { LanguagePicker } from './language-picker.tsx';
import { ReplyProblem } from './reply-state.tsx';
import { RequestBox } from './request-box.tsx';
import { useKey, useLocale, useReply } from './use-reply.ts';

/** How many characters of the sample are compared at first. */
const FIRST = 3;

/** Properties of `Compare`. */
export interface CompareProps {
  data: CompareData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** The page that compares characters. Without a key it compares those of the sample. */
export function Compare({ data, browser }: CompareProps): JSX.Element {
  const { game } = data;
  const [key, keepKey] = useKey(browser);
  const [{ ids, lang }, show] = useCompared(browser);
  const showIds = (next: readonly string[]) => show({ ids: next, lang });
  const isLive = key !== undefined;
  const path = `/api/${game.slug}/compare`;
  const query = writeListState({ ...START, ids, lang });
  const locale = useLocale(browser);
  const asked = useReply(browser, ids.length > 0 ? `${path}?${query}` : undefined, key);
  const comparison = isLive ? (asked.reply?.body as Comparison | undefined) : sampleOf(data, ids, lang);
  return (
    <div aria-busy={asked.isLoading}>
      <KeyBox
        purpose={`The first ${data.sample.ids.length} characters can be compared without a key. All others need one.`}
        hasKey={isLive && asked.reply?.status !== 401}
        problem={asked.reply?.status === 401 ? asked.reply.problem : undefined}
        onKey={browser && keepKey}
      />
      {isLive ? (
        <Adding game={game.slug} browser={browser} apiKey={key} ids={ids} showIds={showIds} />
      ) : (
        <SampleChoice data={data} chosen={comparison?.ids ?? []} lang={lang} showIds={showIds} />
      )}
      <div class="tools">
        <LanguagePicker
          codes={game.languages}
          chosen={lang}
          locale={locale}
          onChoose={(code) => show({ ids, lang: code })}
        />
      </div>
      <ReplyProblem asked={asked} />
      {comparison && (
        <Comparing
          {...{ data, comparison }}
          reader={{ locale, lang }}
          onRemove={browser && ((id) => showIds(comparison.ids.filter((other) => other !== id)))}
        />
      )}
      {ids.length > 0 && (
        <RequestBox
          request={{ origin: browser?.origin ?? '', path, query, hasCsv: true }}
          remaining={asked.reply?.remaining ?? []}
          copy={browser && ((text) => browser.copy(text))}
        />
      )}
    </div>
  );
}

/** The characters of the address that are in the sample, compared; the first ones if there are none. */
function sampleOf({ sample }: CompareData, ids: readonly string[], lang: string): Comparison {
  const wanted = ids.map((id) => sample.ids.indexOf(id)).filter((at) => at >= 0);
  const positions = wanted.length > 0 ? wanted : [...sample.ids.keys()].slice(0, FIRST);
  return {
    ids: positions.map((at) => sample.ids[at]).filter((id) => id !== undefined),
    characters: positions
      .map((at) => sample.characters[at])
      .filter((unit) => unit !== undefined)
      .map((unit) => inLanguage(unit, lang)),
    fields: pickCompared(sample.fields, positions),
  };
}

/** Finds further characters by name. */
function Adding({
  game,
  browser,
  apiKey,
  ids,
  showIds,
}: {
  game: string;
  browser: Browser | undefined;
  apiKey: string;
  ids: readonly string[];
  showIds: (ids: readonly string[]) => void;
}) {
  const { reply, isLoading } = useReply(browser, `/api/${game}/names`, apiKey);
  const names = (reply?.body as { names: Named[] } | undefined)?.names ?? [];
  if (ids.length >= MAX_COMPARED) return <p class="small muted">These are the most that can be compared.</p>;
  return (
    <AddByName
      names={names.filter(({ id }) => !ids.includes(id))}
      isLoading={isLoading}
      onAdd={(id) => showIds([...ids, id])}
    />
  );
}

/** What is compared: everything that the page's address says. */
type Compared = Pick<ListState, 'ids' | 'lang'>;

/** What the page's address says, and what changes it. */
function useCompared(browser: Browser | undefined): [compared: Compared, show: (next: Compared) => void] {
  const [compared, setCompared] = useState<Compared>(START);
  useEffect(() => {
    if (browser === undefined) return undefined;
    const read = () => {
      const { ids, lang } = readListState(browser.query());
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
  data: { game },
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
  const units = characters.map(({ id, name }) => ({
    id: String(id),
    name: typeof name === 'string' ? name : String(id),
    href: addressOf(game.slug, 'characters', String(id)),
  }));
  return (
    <CompareTable
      units={units}
      sections={arrangeComparison(fields, attributes, reader)}
      onRemove={onRemove}
    />
  );
}

/** Chooses characters of the sample. */
function SampleChoice({
  data: { sample },
  chosen,
  lang,
  showIds,
}: {
  data: CompareData;
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
