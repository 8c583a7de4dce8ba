// A list as a table with filters: a form; every combination of filters has its own address. A script updates it in place. And characters side by side: differences
// first, with the largest value of each stat marked.
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { ComparedFacet } from '../../api/records.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { parseRawQuery } from '../../http/incoming.ts';
import { HttpProblem, quote, suggest } from '../../http/problem.ts';
import { valueAt } from '../../query/fields.ts';
import { parseListQuery, selectRows } from '../../query/list-query.ts';
import { gameOf, type ListModel, type ListReply, listAddressOf, listsOf, NearProblem } from '../data.ts';
import type { Attributes, SideFacet } from '../facets.ts';
import * as formats from '../format.ts';
import { type PageContent, sample, scroll } from '../layout.ts';
import * as states from '../list-state.ts';
import { COUNTDOWN_MS, type SitePage, type Visit } from '../page-server.ts';
import { CHARACTERS, dataLinks, fold, gameHead, pictureCredit, TIMED } from '../parts.ts';
import { type Entry, tile } from '../tile.ts';
import { timeline } from './game.ts';
import { languageName, MAX_ID_CHARS, objectPage, readContext } from './record.ts';

/** How many records a page shows. */
const PAGE_SIZE = 60;
/** How many groups of filters are always visible; the others unfold. */
const SHOWN_GROUPS = 3;
const MAX_CHOICES = 14;
const relevantQuery = (query: string) => states.tidyQuery(query, 2 * PAGE_SIZE + 1);

export const charactersPage: SitePage = {
  path: '/games/:game/explore',
  isCounted: true,
  relevantQuery,
  make: (visit) => listPage(visit, CHARACTERS),
};

/** The table of a dataset, or the page of one that is an object. */
export const datasetPage: SitePage = {
  path: '/games/:game/:dataset',
  isCounted: true,
  keepMs: COUNTDOWN_MS,
  relevantQuery,
  async make(visit) {
    const game = gameOf(visit);
    const { dataset = '' } = visit.params;
    const { query } = visit;
    if (dataset === CHARACTERS)
      return { location: `${listAddressOf(game.slug, dataset)}${query && `?${query}`}` };
    const isObject = game.datasets.get(dataset)?.kind === 'object';
    return isObject ? await objectPage(visit, game, dataset) : await listPage(visit, dataset);
  },
};

function noSuchList(game: GameBuild, key: string): NearProblem {
  const lists = listsOf(game).map((list) => [listAddressOf(game.slug, list.key), list.label] as const);
  const detail = `${game.title} has no list ${quote(key)}${suggest(key, game.datasets.keys())}`;
  return new NearProblem('unknown-dataset', detail, [[`/games/${game.slug}`, game.title], ...lists]);
}

/** The data of a list page. */
interface ListPageData {
  game: GameBuild;
  model: ListModel;
  state: states.ListState;
  reply: ListReply;
  records: readonly JsonObject[];
  columns: string[];
  reader: formats.Reader;
  images: Visit['services']['images'];
}

async function listPage(visit: Visit, key: string): Promise<PageContent> {
  const { view, services, query } = visit;
  const { data, images } = services;
  const game = gameOf(visit);
  const model = await data.list(view, game, key);
  if (model === undefined) throw noSuchList(game, key);
  const { label, count, known } = model;
  const state = states.readListState(query);
  const columns = columnsOf(model, state);
  const refs = [...known.values()].flatMap(({ ref }) => ref ?? []);
  const find = await data.finder(view, game, new Set(refs));
  const reader: formats.Reader = { lang: state.lang, nameOf: (ref, id) => find(ref, id)?.name };
  const api = `/api/${game.slug}/${encodeURIComponent(key)}`;
  const reply = await data
    .read<ListReply>(view, api, requestOf(model, state, columns))
    .catch((error: unknown) => refuse(error, game, model));
  const records = reply.characters ?? reply.records ?? [];
  const shown = { game, model, state, reply, records, columns, reader, images };
  const heading = `${label} of ${game.title}`;
  const path = listAddressOf(game.slug, key);
  const times = query === '' && TIMED.some((each) => each === key) && (await timeline(visit, key));
  const hosts = await data.hosts(view, game, times ? [key, CHARACTERS, ...refs] : [key]);
  const list = html`<div id="swap" class="list-grid">${filters(shown, path)}<div>${table(shown)}${pager(shown)}
    ${fold('This list in the API', sample(services.publicUrl(), `${api}${query && `?${query}`}`))}
    ${fold('Other data of the game', dataLinks(game, true))}</div></div>`;
  return {
    title: heading,
    description: `All ${formats.countOf(count, 'record')} of ${label.toLowerCase()} of ${game.title}: a table to filter, search, sort and compare.`,
    isUnlisted: query !== '',
    scripts: ['explore'],
    pictureHosts: hosts,
    body: html`${reply.count > 0 && !times && html`<a class="skip-link" href="#rows">Skip to the table</a>`}${gameHead(view, game, key === CHARACTERS ? 'explore' : key, heading)}
      ${times}<p role="status" class="visually-hidden" id="said"></p>
      ${times ? fold(`All ${formats.formatNumber(count)} ${key} as a table`, list) : list}
      ${pictureCredit(game, hosts, images)}`,
  };
}

