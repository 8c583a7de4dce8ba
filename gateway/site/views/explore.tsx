import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { columnChoices } from '../model/columns.ts';
import { MAX_COMPARED } from '../model/compare-rows.ts';
import { fullLabel } from '../model/format-value.ts';
import { cycleSort, readListState, writeSort } from '../model/list-state.ts';
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
import { isPlainClick, StateLink } from './state-link.tsx';
import { type ExploreModel, PAGE_SIZE, useExplore } from './use-explore.ts';

export { PAGE_SIZE };

/** Properties of `Explore`. */
export interface ExploreProps {
  data: ExploreData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** The table of a collection with its filters: a form, whose every state has an address. With a script it changes in place. */
export function Explore({ data, browser }: ExploreProps): JSX.Element {
  const model = useExplore(data, browser);
  const { asked, path, query, show, state } = model;
  const key = <Key model={model} data={data} browser={browser} />;
  // The parts with many elements are rendered again only when what they show changes, and not with each reply.
  const side = useMemo(
    () => model.side.length > 0 && <Side model={model} />,
    [model.side, state, show === undefined, model.reader.locale],
  );
  return (
    <div class="explore">
      {data.isSample && key}
      <form
        class={model.side.length > 0 ? 'explore-grid' : undefined}
        action={model
          .addressOf({ ...state, filters: [], q: '', sort: [], fields: [], ids: [], lang: '', offset: 0 })
          .replace(/\?.*/, '')}
        onSubmit={(event) =>
          show && event.submitter?.getAttribute('formaction') === null && event.preventDefault()
        }
      >
        {side}
        <div class="explore-main" aria-busy={asked.isLoading}>
          <Tools model={model} data={data} />
          <ReplyProblem asked={asked} />
          <Results model={model} data={data} isLive={browser !== undefined} />
        </div>
      </form>
      {!data.isSample && key}
      <RequestBox
        request={{ origin: browser?.origin ?? '', path, query, hasCsv: true }}
        remaining={asked.reply?.remaining ?? []}
        copy={browser && ((text) => browser.copy(text))}
      />
    </div>
  );
}

function Key({ model, data: { isSample, records }, browser }: { model: ExploreModel } & ExploreProps) {
  const count = new Intl.NumberFormat(model.reader.locale).format(records);
  const purpose = isSample
    ? `The first of ${count} records are shown. Filters, search and the rest need a key.`
    : 'The table shows what a free key sees. With a Pro key it has builds from their release on.';
  return (
    <KeyBox
      purpose={purpose}
      hasKey={model.hasKey && model.keyProblem === undefined}
      problem={model.keyProblem}
      onKey={browser && model.keepKey}
    />
  );
}

/** The filters; on narrow screens a button shows them. */
function Side({ model: { side, state, show, reader } }: { model: ExploreModel }) {
  const [isOpen, setOpen] = useState(false);
  const count = state.filters.length;
  return (
    <aside class={isOpen ? 'explore-side open' : 'explore-side'} aria-label="Filters">
      <button type="button" class="quiet narrow-only" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </button>
      <SideFilters facets={side} state={state} locale={reader.locale} onState={show} />
      {show && (
        <button type="submit" class="without-script">
          Apply
        </button>
      )}
    </aside>
  );
}

/** What changes the table. Without a key, of a sample only the language of names can be chosen. */
function Tools({ model, data }: { model: ExploreModel; data: ExploreData }) {
  const { state, show, columns, facets, attributes, known, reader, asked } = model;
  const hasNames = facets.some(({ id }) => id === 'name');
  const picker = useMemo(
    () =>
      show && (
        <ColumnPicker
          choices={columnChoices(facets, attributes, (key) => fullLabel(known, key, state.lang))}
          chosen={columns}
          onChoose={(fields) => show({ ...state, fields })}
        />
      ),
    [facets, attributes, columns.join(), state, show === undefined],
  );
  return (
    <>
      <div class="tools">
        {show && hasNames && (
          <SearchField
            value={state.q}
            remaining={asked.reply?.remaining ?? []}
            onSearch={(q) => q !== state.q && show({ ...state, q, offset: 0 }, false)}
          />
        )}
        {show && (
          <LanguagePicker
            codes={data.game.languages}
            chosen={state.lang}
            locale={reader.locale}
            onChoose={(lang) => show({ ...state, lang })}
          />
        )}
        {picker}
        <label class="choice with-script">
          <input
            type="checkbox"
            checked={model.isRoomy}
            onChange={(event) => model.chooseRoomy(event.currentTarget.checked)}
          />
          <span>Roomy</span>
        </label>
        {state.sort.length > 0 && <input type="hidden" name="sort" value={writeSort(state.sort)} />}
        <Summary model={model} />
        {show && (
          <button type="submit" class="without-script">
            Search
          </button>
        )}
      </div>
      {show && <ActiveFilters model={model} />}
    </>
  );
}

function Results({ model, data, isLive }: { model: ExploreModel; data: ExploreData; isLive: boolean }) {
  const { state, show, list, reader } = model;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { game, collection } = data;
  const canCompare = show !== undefined && collection === 'characters';
  const parts = [
    ...[model.records, model.columns.join(), model.known, model.names, model.isRoomy],
    ...[state, show === undefined, reader.locale],
  ];
  const table = useMemo(
    () => model.records.length > 0 && <Table {...{ model, data }} chosen={canCompare ? chosen : undefined} />,
    parts,
  );
  return (
    <>
      <Rows
        table={table}
        parts={parts}
        isLive={isLive}
        onSort={show && ((query) => show({ ...state, sort: readListState(query).sort, offset: 0 }))}
        onChoose={(id, isChosen) => {
          const next = new Set(chosen);
          next.delete(id);
          if (isChosen && next.size < MAX_COMPARED) next.add(id);
          setChosen(next);
          return next.has(id);
        }}
      />
      {canCompare && (
        <p class={chosen.size > 0 ? 'compare-bar' : 'compare-bar without-script'}>
          <button type="submit" formaction={`/games/${game.slug}/compare`}>
            Compare{chosen.size > 0 && ` ${chosen.size}`}
          </button>{' '}
          <span class="small muted">up to {MAX_COMPARED}</span>
        </p>
      )}
      {show && (
        <Pager model={model} total={list.total} offset={state.offset} size={state.limit ?? PAGE_SIZE} />
      )}
    </>
  );
}

function Table({
  model,
  data: { game, collection, label, tile, hasIds },
  chosen,
}: {
  model: ExploreModel;
  data: ExploreData;
  chosen: ReadonlySet<string> | undefined;
}): JSX.Element {
  const { state, show, reader, records, columns, known, names, isRoomy } = model;
  return (
    <RecordTable
      key={`${columns.join()} ${isRoomy}`}
      {...{ reader, collection, records, columns, names, isRoomy, tile, hasIds, chosen }}
      game={game.slug}
      attributes={known}
      caption={`${label} of ${game.title}`}
      sort={state.sort}
      sortLink={
        show &&
        ((key, isNumber, text) => (
          <a class="sort" rel="nofollow" href={model.addressOf(cycleSort(state, key, isNumber))}>
            {text}
          </a>
        ))
      }
    />
  );
}

/** Properties of `Rows`. */
interface RowsProps {
  table: ComponentChildren;
  /** What the table depends on. */
  parts: readonly unknown[];
  /** Whether this runs in a browser. */
  isLive: boolean;
  onSort: ((query: string) => void) | undefined;
  /** @returns whether the record is chosen now */
  onChoose: (id: string, isChosen: boolean) => boolean;
}

/**
 * The table. Making its rows react takes longer than all else on the page, so that they do not: what the server rendered stays until it changes, and what happens
 * in it is handled here.
 */
function Rows({ table, parts, isLive, onSort, onChoose }: RowsProps): JSX.Element {
  const first = useRef(isLive ? parts : undefined);
  if (first.current?.some((part, at) => part !== parts[at])) first.current = undefined;
  const handlers = {
    onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest('a.sort') : null;
      if (link === null || onSort === undefined || !isPlainClick(event)) return;
      event.preventDefault();
      onSort(link.getAttribute('href')?.split('?')[1] ?? '');
    },
    onChange({ target }: Event) {
      if (target instanceof HTMLInputElement) target.checked = onChoose(target.value, target.checked);
    },
  };
  // An empty content leaves what is there when a page comes to life.
  if (first.current) return <div key="sent" {...handlers} dangerouslySetInnerHTML={{ __html: '' }} />;
  return (
    <div key="made" {...handlers}>
      {table}
    </div>
  );
}

/** How many records there are, announced when it changes. */
function Summary({ model }: { model: ExploreModel }) {
  const { list, state, show, reader } = model;
  if (show === undefined) return null;
  const format = new Intl.NumberFormat(reader.locale);
  const meant = list.did_you_mean;
  return (
    <p role="status" class="small muted">
      {`${format.format(list.total)} ${list.total === 1 ? 'record' : 'records'}, build ${list.build}`}
      {list.total === 0 && '. Remove a filter, or search for less.'}
      {meant?.parameter === 'q' && (
        <>
          {' '}
          Did you mean{' '}
          <StateLink model={model} state={{ ...state, q: meant.value, offset: 0 }}>
            {meant.value}
          </StateLink>
          ?
        </>
      )}
    </p>
  );
}
