// The page of a game: newest patch, characters, pull planner, current banners and events, data. And the timelines of banners and events.
import type { JsonObject } from '../../../scripts/format/json.ts';
import { timeOf } from '../../../scripts/text.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { gameOf, type ListReply, listAddressOf, perGame } from '../data.ts';
import { countOf, formatDay, formatNumber, formatShare, formatSpan, isObject, once } from '../format.ts';
import { START, writeListState } from '../list-state.ts';
import { COUNTDOWN_MS, type SitePage, type Visit } from '../page-server.ts';
import * as pageParts from '../parts.ts';
import { patchLine, readLastPatch, readRecordChanges } from './patches.ts';

/** How many characters are shown. */
const MAX_CHARACTERS = 60;
const MAX_CHIPS = 12;

export const gamePage: SitePage = {
  path: '/games/:game',
  keepMs: COUNTDOWN_MS,
  async make(visit) {
    const { view, services } = visit;
    const game = gameOf(visit);
    const { slug, title } = game;
    const successor = view.games.get(game.successor ?? '');
    const patch = await readLastPatch(visit, game);
    const hosts = (await services.data.list(view, game, pageParts.CHARACTERS))?.hosts ?? [];
    return {
      title,
      description: `${countOf(game.roster.count, 'character')} and ${countOf(game.datasets.size, 'dataset')} of ${title}: stats, skills, materials and what each patch changed, as pages and as JSON.`,
      pictureHosts: hosts,
      body: html`${pageParts.gameHead(view, game, '')}
        <p>${patchLine(game, patch)}</p>
        ${successor && html`<p>This game has ended here: no newer builds come. <a href="/games/${successor.slug}">${successor.title}</a> goes on.</p>`}
        ${await faces(visit, game)}
        ${pageParts.pictureCredit(game, hosts, services.images, false)}
        ${await planner(visit, game)}
        ${await nowPart(visit, game)}
        <h2 id="datasets">More data</h2>${pageParts.dataLinks(game, false)}
        <p><a href="/contents#${slug}">All data, with tables of numbers</a></p>`,
    };
  },
};

/** The newest characters, then the rarest ones, with chips that filter them. */
async function faces(visit: Visit, game: GameBuild): Promise<Html> {
  const { view, services } = visit;
  const { data, images } = services;
  const { slug, roster } = game;
  const model = await data.list(view, game, pageParts.CHARACTERS);
  if (model === undefined || roster.count === 0) return html`<p>This game has no characters.</p>`;
  const { tile, side } = model;
  const sort = tile.rarity === undefined ? '' : `sort=-${encodeURIComponent(tile.rarity)}&`;
  const query = `${sort}fields=id&limit=${MAX_CHARACTERS}`;
  const { characters = [] } = await data.read<ListReply>(view, `/api/${slug}/characters`, query);
  const changes = [...(await readRecordChanges(visit, game, ''))];
  const newest = changes.filter(([, all]) => all.some(({ what }) => what === 'new')).map(([id]) => ({ id }));
  const all = new Map([...newest, ...characters].map((each) => [String(each.id), each]));
  const shown = pageParts.facesOf(model, [...all.values()]);
  const chips = side.map((facet) => {
    if (facet.form !== 'choices' || (facet.key !== tile.group && facet.key !== tile.rarity)) return false;
    const links = facet.choices.slice(0, MAX_CHIPS).map(({ value, label, count }): [string, Content] => {
      const filters = [{ key: facet.key, operator: '', value }];
      const href = `${listAddressOf(slug, pageParts.CHARACTERS)}?${writeListState({ ...START, filters })}`;
      return [href, html`${label} <small>${count}</small>`];
    });
    return pageParts.chipLinks(links, facet.label);
  });
  return html`<section><h2 id="characters">Characters</h2>${chips}${pageParts.pictureButton(model.hosts, images)}
    ${pageParts.faceList(shown.slice(0, MAX_CHARACTERS), images, true)}
    <p class="actions"><a class="button" href="${listAddressOf(slug, pageParts.CHARACTERS)}">All ${countOf(roster.count, 'character')}</a></p></section>`;
}

/** Something with a start and an end. */
export interface Timed {
  name: string;
  /** ms since 1970. */
  start: number;
  /** Infinite if it has no end. */
  end: number;
  /** When it counts as past. */
  until: number;
  href: string;
  record: JsonObject;
}

const MAX_FEATURED = 6;
const MAX_SHOWN = 20;
const MAX_PAST = 8;
const MAX_RUNS = 3;
/** A longer run is not an event, and an end further away counts as none. */
const MAX_RUN_MS = 120 * 86_400_000;
/** How long one without an end counts as running: few last longer. */
const OPEN_RUN_MS = 42 * 86_400_000;

