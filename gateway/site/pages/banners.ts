// Banners and events: what runs now, what comes next, and what was; and the pull planner.
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { gameOf, isParameterError, listAddressOf, type ListModel, type ListReply } from '../data.ts';
import { countOf, formatDay, formatNumber, formatShare, formatSpan, isObject } from '../format.ts';
import type { Visit } from '../page-server.ts';
import { CHARACTERS, type Face, faceList, facesOf, TIMED } from '../parts.ts';

/** Something that has a beginning and an end. */
export interface Timed {
  id: string;
  name: string;
  /** ms since 1970. */
  start: number;
  /** Infinite if it does not end. */
  end: number;
  featured: Face[];
  href: string;
}

const MAX_READ = 400;
const MAX_FEATURED = 6;
const DAY_MS = 86_400_000;
/** What runs longer than this is no event of these days, and what ends later never does. */
const MAX_RUN_MS = 120 * DAY_MS;

/** Reads the banners or events of a game that began last, newest first; none if its data has no times. */
export async function readTimed({ view, services }: Visit, game: GameBuild, key: string): Promise<Timed[]> {
  const { data } = services;
  const [model, roster] = [await data.list(view, game, key), await data.list(view, game, CHARACTERS)];
  if (model === undefined || !model.known.has('start') || roster === undefined) return [];
  const path = `/api/${game.slug}/${key}`;
  const { records = [] } = await data.read<ListReply>(view, path, `sort=-start&limit=${MAX_READ}`);
  return records.flatMap((record) => timedOf(record, game, model, roster));
}

function timedOf(record: JsonObject, { slug }: GameBuild, model: ListModel, roster: ListModel): Timed[] {
  const { id, start, end, featured } = record;
  const begin = typeof start === 'string' ? Date.parse(start) : Number.NaN;
  const until = typeof end === 'string' ? Date.parse(end) : Number.POSITIVE_INFINITY;
  const entry = model.entries[model.places.get(String(id)) ?? -1];
  if (Number.isNaN(begin) || entry === undefined) return [];
  const records = Array.isArray(featured)
    ? featured.map((each) => (isObject(each) ? each : { id: each }))
    : [];
  return [
    {
      ...{ id: String(id), name: entry.name, start: begin, end: until },
      featured: facesOf(slug, roster, records),
      href: `/games/${slug}/${model.key}/${encodeURIComponent(String(id))}`,
    },
  ];
}

/** Those that run now, the first to end first, and those that come. */
export function splitByTime(
  all: readonly Timed[],
  now: number,
): { running: Timed[]; coming: Timed[]; past: Timed[] } {
  return {
    running: all
      .filter(({ start, end }) => start <= now && now < end && end - start <= MAX_RUN_MS)
      .sort((a, b) => a.end - b.end),
    coming: all.filter(({ start }) => start > now).sort((a, b) => a.start - b.start),
    past: all.filter(({ end }) => end <= now).sort((a, b) => b.start - a.start),
  };
}

/** What runs or comes, as lines with what is left of the time. */
function timedList(all: readonly Timed[], now: number, { services }: Visit, most: number): Html {
  return html`<ul class="timed">${all.slice(0, most).map(({ name, start, end, featured, href }) => {
    const left =
      start > now ? `in ${formatSpan(start - now)}` : end > now ? `${formatSpan(end - now)} left` : '';
    const days = `${formatDay(start)}${Number.isFinite(end) ? ` – ${formatDay(end)}` : ''}`;
    return html`<li><a href="${href}"><b>${name}</b></a> <span class="small muted">${days}</span>
      ${left !== '' && html`<span class="badge badge-good">${left}</span>`}
      ${featured.length > 0 && faceList(featured.slice(0, MAX_FEATURED), services.images)}</li>`;
  })}</ul>`;
}

/** The timeline of a dataset of banners or events: now, next, past. */
export async function timeline(visit: Visit, key: string): Promise<Html | false> {
  const all = await readTimed(visit, gameOf(visit), key);
  if (all.length === 0) return false;
  const now = visit.services.now();
  const { running, coming, past } = splitByTime(all, now);
  return html`${running.length > 0 && html`<h2>Now</h2>${timedList(running, now, visit, 20)}`}
    ${coming.length > 0 && html`<h2>Next</h2>${timedList(coming, now, visit, 20)}`}
    ${past.length > 0 && html`<h2>Past</h2>${timedList(past, now, visit, 20)}`}`;
}

