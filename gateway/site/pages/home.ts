import { describeBuild, NO_CHANGES } from '../../../scripts/diff/summary.ts';
import { TIERS } from '../../access/account.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { TERMS } from '../../http/problem.ts';
import { type Build, newIn, readBuild } from '../builds.ts';
import { gamesOf, markOf } from '../data.ts';
import { countOf, formatDay, formatNumber } from '../format.ts';
import { code, PRODUCT, searchForm } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { CHARACTERS, type Face, faceList, facesOf, gameCard, patchPath, TIMED } from '../parts.ts';
import { cover } from '../tile.ts';
import { leftBadge, readTimed, splitByTime } from './banners.ts';

// The home page: search, current banners of all games, newest patches, the games, and the price of the API.

const MAX_CHANGES = 5;
/** How many new characters a headline names. */
const MAX_NEW = 4;
/** How many new characters are pictured, in all and per game. */
const MAX_FACES = 6;
const MAX_OF_GAME = 2;
const MAX_BANNERS = 6;
/** How long countdowns may be shown unchanged. */
const KEEP_MS = 600_000;

/** A game with the changes of its newest build. */
interface Newest {
  game: GameBuild;
  patch: Build;
}

export const homePage: SitePage = {
  path: '/',
  keepMs: KEEP_MS,
  // The form for a key is sent to this gateway, which checks that it comes from its own page.
  headers: { 'Referrer-Policy': 'strict-origin' },
  async make(visit) {
    const { view, services } = visit;
    const games = await gamesOf(services.data, view);
    const going = games.flatMap(({ slug, successor }) =>
      successor === undefined ? (view.games.get(slug) ?? []) : [],
    );
    const newest = await Promise.all(
      going.map(async (game) => ({ game, patch: await readBuild(visit, game) })),
    );
    const characters = games.reduce((sum, { counts }) => sum + counts.characters, 0);
    const faces = await newFaces(visit, newest);
    const [first] = going;
    return {
      title: PRODUCT,
      description:
        'Rosters, stats and datasets of mobile games as JSON: filter by any attribute, search names in any language, compare, follow every patch.',
      path: '/',
      width: 'wide',
      body: html`<div class="hero"><h1>Game data, patch by patch</h1>
        <p class="lead">${formatNumber(characters)} characters of ${games.length === 1 ? 'a mobile game' : countOf(games.length, 'mobile game')}:
        stats, skills, costs and every patch. To look up here, and as JSON over HTTP.</p>
        ${searchForm('hero-search', 'A name, in any language: Raiden, マーヴィカ')}
        ${faces.length > 0 && faceList(faces, 'off')}</div>
        ${await bannersNow(visit, going)}
        ${patches(visit, newest)}
        <section aria-labelledby="games"><h2 id="games">Games</h2>
        ${games.length === 0 ? html`<p>There are no games yet.</p>` : html`<ul class="cards">${games.map(gameCard)}</ul>`}</section>
        ${
          first !== undefined &&
          html`<section aria-labelledby="api"><h2 id="api">The same as JSON</h2>
        <p>Every list and record here is one request away. <a href="/docs">Read the guide</a> or <a href="/docs/api">all addresses</a>.</p>
        ${code(`curl -g -H "X-API-Key: $KEY" '${services.publicUrl()}/api/${first.slug}/characters?limit=3'`)}</section>`
        }
        ${plans(visit)}`,
    };
  },
};

/** The newest characters. */
async function newFaces({ view, services }: Visit, newest: readonly Newest[]): Promise<Face[]> {
  const faces = newest.map(async ({ game, patch }) => {
    const model = await services.data.list(view, game, CHARACTERS);
    const added = newIn(patch).slice(0, MAX_OF_GAME);
    return model === undefined
      ? []
      : facesOf(game.slug, model, added).map((face) => ({ ...face, note: game.title }));
  });
  return (await Promise.all(faces)).flat().slice(0, MAX_FACES);
}