/** Says what an address asks for that the list does not have, with a link to the whole list. */
function refuse(error: unknown, game: GameBuild, { key, label, known }: ListModel): never {
  if (!(error instanceof HttpProblem && error.code === 'invalid-parameter')) throw error;
  const [name = ''] = String(error.members.parameter).split('[');
  const isThere = known.has(name) || states.NAMES.has(name);
  const detail = `${label} of ${game.title} have no filter ${quote(name)}${suggest(name, known.keys())}`;
  const whole = [listAddressOf(game.slug, key), `All ${label.toLowerCase()}`] as const;
  throw new NearProblem(error.code, isThere ? error.message : detail, [whole]);
}

/** The columns of the table: the name, then the sort keys, then the chosen ones. */
function columnsOf({ columns, facets }: ListModel, { fields, sort }: states.ListState): string[] {
  const [first = 'id', ...usual] = columns;
  const sorted = sort
    .map(({ key }) => key)
    .filter((key) => facets.some(({ id, list }) => id === key && !list));
  return [...new Set([first, ...sorted, ...(fields.length > 0 ? fields : usual)])];
}

/** The query of the API for the records of a page, with the attributes of the table. */
function requestOf({ known, count }: ListModel, state: states.ListState, columns: readonly string[]): string {
  const named = known.has('name') ? [] : [...known.keys()].filter((each) => /^[^.]+_name$/.test(each));
  const fields = [...columns, ...named].filter((each) => known.has(each) || state.fields.includes(each));
  const limit = state.limit ?? PAGE_SIZE;
  return states.writeListState({ ...state, fields: count === 0 ? [] : fields, limit });
}