/** Returns the latest banners or events of a game, newest first; none if its data has no times. */
const readTimed = perGame(async ({ view, services }: Visit, game, key): Promise<Timed[]> => {
  const { data } = services;
  const model = await data.list(view, game, key);
  if (model === undefined || !model.known.has('start')) return [];
  const records = await data.readAll(view, game, key);
  const all = records.flatMap((record) => {
    const start = timeOf(record.start);
    // A day ends with its last second.
    const last = timeOf(/^.{10}$/.test(String(record.end)) ? `${record.end}T23:59:59` : record.end);
    const [end, until] = Number.isNaN(last) ? [Number.POSITIVE_INFINITY, start + OPEN_RUN_MS] : [last, last];
    const entry = model.byId.get(String(record.id));
    // What has no name says nothing to readers.
    if (Number.isNaN(start) || entry === undefined || entry.name === entry.id) return [];
    return [{ name: entry.name, start, end, until, href: entry.href, record }];
  });
  return all.sort((a, b) => b.start - a.start);
});

/** Returns those who are featured in each banner or event, characters first. The home page does not need their lists. */
const readFeatured = perGame(
  async (visit: Visit, game, key): Promise<ReadonlyMap<Timed, pageParts.Face[]>> => {
    const { data } = visit.services;
    const model = await data.list(visit.view, game, key);
    // Those who are featured, then those with a raised rate.
    const refs = [...(model?.known.values() ?? [])].filter(({ ref }) => ref !== undefined);
    const lists = new Map(refs.map(({ key: id, ref = '' }) => [id.replace(/\.id$/, ''), ref]));
    const members = new Map([
      ['featured', pageParts.CHARACTERS],
      ['rate_up', pageParts.CHARACTERS],
      ...lists,
    ]);
    const models = await data.lists(visit.view, game, new Set(members.values()));
    const facesIn = ({ record }: Timed) =>
      models.flatMap((list) => {
        const own = [...members].flatMap(([member, ref]) => (ref === list.key ? (record[member] ?? []) : []));
        const records = own.map((each) => (isObject(each) ? each : { id: each }));
        return pageParts.facesOf(list, records);
      });
    return new Map((await readTimed(visit, game, key)).map((each) => [each, facesIn(each)]));
  },
);

/** Returns the banners or events of a game: the running ones, the next to end first; those to come; past ones, the last first. */
export async function readTimes(visit: Visit, game: GameBuild, key: string) {
  const all = await readTimed(visit, game, key);
  const now = visit.services.now();
  return {
    running: all
      .filter(({ start, until }) => start <= now && now < until && until - start <= MAX_RUN_MS)
      .sort((a, b) => a.end - b.end),
    coming: all.filter(({ start }) => start > now).sort((a, b) => a.start - b.start),
    past: all.filter(({ until }) => until <= now).sort((a, b) => b.start - a.start),
  };
}

/** A line about something timed, with the time until it begins or ends. @param about what it belongs to */
export function timedLine({ name, href, start, end }: Timed, now: number, about: Content): Html {
  const ms = (start > now ? start : end) - now;
  const text = start > now ? `in ${formatSpan(ms)}` : `${formatSpan(ms)} left`;
  return html`<a href="${href}"><b>${name}</b></a> <span class="small muted">${about}</span>
    ${ms > 0 && Number.isFinite(ms) && html`<span class="badge badge-good">${text}</span>`}`;
}

/** When something past ended. */
export const endOf = ({ start, end }: Timed): string =>
  Number.isFinite(end) ? `ended ${formatDay(end)}` : `from ${formatDay(start)}, end not known`;

const daysOf = once((each: Timed): string => {
  const [from, to] = [formatDay(each.start), formatDay(each.end)];
  const day = from.slice(-4) === to.slice(-4) ? from.slice(0, -5) : from;
  return Number.isFinite(each.end) ? `${day} – ${to}` : endOf(each);
});

/** Lines with the faces of those who are featured, below a heading; nothing if there are none. */
async function timedList(title: string, all: readonly Timed[], visit: Visit, key: string, id = title) {
  const { now, images } = visit.services;
  const featured = await readFeatured(visit, gameOf(visit), key);
  const lines = all.map(
    (each) => html`<li>${timedLine(each, now(), daysOf(each))}
      ${pageParts.faceList((featured.get(each) ?? []).slice(0, MAX_FEATURED), images)}</li>`,
  );
  return all.length > 0 && html`<h2 id="${id.toLowerCase()}">${title}</h2><ul class="timed">${lines}</ul>`;
}

/** The timeline of banners or events: current, next, past, and the last run of each character. */
export async function timeline(visit: Visit, key: string): Promise<Html | false> {
  const game = gameOf(visit);
  const { running, coming, past } = await readTimes(visit, game, key);
  if (running.length + coming.length + past.length === 0) return false;
  return html`${await timedList('Now', running.slice(0, MAX_SHOWN), visit, key)}
    ${await timedList('Next', coming.slice(0, MAX_SHOWN), visit, key)}
    ${await timedList('Past', past.slice(0, MAX_PAST), visit, key)}${key === 'banners' && (await lastRuns(visit, game))}`;
}

