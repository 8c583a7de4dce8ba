// Banners and events: current, next and past ones; and the pull planner.
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { addressOf, gameOf, type ListReply, listAddressOf, perGame } from '../data.ts';
import { countOf, formatDay, formatNumber, formatShare, formatSpan, isObject } from '../format.ts';
import type { Visit } from '../page-server.ts';
import { CHARACTERS, type Face, faceList, facesOf, fold, TIMED } from '../parts.ts';

/** Something with a start and an end. */
export interface Timed {
  id: string;
  name: string;
  /** ms since 1970. */
  start: number;
  /** Infinite if it has no end. */
  end: number;
  featured: Face[];
  href: string;
}

const MAX_READ = 1000;
const MAX_FEATURED = 6;
const MAX_SHOWN = 20;
const MAX_PAST = 5;
const DAY_MS = 86_400_000;
/** A longer run is not an event, and an end further away counts as none. */
const MAX_RUN_MS = 120 * DAY_MS;

/** Returns the latest banners or events of a game, newest first; none if its data has no times. */
export const readTimed = perGame(async ({ view, services }: Visit, game, key): Promise<Timed[]> => {
  const { data } = services;
  const [model, roster] = [await data.list(view, game, key), await data.list(view, game, CHARACTERS)];
  if (model === undefined || !model.known.has('start') || roster === undefined) return [];
  // Those who are featured, then those with a raised rate.
  const refs = [...model.known.values()].filter(({ ref }) => ref === CHARACTERS);
  const members = new Set(['featured', 'rate_up', ...refs.map((each) => each.key.replace(/\.id$/, ''))]);
  const path = `/api/${game.slug}/${key}`;
  const { records = [] } = await data.read<ListReply>(view, path, `sort=-start&limit=${MAX_READ}`);
  return records.flatMap(({ id, start, end, ...record }) => {
    const begin = typeof start === 'string' ? Date.parse(start) : Number.NaN;
    const until = typeof end === 'string' ? Date.parse(end) : Number.POSITIVE_INFINITY;
    const entry = model.entries[model.places.get(String(id)) ?? -1];
    if (Number.isNaN(begin) || entry === undefined) return [];
    const featured = [...members]
      .flatMap((member) => record[member] ?? [])
      .map((each) => (isObject(each) ? each : { id: each }));
    return [
      {
        ...{ id: String(id), name: entry.name, start: begin, end: until },
        featured: facesOf(game.slug, roster, featured),
        href: addressOf(game.slug, key, String(id)),
      },
    ];
  });
});

/** Splits into those that are running, the next to end first, and those to come. */
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

/** Running or coming items as lines, with the time that is left. */
function timedList(all: readonly Timed[], now: number, { services }: Visit, most: number): Html {
  return html`<ul class="timed">${all.slice(0, most).map(({ name, start, end, featured, href }) => {
    return html`<li><a href="${href}"><b>${name}</b></a> <span class="small muted">${daysOf(start, end)}</span>
      ${leftBadge(start, end, now)}
      ${featured.length > 0 && faceList(featured.slice(0, MAX_FEATURED), services.images)}</li>`;
  })}</ul>`;
}

function daysOf(start: number, end: number): string {
  return `${formatDay(start)}${Number.isFinite(end) ? ` – ${formatDay(end)}` : ''}`;
}

/** The time until it begins or ends. */
export function leftBadge(start: number, end: number, now: number): Html | false {
  const ms = (start > now ? start : end) - now;
  const text = start > now ? `in ${formatSpan(ms)}` : `${formatSpan(ms)} left`;
  return ms > 0 && Number.isFinite(ms) && html`<span class="badge badge-good">${text}</span>`;
}

/** The timeline of banners or events: current, next, past. */
export async function timeline(visit: Visit, key: string): Promise<Html | false> {
  const all = await readTimed(visit, gameOf(visit), key);
  if (all.length === 0) return false;
  const now = visit.services.now();
  const { running, coming, past } = splitByTime(all, now);
  return html`${running.length > 0 && html`<h2>Now</h2>${timedList(running, now, visit, MAX_SHOWN)}`}
    ${coming.length > 0 && html`<h2>Next</h2>${timedList(coming, now, visit, MAX_SHOWN)}`}
    ${past.length > 0 && html`<h2>Past</h2>${timedList(past, now, visit, MAX_PAST)}`}
    ${key === 'banners' && (await lastRuns(visit, gameOf(visit)))}`;
}

/** The banners that feature each character, newest first. */
const readRuns = perGame(
  async (visit: Visit, game, key): Promise<Map<string, { face: Face; runs: Timed[] }>> => {
    const found = new Map<string, { face: Face; runs: Timed[] }>();
    for (const each of await readTimed(visit, game, key))
      for (const face of each.featured) {
        const { runs }: { runs: Timed[] } = found.get(face.entry.id) ?? { runs: [] };
        if (runs.at(-1) !== each) runs.push(each);
        found.set(face.entry.id, { face, runs });
      }
    return found;
  },
);

/** How often and when last each character was featured, the longest wait first. */
async function lastRuns(visit: Visit, game: GameBuild): Promise<Html | false> {
  const { services } = visit;
  const all = [...(await readRuns(visit, game, 'banners')).values()];
  const lastOf = ({ runs }: { runs: Timed[] }) => runs[0]?.start ?? 0;
  const faces = all
    .toSorted((a, b) => lastOf(a) - lastOf(b))
    .map((each) => ({
      ...each.face,
      note: `${formatDay(lastOf(each))} · ${countOf(each.runs.length, 'run')}`,
    }));
  return faces.length > 0 && fold('Last run of each character', faceList(faces, services.images));
}

/** The current and next banners or events of a game; false if there are none. */
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
        : [key === 'banners' ? 'Last banners' : 'Last events', past.slice(0, 2)];
    parts.push(html`<section><h2 id="${key}">${title}</h2>${timedList(shown, now, visit, 7)}
      <p><a href="${listAddressOf(game.slug, key)}">All ${key}</a></p></section>`);
  }
  return parts.length > 0 && html`${parts}`;
}

const MAX_RUNS = 3;

/** When a character is featured: the next run, the last ones, and the number of runs. */
export async function runsOf(visit: Visit, game: GameBuild, id: string): Promise<Html | false> {
  const now = visit.services.now();
  const { runs = [] } = (await readRuns(visit, game, 'banners')).get(id) ?? {};
  return (
    runs.length > 0 &&
    html`<section><h2>Rate-ups <small>${countOf(runs.length, 'run')}</small></h2><ul class="lines">${runs
      .slice(0, MAX_RUNS)
      .map(
        ({ name, href, start, end }) => html`<li><a href="${href}">${name}</a>
          <span class="small muted">${daysOf(start, end)}</span> ${leftBadge(start, end, now)}</li>`,
      )}</ul></section>`
  );
}

/** The pull planner as cards: the maximum number of pulls, and their cost. A script counts the reader's pulls. */
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