/** The search, the chips of the first groups, and all other controls. */
function filters(shown: ListPageData, path: string): Html {
  const { game, model, state, columns } = shown;
  const { side, known, facets } = model;
  const checkbox = (name: string, value: string, isOn: boolean, text: Content, isOff = false) =>
    html`<label><input type="checkbox" name="${name}" value="${value}"${isOn && html` checked`}${isOff && html` disabled`}>${text}</label> `;
  const count = valueCounter(shown);
  const choicesOf = formats.once((facet: SideFacet) => {
    const counts = count?.(facet.key);
    return (facet.form === 'choices' ? facet.choices : []).slice(0, MAX_CHOICES).map((choice) => {
      const isOn = states.filterValues(state, facet.key).includes(choice.value);
      const left = counts ? (counts.get(choice.value) ?? 0) : choice.count;
      return { ...choice, isOn, count: left, isOff: left === 0 && !isOn };
    });
  });
  const chips = side
    .filter(({ form, key }) => form === 'choices' && !key.includes('.'))
    .slice(0, SHOWN_GROUPS);
  const more = side.filter((facet) => !chips.includes(facet));
  const groups = chips.map((facet) => {
    const boxes = choicesOf(facet).map(({ value, label, count: left, isOn, isOff }) =>
      checkbox(facet.key, value, isOn, html`${label} <small>${left}</small>`, isOff),
    );
    return html`<fieldset><legend>${facet.label}</legend><div class="chips">${boxes}</div></fieldset>`;
  });
  const fields = more.map((facet) => {
    if (facet.form === 'range') return range(facet, state);
    const options = choicesOf(facet).map(
      ({ value, label, count: left, isOn, isOff }) =>
        html`<option value="${value}"${isOn && html` selected`}${isOff && html` disabled`}>${label} (${left})`,
    );
    return html`<label>${facet.label}<select name="${facet.key}"><option value="">Any${options}</select></label>`;
  });
  const others = state.filters
    .filter(({ key, operator, value }) => {
      const facet = side.find((each) => each.key === key);
      if (facet?.form === 'range') return operator !== 'gte' && operator !== 'lte';
      return !facet || operator !== '' || !choicesOf(facet).some((choice) => choice.value === value);
    })
    .map(({ key, operator, value }) => {
      const label = formats.labelOf(known.get(key) ?? { key });
      return checkbox(`${key}${operator && `[${operator}]`}`, value, true, `${label} ${operator} ${value}`);
    });
  const isOpen = more.some((facet) => state.filters.some(({ key }) => key === facet.key));
  const columnBoxes = facets
    .filter(({ id }) => !formats.isInternal(known.get(id) ?? { key: id }) && id !== columns[0])
    .map(({ id }) => checkbox('fields', id, state.fields.includes(id), formats.fullLabel(known, id)));
  const { codes, own = 'en' } = game.languages;
  const options = [own, ...codes.filter((each) => each !== own)].map((each) => {
    const value = each === own ? '' : each;
    return html`<option value="${value}"${value === state.lang && html` selected`}>${languageName(each)}`;
  });
  const language = html`<label>Names in <select name="lang">${options}</select></label>`;
  const field = html`<input type="search" name="q" value="${state.q}" maxlength="100" placeholder="Name"
    aria-label="Name, in any language">`;
  const sorted = states.writeSort(state.sort);
  const numbers = columns.filter((each) => formats.isNumeric(known.get(each) ?? { key: each }));
  const dates = facets.flatMap(({ id, list }) => (known.get(id)?.kind === 'date' && !list ? id : []));
  const sorts = [...new Set([sorted, '', ...[...dates, ...numbers].map((each) => `-${each}`)])].map((by) => {
    const [first = ''] = by.split(',');
    const key = first.replace(/^-/, '');
    const label = `${formats.fullLabel(known, key)} ${key === first ? '↑' : '↓'}`;
    return html`<option value="${by}">${by === '' ? 'Order of the game' : label}`;
  });
  const hidden = html`<input type="hidden" name="ids" value="${state.ids.join()}">`;
  return html`<form class="filters" action="${path}" data-swap>
    <p class="row">${known.has('name') && field}<select name="sort" aria-label="Order">${sorts}</select><button class="quiet">Apply</button></p>
    ${groups}${others.length > 0 && html`<div class="chips">${others}</div>`}${state.ids.length > 0 && hidden}
    <div class="folds">${more.length > 0 && fold('More filters', html`<div class="groups">${fields}</div>`, isOpen)}
    ${fold('Columns', html`${codes.length > 0 && language}<div class="chips">${columnBoxes}</div>`)}</div></form>`;
}

/** Counts the records with each value of a facet that pass the filters of the others; undefined if nothing is filtered. */
function valueCounter({ game, model, state }: ListPageData) {
  const all = { ...states.START, filters: state.filters, q: state.q, ids: state.ids };
  if (states.writeListState(all) === '') return undefined;
  const dataset = game.datasets.get(model.key);
  const list = dataset?.kind === 'list' ? dataset.list : game.roster;
  const select = formats.once((filters: states.ListState['filters']) => {
    const query = parseRawQuery(states.writeListState({ ...all, filters })) ?? [];
    const marks = new Uint8Array(list.count);
    for (const row of selectRows(list, parseListQuery(query, list, undefined)).rows) marks[row] = 1;
    return marks;
  });
  return (facet: string): ReadonlyMap<string, number> => {
    const others = all.filters.filter(({ key }) => key !== facet);
    // Most facets have no filter of their own, and share a selection.
    const marks = select(others.length === all.filters.length ? all.filters : others);
    const { values = [], rowsOf = [] } = list.columns.get(facet)?.coded ?? {};
    const countOf = (rows: readonly number[] = []) => rows.reduce((sum, row) => sum + (marks[row] ?? 0), 0);
    return new Map(values.map((value, code) => [String(value), countOf(rowsOf[code])]));
  };
}

/** The two ends of a range. */
function range(facet: SideFacet & { form: 'range' }, state: states.ListState): Html {
  const { key, label, min, max, isDate } = facet;
  const field = (operator: string, bound: number, word: string) => {
    const [value] = states.filterValues(state, key, operator);
    const hint = isDate ? '' : formats.formatNumber(bound);
    return html`<input type="${isDate ? 'date' : 'number'}" step="any" placeholder="${hint}" name="${key}[${operator}]"${value !== undefined && html` value="${value}"`} aria-label="${label}, ${word}">`;
  };
  return html`<fieldset><legend>${label}</legend>${field('gte', min, 'at least')} – ${field('lte', max, 'at most')}</fieldset>`;
}

