// All games: as cards, their contents side by side, and how recent each is; and the attribute dictionary of a game's characters.
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { TIERS } from '../../access/account.ts';
import { html } from '../../http/html.ts';
import { JSON_TYPE } from '../../http/respond.ts';
import { gameOf, gamesOf, listsOf } from '../data.ts';
import { countOf, formatDay, formatNumber, formatShare } from '../format.ts';
import { marked, scroll } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { ageBadge, CHARACTERS, dataLinks, gameCard, gameHead, patchPath } from '../parts.ts';
import { languageName } from './record.ts';

/** How long the status is shown unchanged. */
const KEEP_MS = 2000;

export const gamesPage: SitePage = {
  path: '/games',
  make({ view }) {
    const games = gamesOf(view);
    return {
      title: 'Games',
      description: `${countOf(games.length, 'game')}: characters, datasets, builds and how fresh they are.`,
      body: html`<h1>Games</h1>
        <p>${games.length === 0 ? 'There are no games yet.' : 'The newest first.'}
        <a href="/contents">What each game has, side by side</a></p>
        ${view.lost.size > 0 && html`<p>The list is not complete: a game cannot be read right now.</p>`}
        <ul class="cards">${games.map(gameCard)}</ul>`,
    };
  },
};

export const contentsPage: SitePage = {
  path: '/contents',
  make({ view }) {
    const games = gamesOf(view);
    const sections = games.map(({ slug, title, build, released_at, successor }) => {
      const game = view.games.get(slug);
      if (game === undefined) return false;
      const records = listsOf(game).reduce((sum, { count }) => sum + count, 0);
      const { codes } = game.languages;
      return html`<section><h2 id="${slug}"><a href="/games/${slug}">${title}</a>${successor !== undefined && ' (ended)'}</h2>
        <p class="small muted"><a href="${patchPath(slug, build)}">${build}</a>, ${formatDay(released_at)} ·
        ${countOf(game.builds.length, 'build')} · ${countOf(records, 'record')}${codes.length > 0 && ` · names in ${codes.map(languageName).join(', ')}`}</p>
        ${dataLinks(game, true)}</section>`;
    });
    return {
      title: 'What each game has',
      description: `The datasets, languages and builds of ${countOf(games.length, 'game')}, side by side.`,
      body: html`<h1>What each game has</h1>
        <p>The newest build of each game that visitors and free keys see. <a href="/status">Status</a> says which games are late.</p>
        ${sections}`,
    };
  },
};

/** The content of the status page and its JSON form: whether the gateway can serve every request, and the games as visitors see them. */
async function readStatus({ view, services }: Visit) {
  const { delayHours } = TIERS.free;
  const games = gamesOf(view)
    .filter(({ slug }) => view.games.has(slug))
    .map((game) => {
      const public_at = new Date(Date.parse(game.released_at) + delayHours * 3_600_000).toISOString();
      return { ...game, public_at };
    });
  const isReady = services.findUnreadiness() === undefined;
  return { ready: isReady, delay_hours: delayHours, games };
}

/** The build of a game that visitors see: small, so that a program can poll it. It needs no key and costs no request. */
export const buildData: SitePage = {
  path: '/games/:game/build.json',
  make(visit) {
    const { slug, build, released_at } = gameOf(visit);
    return { type: JSON_TYPE, text: JSON.stringify({ game: slug, build, released_at }) };
  },
};

/** What the status says of a game. */
// biome-ignore format: a row of names.
const SHOWN = ['slug', 'title', 'build', 'released_at', 'public_at', 'age_days', 'cadence_days', 'behind_days', 'as_of', 'successor'] as const;

export const statusData: SitePage = {
  path: '/status.json',
  keepMs: KEEP_MS,
  async make(visit) {
    const { games, ...status } = await readStatus(visit);
    const shown = games.map((game) => ({
      ...Object.fromEntries(SHOWN.map((key) => [key, game[key]])),
      characters: game.counts[CHARACTERS],
    }));
    return { type: JSON_TYPE, text: JSON.stringify({ ...status, games: shown }) };
  },
};

