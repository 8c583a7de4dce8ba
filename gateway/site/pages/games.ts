// All games: as cards, their contents side by side, and how recent each is.
import { TIERS } from '../../access/account.ts';
import { type Html, html } from '../../http/html.ts';
import { gameOf, gamesOf, type ListedGame, listsOf } from '../data.ts';
import { countOf, formatDay } from '../format.ts';
import { scroll } from '../layout.ts';
import type { SiteData, SitePage, Visit } from '../page-server.ts';
import { ageBadge, CHARACTERS, chipLinks, dataLinks, gameCard, patchPath } from '../parts.ts';

/** How long the status is shown unchanged. */
const KEEP_MS = 2000;
const DAY_MS = 86_400_000;

export const gamesPage: SitePage = {
  path: '/games',
  async make({ view, services }) {
    const games = await gamesOf(services.data, view);
    return {
      title: 'Games',
      description: `${countOf(games.length, 'game')}: characters, datasets, builds and how fresh they are.`,
      path: '/games',
      width: 'wide',
      body: html`<h1>Games</h1>
        <p>${games.length === 0 ? 'There are no games yet.' : 'The newest first.'}
        <a href="/contents">What each game has, side by side</a></p>
        ${view.isPartial && html`<p>The list is not complete: a game cannot be read right now.</p>`}
        <ul class="cards">${games.map(gameCard)}</ul>`,
    };
  },
};

export const contentsPage: SitePage = {
  path: '/contents',
  async make({ view, services }) {
    const games = await gamesOf(services.data, view);
    return {
      title: 'What each game has',
      description: `The datasets, languages, pictures and builds of ${countOf(games.length, 'game')}, side by side.`,
      path: '/contents',
      width: 'wide',
      body: html`<h1>What each game has</h1>
        <p>The newest build of each game that visitors and free keys see. <a href="/status">Status</a> says which games are late.</p>
        ${view.isPartial && html`<p>The list is not complete: a game cannot be read right now.</p>`}
        ${games.length === 0 && html`<p>There are no games yet.</p>`}
        ${games.map((game) => gameContents(view, game))}`,
    };
  },
};

/** The contents of a game: lists with their sizes, objects, languages. */
function gameContents(
  view: Visit['view'],
  { slug, title, build, released_at, successor }: ListedGame,
): Html | false {
  const game = view.games.get(slug);
  if (game === undefined) return false;
  const lists = listsOf(game);
  const records = lists.reduce((sum, { count }) => sum + count, 0);
  const languages = game.languages.codes;
  return html`<section class="contents"><h2 id="${slug}"><a href="/games/${slug}">${title}</a>${successor !== undefined && ' (ended)'}</h2>
    <p class="small muted"><a href="${patchPath(slug, build)}">${build}</a>, ${formatDay(released_at)} ·
    ${countOf(game.builds.length, 'build')} · ${countOf(records, 'record')}${languages.length > 0 && ` · names in ${languages.join(', ')}`}</p>
    ${chipLinks(dataLinks(game, true))}</section>`;
}

/** The content of the status page and its JSON form. */
interface Status {
  /** Whether the gateway can serve every request. */
  ready: boolean;
  /** The delay of visitors and free keys, in hours. */
  delay_hours: number;
  games: ListedGame[];
}

async function readStatus({ view, services }: Visit): Promise<Status> {
  const games = await gamesOf(services.data, view);
  return {
    ready: (await services.findUnreadiness()) === undefined,
    delay_hours: TIERS.free.delayHours,
    games: games.filter(({ slug }) => view.games.has(slug)),
  };
}

/** When a build became visible to visitors and free keys. */
function publicAt(released: string): string {
  return new Date(Date.parse(released) + (TIERS.free.delayHours / 24) * DAY_MS).toISOString();
}

/** The build of a game that visitors see: small, so that a program can poll it. It needs no key and costs no request. */
export const buildData: SiteData = {
  path: '/games/:game/build.json',
  makeData(visit) {
    const { slug, build, released_at } = gameOf(visit);
    return { game: slug, build, released_at };
  },
};

export const statusData: SiteData = {
  path: '/status.json',
  keepMs: KEEP_MS,
  async makeData(visit) {
    const { games, ...status } = await readStatus(visit);
    return {
      ...status,
      games: games.map(({ slug, title, build, released_at, counts, mark: _, ...age }) => {
        const { age_days, cadence_days, behind_days, as_of, successor } = age;
        return {
          ...{ slug, title, build, released_at, public_at: publicAt(released_at) },
          ...{ age_days, cadence_days, behind_days, as_of, characters: counts[CHARACTERS], successor },
        };
      }),
    };
  },
};

export const statusPage: SitePage = {
  path: '/status',
  keepMs: KEEP_MS,
  async make(visit) {
    const { ready, delay_hours, games } = await readStatus(visit);
    return {
      title: 'Status',
      description: 'Whether the API can be reached, and how fresh each game is.',
      path: '/status',
      width: 'wide',
      body: html`<h1>Status</h1>
        <p class="notice ${ready ? 'good' : 'bad'}">${ready ? 'The API responds to every request.' : 'The API does not respond to every request right now.'}</p>
        <p>Builds as visitors and free keys see them: ${delay_hours} hours after their release. A Pro key sees a build from its
        release on. A game is behind by the days since its next patch was usual, after the one that its characters are of. For programs: <a href="/status.json">status.json</a>.</p>
        ${games.length > 0 && scroll('Games', statusTable(games))}`,
    };
  },
};

function statusTable(games: readonly ListedGame[]): Html {
  return html`<table class="status"><thead><tr><th scope="col">Game</th><th scope="col">Build</th><th scope="col">Characters as of</th>
    <th scope="col">A patch every</th><th scope="col">Behind</th><th scope="col">Public since</th></tr></thead><tbody>${games.map(
      (game) => {
        const { slug, title, build, released_at, as_of, cadence_days } = game;
        return html`<tr><th scope="row"><a href="/games/${slug}">${title}</a></th><td>${build}</td>
        <td>${formatDay(as_of[CHARACTERS] ?? released_at)}</td><td>${cadence_days ? countOf(cadence_days, 'day') : '–'}</td>
        <td>${ageBadge(game)}</td><td>${formatDay(publicAt(released_at))}</td></tr>`;
      },
    )}</tbody></table>`;
}