function table(shown: ListPageData): Html {
  const { game, model, state, reply, columns, records } = shown;
  const { key, label, byId } = model;
  const { did_you_mean: meant, total, build } = reply;
  const hint =
    meant?.parameter === 'q' &&
    html` Did you mean <a data-swap href="?${states.writeListState({ ...state, q: meant.value, offset: 0 })}">${meant.value}</a>?`;
  const all = states.writeListState({ ...state, filters: [], q: '', ids: [], offset: 0 });
  const isLess = state.filters.length + state.ids.length > 0 || state.q !== '';
  const status = html`<p class="small muted" data-said>${formats.countOf(total, 'record')}, build ${build}${
    total === 0 && '. Remove a filter, or search for less.'
  }${hint}${isLess && html` <a data-swap rel="nofollow" href="?${all}">Clear all filters</a>`}</p>`;
  if (records.length === 0) return status;
  const canCompare = key === CHARACTERS;
  const isNumber = (column: string) => formats.isNumeric(model.known.get(column) ?? { key: column });
  const numbers = columns.flatMap((column, at) =>
    isNumber(column) ? `n${at + 1 + Number(canCompare)}` : [],
  );
  const classes = ['records', ...numbers].join(' ');
  const head = columns.map((column) => heading(shown, column, isNumber(column)));
  const pictures = commonStart(records.flatMap(({ id }) => byId.get(String(id))?.picture ?? []));
  const cells = columns.slice(1).map((column) => cellOf(shown, column));
  const body = records.map((record) => row(shown, record, pictures, cells));
  const title = `${label} of ${game.title}`;
  const content = scroll(
    title,
    html`<table class="${classes}"><caption class="visually-hidden">${title}</caption><thead><tr>
    ${canCompare && html`<th scope="col"><span class="visually-hidden">Compare</span></th>`}${head}</tr></thead><tbody id="rows" data-pictures="${pictures}">${body}</tbody></table>`,
  );
  if (!canCompare) return html`${status}${content}`;
  return html`${status}<form class="compare" action="/games/${game.slug}/compare" data-most="${MAX_COMPARED}">${content}
    <p class="compare-bar"><button>Compare</button> <span class="small muted">at most ${MAX_COMPARED}</span></p></form>`;
}

function heading({ model, state }: ListPageData, column: string, isNumber: boolean): Html {
  const attribute: formats.Known = model.known.get(column) ?? { key: column };
  const by = state.sort.find(({ key }) => key === column);
  const isList = model.facets.find(({ id }) => id === column)?.list === true;
  const unit = formats.unitOf(attribute);
  const label = formats.fullLabel(model.known, column, state.lang);
  const text = html`${label}${isNumber && unit !== undefined && unit !== 'stars' && html` <small>${unit}</small>`}`;
  const arrow = by ? (by.descending ? ' ↓' : ' ↑') : '';
  const sorted = by && html` aria-sort="${by.descending ? 'descending' : 'ascending'}"`;
  const link = html`<a data-swap rel="nofollow" href="?${states.writeListState(states.cycleSort(state, column, isNumber))}">${text}<span aria-hidden="true">${arrow}</span></a>`;
  return html`<th scope="col"${isNumber && html` class="number"`}${sorted} title="${attribute.description}">${isList ? text : link}</th>`;
}

type Cell = (record: JsonObject) => Content;

/**
 * A row without its optional end tags and scope: a `th` without `td` in its column is the head of its row. A script writes the labels of columns into
 * the cells, for phones.
 */
function row(shown: ListPageData, record: JsonObject, pictures: string, cells: readonly Cell[]): Html {
  const { model, columns, reader, images } = shown;
  const { key, byId, known } = model;
  const entry = byId.get(String(record.id));
  const [first = 'id'] = columns;
  const value = valueAt(record, first);
  const name =
    first === 'name' && typeof value !== 'string'
      ? formats.nameOfRecord(record)
      : formats.formatCell(value, known.get(first) ?? { key: first }, reader);
  const link =
    entry &&
    html`<a href="${key}/${encodeURIComponent(entry.id)}">${tile(entry, images, false, pictures)}${name}</a>`;
  const checkbox = html`<td><input type="checkbox" name="ids" value="${String(record.id)}" aria-label="${name}">`;
  return html`<tr>${key === CHARACTERS && checkbox}<th>${link ?? name}${cells.map((cell) => html`<td>${cell(record)}`)}`;
}

