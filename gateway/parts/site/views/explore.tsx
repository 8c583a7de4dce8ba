import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { columnChoices } from '../model/columns.ts';
import { MAX_COMPARED } from '../model/compare-rows.ts';
import { fullLabel } from '../model/format-value.ts';
import { cycleSort } from '../model/list-state.ts';
import type { ExploreData } from '../model/page-data.ts';
import { ActiveFilters } from './active-filters.tsx';
import type { Browser } from './browser.ts';
import { KeyBox } from './key-box.tsx';
import { LanguagePicker } from './language-picker.tsx';
import { ColumnPicker, Pager, SearchField } from './list-tools.tsx';
import { RecordTable } from './record-table.tsx';
import { ReplyProblem } from './reply-state.tsx';
import { RequestBox } from './request-box.tsx';
import { SideFilters } from './side-filters.tsx';
import { type ExploreModel, PAGE_SIZE, useExplore } from './use-explore.ts';

/** Properties of `Explore`. */
export interface ExploreProps {
  data: ExploreData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** The table of a collection with its filters. Without a key it shows the sample, and sends nothing. */
export function Explore({ data, browser }: ExploreProps): JSX.Element {
  const model = useExplore(data, browser);
  const { isLive, keepKey, asked, path, query } = model;
  const remaining = asked.reply?.remaining ?? [];
  return (
    <div class="explore">
      <KeyBox
        purpose={purposeOf(model, data)}
        hasKey={isLive && asked.reply?.status !== 401}
        problem={asked.reply?.status === 401 ? asked.reply.problem : undefined}
        onKey={browser && keepKey}
      />
      <div class={model.side.length > 0 ? 'explore-grid' : undefined}>
        {model.side.length > 0 && <Side model={model} />}
        <div class="explore-main" aria-busy={asked.isLoading}>
          <Tools model={model} data={data} />
          <ReplyProblem asked={asked} />
          <Results model={model} data={data} />
        </div>
      </div>
      <RequestBox
        request={{ origin: browser?.origin ?? '', path, query, hasCsv: true }}
        remaining={remaining}
        copy={browser && ((text) => browser.copy(text))}
      />
    </div>
  );
}

/** The filters; on narrow screens a button shows them. */
function Side({ model: { side, state, show, reader, isLive } }: { model: ExploreModel }) {
  const [isOpen, setOpen] = useState(false);
  const count = state.filters.length;
  return (
    <aside class={isOpen ? 'explore-side open' : 'explore-side'} aria-label="Filters">
      <button type="button" class="quiet narrow-only" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </button>
      <SideFilters facets={side} state={state} locale={reader.locale} onState={isLive ? show : undefined} />
    </aside>
  );
}

/** What a key is for, as the address says. */
function purposeOf({ state, reader }: ExploreModel, { records, sample }: ExploreData): string {
  const count = new Intl.NumberFormat(reader.locale).format(records);
  const isChosen = state.filters.length + state.ids.length + state.sort.length > 0 || state.q !== '';
  if (isChosen) return 'This address filters or sorts the table, which needs a key.';
  if (sample.length === 0) return `The records of datasets, ${count} here, need a key.`;
  return sample.length < records
    ? `These are the first ${sample.length} of ${count}. Filters, search and the rest need a key.`
    : 'Filters and search need a key.';
}

/** What changes the table. Without a key, only the language of names can be chosen. */
function Tools({ model, data }: { model: ExploreModel; data: ExploreData }) {
  const { state, show, columns, facets, attributes, known, reader, asked, isLive } = model;
  const hasNames = facets.some(({ id }) => id === 'name');
  return (
    <>
      <div class="tools">
        {isLive && hasNames && (
          <SearchField
            value={state.q}
            remaining={asked.reply?.remaining ?? []}
            onSearch={(q) => q !== state.q && show({ ...state, q, offset: 0 }, false)}
          />
        )}
        <LanguagePicker
          codes={data.game.languages}
          chosen={state.lang}
          locale={reader.locale}
          onChoose={(lang) => show({ ...state, lang })}
        />
        {isLive && (
          <ColumnPicker
            choices={columnChoices(facets, attributes, (key) => fullLabel(known, key, state.lang))}
            chosen={columns}
            onChoose={(fields) => show({ ...state, fields })}
          />
        )}
      </div>
      {isLive && <ActiveFilters state={state} attributes={known} reader={reader} onState={show} />}
    </>
  );
}

function Results({ model, data }: { model: ExploreModel; data: ExploreData }) {
  const { state, show, isLive, list, reader } = model;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { game, collection } = data;
  const canCompare = isLive && collection === 'characters';
  const choose = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id) && next.size < MAX_COMPARED) next.add(id);
    setChosen(next);
  };
  return (
    <>
      <Summary model={model} />
      {(isLive || data.sample.length > 0) && (
        <RecordTable
          {...{ reader, collection }}
          game={game.slug}
          records={model.records}
          columns={model.columns}
          attributes={model.known}
          caption={`${labelOf(data)} of ${game.title}`}
          sort={state.sort}
          onSort={isLive ? (key, isNumber) => show(cycleSort(state, key, isNumber)) : undefined}
          chosen={canCompare ? chosen : undefined}
          onChoose={choose}
        />
      )}
      {chosen.size > 0 && (
        <p class="compare-bar" role="status">
          <a
            class="button"
            href={`/games/${game.slug}/compare?ids=${[...chosen].map(encodeURIComponent).join()}`}
          >
            Compare {chosen.size}
          </a>{' '}
          <span class="small muted">up to {MAX_COMPARED}</span>
        </p>
      )}
      {list && (
        <Pager
          total={list.total}
          offset={state.offset}
          size={state.limit ?? PAGE_SIZE}
          onOffset={(offset) => show({ ...state, offset })}
        />
      )}
    </>
  );
}

function labelOf({ collections, collection }: ExploreData): string {
  return collections.find(({ key }) => key === collection)?.label ?? collection;
}

/** How many records there are, announced when it changes. */
function Summary({ model }: { model: ExploreModel }) {
  const { isLive, list, state, show, reader, asked } = model;
  if (!isLive) return null;
  const format = new Intl.NumberFormat(reader.locale);
  const meant = list?.did_you_mean;
  return (
    <p role="status" class="small muted">
      {list === undefined && asked.isLoading && 'Loading…'}
      {list && `${format.format(list.total)} ${list.total === 1 ? 'record' : 'records'}, build ${list.build}`}
      {list?.total === 0 && '. Remove a filter, or search for less.'}
      {meant?.parameter === 'q' && (
        <>
          {' '}
          Did you mean{' '}
          <button type="button" class="link" onClick={() => show({ ...state, q: meant.value, offset: 0 })}>
            {meant.value}
          </button>
          ?
        </>
      )}
    </p>
  );
}