/** The current and next banners and events of all games. */
async function bannersNow(visit: Visit, games: readonly GameBuild[]): Promise<Html | false> {
  const now = visit.services.now();
  const all = games.flatMap((game) => TIMED.map((key) => ({ game, key })));
  const found = await Promise.all(
    all.map(async ({ game, key }) => {
      const { running, coming } = splitByTime(await readTimed(visit, game, key), now);
      return [...running.slice(0, 2), ...coming.slice(0, 1)].map((each) => ({ game, ...each }));
    }),
  );
  const shown = found.flat().sort((a, b) => Math.max(a.start, now) - Math.max(b.start, now) || a.end - b.end);
  if (shown.length === 0) return false;
  return html`<section aria-labelledby="now"><h2 id="now">Now and next</h2><ul class="timed">${shown
    .slice(0, MAX_BANNERS)
    .map(
      ({ game, name, start, end, href }) => html`<li>${cover(game.slug, markOf(visit.view, game.slug))}
      <a href="${href}"><b>${name}</b></a> <span class="small muted">${game.title}</span>
      ${leftBadge(start, end, now)}</li>`,
    )}</ul></section>`;
}

/** The newest patches, one line each. */
function patches({ view }: Visit, newest: readonly Newest[]): Html | false {
  const hasNews = ({ patch }: Newest) => !describeBuild(patch).startsWith(NO_CHANGES);
  const lately = newest.filter(hasNews).slice(0, MAX_CHANGES);
  if (lately.length === 0) return false;
  return html`<section aria-labelledby="lately"><h2 id="lately">Newest patches</h2><ul class="timed">${lately.map(
    ({ game: { slug, title }, patch }) => html`<li>${cover(slug, markOf(view, slug))}
      <a href="${patchPath(slug, patch.build)}">${title} <b>${patch.build}</b></a>
      <span class="small muted">${formatDay(patch.released_at)}</span> <span class="small">${headline(patch)}</span></li>`,
  )}</ul></section>`;
}

/** The new characters by name, otherwise a summary of the changes. */
function headline(patch: Build): string {
  const fresh = newIn(patch).slice(0, MAX_NEW);
  if (fresh.length === 0) return describeBuild(patch);
  const left = newIn(patch).length - fresh.length;
  return `New: ${fresh.map(({ name }) => name).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The free tier and Pro side by side, with a form for a key and links to the platforms. */
function plans({ services: { pro, hasSignup } }: Visit): Html {
  const { limits, delayHours } = TIERS.free;
  return html`<section aria-labelledby="plans"><h2 id="plans">Free and Pro</h2><div class="cards plans">
    <div class="card" id="key"><h3>Free</h3><p class="price">$0</p><ul>
    <li>All games, characters and datasets</li><li>Filters, search, compare, CSV</li>
    ${limits && html`<li>${limits.minute} requests a minute, ${limits.day} a day</li>`}
    <li>Builds ${delayHours} hours after their release</li></ul>
    ${
      hasSignup
        ? html`<form class="field-row" method="post" action="/signup"><label for="email">Email address</label>
          <input id="email" name="email" type="email" autocomplete="email" required maxlength="254" placeholder="ada@example.org">
          <button type="submit">Get a key</button></form>
          <p class="small muted">You get a link to your key by mail. The <a href="${TERMS}">terms of use</a> apply.</p>`
        : html`<p>Ask the operator of this gateway for a key.</p>`
    }</div>
    <div class="card card-pro"><h3>Pro</h3>${pro.price !== undefined && html`<p class="price">${pro.price}</p>`}<ul>
    <li>Everything in Free, without limits</li><li>Builds from the minute they are released</li>
    <li>History: what each build changed, value by value</li><li>Snapshots and diffs of any two builds</li>
    <li>Alerts of new builds as they arrive</li></ul>
    ${
      pro.links.length === 0
        ? html`<p>Ask the operator of this gateway for Pro.</p>`
        : html`<p class="actions">${pro.links.map(({ name, address }) => html`<a class="button" href="${address}">Join on ${name}</a>`)}</p>`
    }</div></div></section>`;
}