/** Writes the values of a column. They link to the records they refer to, except groups, which can be chosen beside the list. */
function cellOf({ model, reader }: ListPageData, column: string): Cell {
  const attribute: formats.Known = model.known.get(column) ?? { key: column };
  const { ref } = attribute;
  const isGroup = model.side.some(({ key, form }) => key === column && form === 'choices');
  return (record) => {
    const value = valueAt(record, column) ?? null;
    if (value === null) return '';
    const text = formats.formatCell(value, attribute, reader);
    if (formats.unitOf(attribute) === 'stars') return `${text} ★`;
    if (ref === undefined || isGroup || typeof value !== 'string') return text;
    const isThere = reader.nameOf?.(ref, value) !== undefined;
    return isThere ? html`<a href="${ref}/${encodeURIComponent(value)}">${text}</a>` : text;
  };
}

/** What all addresses of pictures begin with. */
function commonStart(addresses: readonly string[]): string {
  const sorted = addresses.toSorted();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  const end = [...first].findIndex((letter, at) => letter !== last[at]);
  return end < 0 ? first : first.slice(0, end);
}

function pager({ state, reply: { total } }: ListPageData): Html | false {
  const size = state.limit ?? PAGE_SIZE;
  const offset = Math.min(state.offset, total);
  const isLast = offset + size >= total;
  const link = (rel: string, text: string, next: number) => {
    const query = states.writeListState({ ...state, offset: Math.max(0, next) });
    return html`<a class="button quiet" rel="${rel} nofollow" data-swap href="?${query}">${text}</a>`;
  };
  if (offset === 0 && isLast) return false;
  return html`<nav class="actions" aria-label="Pages">${offset > 0 && link('prev', 'Previous page', offset - size)}
    <span class="small muted">${offset < total ? `${formats.formatNumber(offset + 1)} – ${formats.formatNumber(Math.min(offset + size, total))}` : 'None'} of ${formats.formatNumber(total)}</span>
    ${!isLast && link('next', 'Next page', offset + size)}</nav>`;
}

/** How many characters can be compared, and how many are shown by default. */
const MAX_COMPARED = 6;
const FIRST = 3;
/** Names and ids are in the heads of columns. */
const HEADS = /^(id|name|name_.*|aliases)$/;

export const comparePage: SitePage = {
  path: '/games/:game/compare',
  isCounted: true,
  relevantQuery(query) {
    const { ids } = states.readListState(query);
    return states.writeListState({ ...states.START, ids: ids.slice(0, 2 * MAX_COMPARED) });
  },
  async make(visit) {
    const { view, services, query } = visit;
    const game = gameOf(visit);
    const model = await services.data.list(view, game, CHARACTERS);
    if (model === undefined) throw noSuchList(game, CHARACTERS);
    const { chosen, said } = chosenOf(game, model, states.readListState(query).ids);
    const hasAny = chosen.length > 0;
    const body = hasAny
      ? await comparison(visit, game, model, chosen)
      : html`<p>There are no characters.</p>`;
    return {
      title: `Compare characters of ${game.title}`,
      description: `Characters of ${game.title} side by side, with the largest value of each stat marked.`,
      isUnlisted: query !== '',
      scripts: ['explore'],
      pictureHosts: model.hosts,
      body: html`${gameHead(view, game, 'compare', `Compare ${game.title}`)}<p role="status" class="visually-hidden" id="said"></p>
        <div id="swap">${said !== '' && html`<p role="note">${said}</p>`}${body}</div>${pictureCredit(game, model.hosts, services.images)}`,
    };
  },
};

/** The chosen characters that exist, also by earlier ids, or else the first ones of the game; and which of them are not shown. */
function chosenOf({ currentIds }: GameBuild, { entries, byId }: ListModel, ids: readonly string[]) {
  const current = currentIds.get(CHARACTERS);
  const find = (id: string) => byId.get(id) ?? byId.get(current?.get(id) ?? '');
  const found = [...new Set(ids.flatMap((id) => find(id) ?? []))];
  const unknown = ids.filter((id) => !find(id)).map((id) => quote(id.slice(0, MAX_ID_CHARS)));
  const notThere = unknown.length > 0 ? `There is no character ${unknown.join(', ')}. ` : '';
  const leftOut =
    found.length > MAX_COMPARED ? `Only the first ${MAX_COMPARED} of your choice are compared.` : '';
  const chosen = found.length > 0 ? found.slice(0, MAX_COMPARED) : entries.slice(0, FIRST);
  return { chosen, said: notThere + leftOut };
}