/** What runs now or comes next in a game; of a game without any, nothing. */
export async function nowPart(visit: Visit, game: GameBuild): Promise<Html | false> {
  const now = visit.services.now();
  const parts: Html[] = [];
  for (const key of TIMED) {
    const all = await readTimed(visit, game, key);
    if (all.length === 0) continue;
    const { running, coming, past } = splitByTime(all, now);
    const [title, shown] =
      running.length + coming.length > 0
        ? [
            key === 'banners' ? 'Banners now and next' : 'Events now and next',
            [...running.slice(0, 4), ...coming.slice(0, 3)],
          ]
        : [key === 'banners' ? 'Last banners' : 'Last events', past.slice(0, 3)];
    parts.push(html`<section><h2 id="${key}">${title}</h2>${timedList(shown, now, visit, 7)}
      <p><a href="${listAddressOf(game.slug, key)}">All ${key}</a></p></section>`);
  }
  return parts.length > 0 && html`${parts}`;
}

const MAX_RUNS = 3;

/** When a character was and will be featured: the last run, the next one, and how many there were. */
export async function runsOf({ view, services }: Visit, game: GameBuild, id: string): Promise<Html | false> {
  const model = await services.data.list(view, game, 'banners');
  const attribute = [...(model?.known.values() ?? [])].find(({ ref }) => ref === CHARACTERS)?.key;
  if (model === undefined || attribute === undefined || !model.known.has('start')) return false;
  const query = `${encodeURIComponent(attribute)}=${encodeURIComponent(id)}&sort=-start&limit=20`;
  const reply = await services.data
    .read<ListReply>(view, `/api/${game.slug}/banners`, query)
    .catch((error: unknown) => {
      if (isParameterError(error)) return undefined;
      throw error;
    });
  const { total = 0, records = [] } = reply ?? {};
  if (total === 0) return false;
  const now = services.now();
  const runs = records.filter(({ start }) => typeof start === 'string').slice(0, MAX_RUNS);
  return html`<section><h2>Rate-ups</h2><ul class="lines">${runs.map((run) => {
    const isComing = Date.parse(String(run.start)) > now;
    return html`<li><a href="/games/${game.slug}/banners/${String(run.id)}">${String(run.name ?? run.id)}</a>
      <span class="small muted">${isComing && 'next: '}${formatDay(String(run.start))}${
        typeof run.end === 'string' && ` – ${formatDay(run.end)}`
      }</span></li>`;
  })}</ul><p class="small"><a href="${listAddressOf(game.slug, 'banners')}?${query.replace(/&sort.*/, '')}" rel="nofollow">${countOf(total, 'run')}</a></p></section>`;
}

/** The pull planner as cards: pulls at worst, and what they cost. A script counts the pulls of a reader. */
export async function planner({ view, services }: Visit, game: GameBuild): Promise<Html | false> {
  if (!game.datasets.has('pull_planner')) return false;
  const { data = {} } = await services.data.read<{ data?: JsonObject }>(
    view,
    `/api/${game.slug}/pull_planner`,
  );
  const { banners, currency } = data;
  const all = Array.isArray(banners) ? banners.filter(isObject) : [];
  const cards = all.flatMap((banner) => {
    const worst = isObject(banner.worst_case_pulls) ? banner.worst_case_pulls : {};
    const guarantee = isObject(banner.guarantee) ? banner.guarantee : {};
    const exchange = isObject(banner.exchange) ? banner.exchange : {};
    const featured = worst.featured ?? exchange.after_pulls;
    const [top, sure] = [worst.any_top, featured].map((each) =>
      typeof each === 'number' ? each : undefined,
    );
    if (top === undefined && sure === undefined) return [];
    const share = guarantee.featured_share;
    return [
      html`<li class="card"${sure !== undefined && html` data-sure="${sure}"`}${top !== undefined && html` data-top="${top}"`}>
        <span class="card-title">${String(banner.name)}</span>
        ${top !== undefined && html`<span><b>${top}</b> pulls at worst</span>`}
        ${sure !== undefined && html`<span><b>${sure}</b> for the featured one</span>`}
        ${typeof share === 'number' && html`<span><b>${formatShare(share)}</b> that it is the featured one</span>`}
        <span class="small muted left" hidden></span></li>`,
    ];
  });
  if (cards.length === 0) return false;
  const price = isObject(currency) && typeof currency.per_pull === 'number' ? currency : undefined;
  return html`<section class="planner"><h2 id="pulls">Pulls</h2>
    <p class="field-row with-script"><label for="pulls-done">Pulls since the last top one</label>
    <input id="pulls-done" type="number" min="0" max="999" inputmode="numeric"></p>
    <ul class="cards">${cards.slice(0, 3)}</ul>
    <p class="small muted">${price !== undefined && `One pull costs ${formatNumber(Number(price.per_pull))} ${String(price.name)}. `}<a
    href="${listAddressOf(game.slug, 'pull_planner')}">All numbers and their sources</a></p></section>`;
}