/** The banners that feature each character, newest first. */
const readRuns = perGame(async (visit: Visit, game, key) => {
  const found = new Map<string, { face: pageParts.Face; runs: Timed[] }>();
  const roster = await visit.services.data.list(visit.view, game, pageParts.CHARACTERS);
  for (const [each, faces] of await readFeatured(visit, game, key))
    for (const face of faces.filter(({ entry }) => roster?.byId.get(entry.id) === entry)) {
      const { runs } = found.get(face.entry.id) ?? { runs: [] };
      found.set(face.entry.id, { face, runs: runs.at(-1) === each ? runs : [...runs, each] });
    }
  return found;
});

/** How often and when last each character was featured, the longest wait first. */
async function lastRuns(visit: Visit, game: GameBuild): Promise<Html | false> {
  const lastOf = ({ runs }: { runs: readonly Timed[] }) => runs[0]?.start ?? 0;
  const all = [...(await readRuns(visit, game, 'banners')).values()].sort((a, b) => lastOf(a) - lastOf(b));
  const noteOf = (each: (typeof all)[number]) =>
    `${formatDay(lastOf(each))} · ${countOf(each.runs.length, 'run')}`;
  const faces = all.map((each) => ({ ...each.face, note: noteOf(each) }));
  return (
    faces.length > 0 &&
    pageParts.fold('Last runs, the longest wait first', pageParts.faceList(faces, visit.services.images))
  );
}

/** The current and next banners and events of a game, or the last ones. */
async function nowPart(visit: Visit, game: GameBuild): Promise<Html[]> {
  const parts = pageParts.TIMED.map(async (key) => {
    const { running, coming, past } = await readTimes(visit, game, key);
    const shown = [...running.slice(0, 4), ...coming.slice(0, 3)];
    const list =
      shown.length > 0
        ? await timedList(`${key === 'banners' ? 'Banners' : 'Events'} now and next`, shown, visit, key, key)
        : await timedList(`Last ${key}`, past.slice(0, 2), visit, key, key);
    return list
      ? [html`<section>${list}<p><a href="${listAddressOf(game.slug, key)}">All ${key}</a></p></section>`]
      : [];
  });
  return (await Promise.all(parts)).flat();
}

/** When a character is featured: the next run, the last ones, and the number of runs. */
export async function runsOf(visit: Visit, game: GameBuild, id: string): Promise<Html | false> {
  const { runs = [] } = (await readRuns(visit, game, 'banners')).get(id) ?? {};
  const lines = (some: readonly Timed[]) =>
    html`<ul class="lines">${some.map((each) => html`<li>${timedLine(each, visit.services.now(), daysOf(each))}</li>`)}</ul>`;
  return (
    runs.length > 0 &&
    html`<section><h2>Rate-ups <small>${countOf(runs.length, 'run')}</small></h2>${lines(runs.slice(0, MAX_RUNS))}
      ${runs.length > MAX_RUNS && pageParts.fold('Earlier runs', lines(runs.slice(MAX_RUNS)))}</section>`
  );
}

/** The pull planner as cards, of a longer series the newest: the maximum number of pulls, and their cost. A script counts the reader's pulls. */
async function planner({ view, services }: Visit, game: GameBuild): Promise<Html | false> {
  if (!game.datasets.has('pull_planner')) return false;
  const path = `/api/${game.slug}/pull_planner`;
  const { data = {} } = await services.data.read<{ data?: JsonObject }>(view, path);
  const objectAt = (object: JsonObject, key: string) => (isObject(object[key]) ? object[key] : {});
  const all = Array.isArray(data.banners) ? data.banners.filter(isObject) : [];
  const cards = all.flatMap((banner) => {
    const { any_top: top, featured } = objectAt(banner, 'worst_case_pulls');
    const sure = featured ?? objectAt(banner, 'exchange').after_pulls;
    const share = objectAt(banner, 'guarantee').featured_share;
    const [hasTop, hasSure] = [typeof top === 'number', typeof sure === 'number'];
    const since = hasTop ? 'Pulls since your last top rarity' : 'Pulls on this banner';
    const most = Number(hasTop ? top : sure) - 1;
    const card = html`<li class="card"${hasSure && html` data-sure="${Number(sure)}"`}${hasTop && html` data-top="${Number(top)}"`}>
      <span class="card-title">${String(banner.name)}</span>
      ${hasTop && html`<span><b>${Number(top)}</b> pulls at worst</span>`}
      ${hasSure && html`<span><b>${Number(sure)}</b> for the featured one</span>`}
      ${typeof share === 'number' && html`<span><b>${formatShare(share)}</b> chance of the featured one</span>`}
      <label class="small with-script">${since} <input type="number" min="0" max="${most}" inputmode="numeric"></label>
      <output class="small"></output></li>`;
    return hasTop || hasSure ? [card] : [];
  });
  if (cards.length === 0) return false;
  const { per_pull: price, name } = objectAt(data, 'currency');
  return html`<section class="planner"><h2 id="pulls">Pulls</h2>
    <ul class="cards">${cards.length > 3 ? cards.slice(-3).reverse() : cards}</ul>
    <p class="small muted">${typeof price === 'number' && typeof name === 'string' && `One pull costs ${formatNumber(price)} ${name}. `}<a
    href="${listAddressOf(game.slug, 'pull_planner')}">All numbers and their sources</a></p></section>`;
}