export const statusPage: SitePage = {
  path: '/status',
  keepMs: KEEP_MS,
  async make(visit) {
    const { ready, delay_hours, games } = await readStatus(visit);
    const rows = games.map(
      (game) => html`
        <tr><th scope="row"><a href="/games/${game.slug}">${game.title}</a></th><td>${game.build}</td>
        <td>${formatDay(game.as_of[CHARACTERS] ?? game.released_at)}</td>
        <td>${game.cadence_days ? countOf(game.cadence_days, 'day') : '–'}</td>
        <td>${ageBadge(game)}</td><td>${formatDay(game.public_at)}</td></tr>`,
    );
    const table = html`<table class="status"><thead><tr><th scope="col">Game</th><th scope="col">Build</th>
      <th scope="col">Characters as of</th><th scope="col">A patch every</th><th scope="col">Behind</th>
      <th scope="col">Public since</th></tr></thead><tbody>${rows}</tbody></table>`;
    return {
      title: 'Status',
      description: 'Whether the API can be reached, and how fresh each game is.',
      body: html`<h1>Status</h1>
        <p class="notice ${ready ? 'good' : 'bad'}">${ready ? 'The API responds to every request.' : 'The API does not respond to every request right now.'}</p>
        <p>Builds as visitors and free keys see them: ${delay_hours} hours after their release. A Pro key sees a build from its
        release on. A game is behind by the days since its next patch was due. With a patch every 42 days and characters as of 50 days
        ago, that is 8 days. For programs: <a href="/status.json">status.json</a>.</p>
        ${games.length > 0 && scroll('Games', table)}`,
    };
  },
};

const MAX_ROWS = 200;
const MAX_VALUES = 6;
const MAX_TEXT = 60;

export const attributesPage: SitePage = {
  path: '/games/:game/attributes',
  async make({ view, params, services }) {
    const game = gameOf({ view, params });
    const { codes } = game.languages;
    const { known = new Map(), count: all = 0 } = (await services.data.list(view, game, CHARACTERS)) ?? {};
    const described = [...known.values()].filter(({ type }) => type !== undefined && type !== 'object');
    const shown = described.filter(({ key }) => !/name_[a-z]{2,3}(_[a-z]+)?$/.test(key));
    const heading = `Attributes of ${game.title}`;
    const rows = shown.slice(0, MAX_ROWS).map(({ count, ...attribute }) => {
      const { key, label, description = label ?? '', unit, level, type, list, kind, ref } = attribute;
      const details = [unit && `in ${unit}`, level].filter(Boolean);
      const meaning = `${description}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
      const base = kind !== undefined && kind !== 'text' && kind !== 'number' ? kind : type;
      const coverage = formatShare(Math.floor((100 * count) / Math.max(1, all)) / 100);
      return html`<div><dt><code>${key}</code>
        <span class="small muted">${list && 'list of '}${base}${ref !== undefined && ` to ${ref}`}, ${coverage} have it</span></dt>
        <dd>${marked(meaning)}<br><span class="small muted">${valuesOf({ count, ...attribute })}</span></dd></div>`;
    });
    return {
      title: heading,
      description: `What the data of ${game.title} says about a character: each attribute with its meaning, range and values.`,
      body: html`${gameHead(view, game, 'attributes', heading)}
        <p>What a character has, how many have it, and what the values are like. Each key is a filter: <code>key=value</code>.
        ${codes.length > 0 && html`Names in other languages end with ${codes.map((code) => html`<code>_${code}</code> `)}`}</p>
        <dl class="definitions">${rows}</dl>
        ${shown.length > MAX_ROWS && html`<p class="muted">The first ${MAX_ROWS} attributes are shown. The API lists all.</p>`}`,
    };
  },
};

/** Describes the values of an attribute: its range, its most frequent values, or some examples. */
function valuesOf({ values = [], examples = [], min, max, distinct = 0 }: Attribute): string {
  if (min !== undefined && max !== undefined && (values.length === 0 || values.length > MAX_VALUES))
    return `${formatNumber(min)} – ${formatNumber(max)}`;
  const most = values.toSorted((a, b) => b.count - a.count).slice(0, MAX_VALUES);
  const shown = most.map(({ value, label, count }) => `${String(label ?? value)} (${formatNumber(count)})`);
  if (shown.length > 0)
    return (
      shown.join(', ') + (values.length > shown.length ? ` and ${values.length - shown.length} more` : '')
    );
  const short = examples.slice(0, MAX_VALUES / 2).map((each) => String(each).slice(0, MAX_TEXT));
  return short.length === 0 ? '' : `${formatNumber(distinct)} different: ${short.join(', ')}, …`;
}