async function comparison(visit: Visit, game: GameBuild, model: ListModel, chosen: Entry[]): Promise<Html> {
  const { view, services } = visit;
  const { slug } = game;
  const { known } = model;
  const { root, reader } = await readContext(visit, game, CHARACTERS);
  const address = (next: readonly Entry[]) =>
    `?${states.writeListState({ ...states.START, ids: next.map(({ id }) => id) })}`;
  const path = `/api/${slug}/compare`;
  type Reply = { characters: JsonObject[]; fields: ComparedFacet[] };
  const { characters, fields } = await services.data.read<Reply>(view, path, address(chosen).slice(1));
  const heads = chosen.map((entry, at) => {
    const name = String(characters[at]?.name ?? entry.name);
    const others = chosen.filter((other) => other !== entry);
    const remove = html`<a class="muted" data-swap rel="nofollow" href="${address(others)}" aria-label="Remove ${name}">×</a>`;
    return html`<th scope="col"><a href="${entry.href}">${tile(entry, services.images)}<span>${name}</span></a>
      ${others.length > 0 && remove}</th>`;
  });
  const isStat = ({ key }: ComparedFacet) => key.startsWith('stats.');
  const placeOf = (field: ComparedFacet) => root.inside(field.key).place - (isStat(field) ? known.size : 0);
  const seen = new Set<string>();
  const says = ({ key, values }: ComparedFacet) => {
    const attribute = known.get(key) ?? { key };
    const texts = values.map((value) => formats.formatCell(value, attribute, reader));
    const row = [formats.fullLabel(known, key), ...texts].join();
    const isNew = !HEADS.test(key) && !formats.isInternal(attribute) && !seen.has(row);
    seen.add(row);
    return isNew && texts.some((text) => text !== formats.NOTHING && !formats.isCode(text));
  };
  const shown = fields.filter(says).sort((a, b) => placeOf(a) - placeOf(b));
  const isMain = (field: ComparedFacet) =>
    (field.differs || chosen.length === 1) && (isStat(field) || !field.key.includes('.'));
  const tableOf = (title: string, rows: readonly ComparedFacet[]) =>
    html`<table class="compared"><caption class="visually-hidden">${title}</caption>
    <thead><tr><td></td>${heads}</tr></thead><tbody>${rows.map((field) => comparedRow(field, known, reader))}</tbody></table>`;
  const rest = shown.filter((field) => !isMain(field));
  const add = html`<input id="add" type="search" name="q" placeholder="Add by name" aria-label="Add a character by name"
    autocomplete="off" data-suggest="/search?part=suggestions&amp;game=${slug}"><button type="submit" class="quiet">Search</button>`;
  return html`<form class="row" action="/games/${slug}/explore" data-add="${address(chosen)}">
    ${chosen.length < MAX_COMPARED ? add : html`<span>${MAX_COMPARED} are the most: remove one to add another.</span>`} <a href="/games/${slug}/explore">Choose in the table</a></form>
    ${tableOf('What differs', shown.filter(isMain))}
    ${rest.length > 0 && fold(`Everything else (${rest.length})`, tableOf('Everything else', rest))}
    ${fold('This comparison in the API', sample(services.publicUrl(), path + address(chosen)))}`;
}

function comparedRow({ key, values, best }: ComparedFacet, known: Attributes, reader: formats.Reader): Html {
  const attribute: formats.Known = known.get(key) ?? { key };
  const unit = formats.unitOf(attribute);
  const cells = values.map((value, at) => {
    const text = formats.formatCell(value, attribute, reader);
    return best.includes(at) && known.get(key)?.better !== 'lower'
      ? html`<td class="best"><b>${text}</b><span class="visually-hidden"> (largest)</span></td>`
      : html`<td>${text}</td>`;
  });
  return html`<tr><th scope="row" title="${attribute.description}">${formats.fullLabel(known, key)}${
    unit !== undefined && html` <small>${unit}</small>`
  }</th>${cells}</tr>`;
}
