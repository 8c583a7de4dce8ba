// The home page: search, current banners of all games, newest patches, the games, and the price of the API.
import { asOf } from '../../../scripts/format/dist-format.ts';
import { TIERS } from '../../access/account.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { TERMS } from '../../http/problem.ts';
import { gamesOf } from '../data.ts';
import { countOf, formatNumber } from '../format.ts';
import { PRODUCT, searchForm } from '../layout.ts';
import { COUNTDOWN_MS, type SitePage, type Visit } from '../page-server.ts';
import { gameCard, TIMED } from '../parts.ts';
import { cover } from '../tile.ts';
import { endOf, readTimes, type Timed, timedLine } from './game.ts';
import { patchLine, readLastPatch } from './patches.ts';

const MAX_PATCHES = 5;
const MAX_BANNERS = 6;

export const homePage: SitePage = {
  path: '/',
  keepMs: COUNTDOWN_MS,
  // The form for a key is sent to this gateway, which checks that it comes from its own page.
  headers: { 'Referrer-Policy': 'strict-origin' },
  async make(visit) {
    const { view } = visit;
    const games = gamesOf(view);
    const going = games.flatMap(({ slug, successor }) =>
      successor === undefined ? (view.games.get(slug) ?? []) : [],
    );
    const characters = games.reduce((sum, { counts }) => sum + counts.characters, 0);
    return {
      title: PRODUCT,
      description:
        'Rosters, stats and datasets of mobile games as JSON: filter by any attribute, search names in any language, compare, follow every patch.',
      body: html`<h1>Game data, patch by patch</h1>
        <p>${formatNumber(characters)} characters of ${countOf(games.length, 'mobile game')}:
        stats, skills, costs, and what patches changed. Look them up here, or read them <a href="/docs">as JSON over HTTP</a>.</p>
        ${searchForm('hero-search', 'A name: Raiden, マーヴィカ')}
        ${listPart('now', 'Banners and events', await bannersNow(visit, going))}
        ${listPart('lately', 'Newest patches', await patches(visit, going))}
        <section aria-labelledby="games"><h2 id="games">Games</h2>
        ${games.length === 0 ? html`<p>There are no games yet.</p>` : html`<ul class="cards">${games.map(gameCard)}</ul>`}</section>
        ${plans(visit)}`,
    };
  },
};

function listPart(id: string, title: string, lines: readonly Html[]): Html | false {
  return (
    lines.length > 0 &&
    html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="timed">${lines}</ul></section>`
  );
}

/** The current and next banners and events of all games; of a game without any, its last one. */
async function bannersNow(visit: Visit, games: readonly GameBuild[]): Promise<Html[]> {
  const now = visit.services.now();
  const found = games.map(async (game) => {
    const times = await Promise.all(TIMED.map((key) => readTimes(visit, game, key)));
    const shown = times.flatMap(({ running, coming }) => [...running.slice(0, 2), ...coming.slice(0, 1)]);
    const last = times.flatMap(({ past }) => past.slice(0, 1)).sort((a, b) => b.until - a.until);
    return (shown.length > 0 ? shown : last.slice(0, 1)).map((each) => ({ game, ...each }));
  });
  const isPast = ({ until }: Timed) => Number(until <= now);
  const nearness = ({ start, until }: Timed) => (until <= now ? now - until : Math.max(start - now, 0));
  return (await Promise.all(found))
    .flat()
    .sort((a, b) => isPast(a) - isPast(b) || nearness(a) - nearness(b) || a.end - b.end)
    .slice(0, MAX_BANNERS)
    .map((each) => {
      const about = html`${each.game.title}${each.until <= now && ` · ${endOf(each)}, the next are not known yet`}`;
      return html`<li>${cover(each.game)} ${timedLine(each, now, about)}</li>`;
    });
}

/** The last patch of each game that changed it, one line each: first those of the games whose characters are newest. */
async function patches(visit: Visit, games: readonly GameBuild[]): Promise<Html[]> {
  const all = games.map(async (game) => ({ game, patch: await readLastPatch(visit, game) }));
  // A patch of a game without its newest characters is not its newest one.
  const timeOf = ({ game, patch }: Awaited<(typeof all)[number]>) =>
    Math.min(Date.parse(patch.released_at), Date.parse(asOf(game.entry).characters ?? patch.released_at));
  return (await Promise.all(all))
    .sort((a, b) => timeOf(b) - timeOf(a))
    .slice(0, MAX_PATCHES)
    .map(({ game, patch }) => html`<li>${cover(game)} ${patchLine(game, patch, game.title)}</li>`);
}

/** The free tier and Pro side by side, with a form for a key and links to the platforms. */
function plans({ services: { pro, hasSignup } }: Visit): Html {
  const { limits, delayHours } = TIERS.free;
  const signup = html`<form class="row" method="post" action="/signup"><label for="email">Email address</label>
    <input id="email" name="email" type="email" autocomplete="email" required maxlength="254" placeholder="ada@example.org">
    <button type="submit">Get a key</button></form>
    <p class="small muted">You get a link to your key by mail. The <a href="${TERMS}">terms of use</a> apply.</p>`;
  const join = pro.links.map(
    ({ name, address }) => html`<a class="button" href="${address}">Join on ${name}</a>`,
  );
  return html`<section aria-labelledby="plans"><h2 id="plans">Free and Pro</h2><div class="cards">
    <div class="card" id="key"><h3>Free</h3><p class="price">$0</p><ul>
    <li>All games, characters and datasets</li><li>Filters, search, compare, CSV</li>
    ${limits && html`<li>${limits.minute} requests a minute, ${limits.day} a day</li>`}
    <li>Builds ${delayHours} hours after their release</li></ul>
    ${hasSignup ? signup : html`<p>Ask the operator of this gateway for a key.</p>`}</div>
    <div class="card card-pro"><h3>Pro</h3>${pro.price !== undefined && html`<p class="price">${pro.price}</p>`}<ul>
    <li>Everything in Free, without limits</li><li>Builds from the minute they are released</li>
    <li>History: what each build changed, value by value</li><li>Snapshots and diffs of any two builds</li>
    <li>Alerts of new builds as they arrive</li></ul>
    ${join.length > 0 ? html`<p class="actions">${join}</p>` : html`<p>Ask the operator of this gateway for Pro.</p>`}</div></div></section>`;
}
