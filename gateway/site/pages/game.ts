// The page of a game: current banners and events, characters, pull planner, newest patch, data.
import { describeBuild } from '../../../scripts/diff/summary.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { newIn, readBuild } from '../builds.ts';
import { gameOf, gamesOf, type ListReply, listAddressOf } from '../data.ts';
import { countOf, formatDay, formatNumber } from '../format.ts';
import { START, writeListState } from '../list-state.ts';
import type { SitePage, Visit } from '../page-server.ts';
import {
  ageBadge,
  CHARACTERS,
  chipLinks,
  dataLinks,
  faceList,
  facesOf,
  gameHead,
  patchPath,
  pictureCredit,
} from '../parts.ts';
import { nowPart, planner } from './banners.ts';

/** How many characters are shown. */
const MAX_CHARACTERS = 60;
const MAX_NAMES = 6;
const MAX_CHIPS = 12;
const KEEP_MS = 600_000;

export const gamePage: SitePage = {
  path: '/games/:game',
  counts: 'queries',
  keepMs: KEEP_MS,
  relevantQuery(query, visit) {
    const page = Number(new URLSearchParams(query).get('page') ?? 1);
    const isThere =
      Number.isInteger(page) && page > 1 && (page - 1) * MAX_CHARACTERS < gameOf(visit).roster.count;
    return isThere ? `page=${page}` : '';
  },
  async make(visit) {
    const { view, services } = visit;
    const game = gameOf(visit);
    const { slug, title } = game;
    const listed = (await gamesOf(services.data, view)).find((each) => each.slug === slug);
    const more = chipLinks(dataLinks(game, false));
    const successor = view.games.get(listed?.successor ?? '');
    const characters = await services.data.list(view, game, CHARACTERS);
    return {
      title,
      description: `${countOf(game.roster.count, 'character')} and ${countOf(game.datasets.size, 'dataset')} of ${title}: stats, skills, materials and what each patch changed, as pages and as JSON.`,
      subject: { '@context': 'https://schema.org', '@type': 'VideoGame', name: title },
      path: `/games/${slug}`,
      isUnlisted: visit.query !== '',
      width: 'wide',
      pictureHosts: characters?.hosts,
      body: html`${gameHead(view, game, '')}
        ${await newestPatch(visit, game, listed && ageBadge(listed))}
        ${successor && html`<p>This game has ended here: no newer builds come. <a href="/games/${successor.slug}">${successor.title}</a> goes on.</p>`}
        ${await faces(visit, game)}
        ${await planner(visit, game)}
        ${await nowPart(visit, game)}
        ${more && html`<h2 id="datasets">More data</h2>${more}`}
        ${pictureCredit(game, characters?.hosts ?? [], services.images)}`,
    };
  },
};

async function newestPatch(visit: Visit, game: GameBuild, badge: Html | false | undefined): Promise<Html> {
  const patch = await readBuild(visit, game);
  const fresh = newIn(patch)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
  return html`<p class="newest"><a href="${patchPath(game.slug, patch.build)}"><b>${patch.build}</b></a>,
    ${formatDay(patch.released_at)} ${badge} ${describeBuild(patch)}${fresh.length > 0 && `: ${fresh.join(', ')}`}.</p>`;
}

/** The characters, rarest first, with chips that filter them. */
async function faces({ view, services, query }: Visit, game: GameBuild): Promise<Html> {
  const { data, images } = services;
  const { slug, roster } = game;
  const model = await data.list(view, game, CHARACTERS);
  if (model === undefined || roster.count === 0) return html`<p>This game has no characters.</p>`;
  const { tile, side } = model;
  const page = Number(new URLSearchParams(query).get('page') ?? 1);
  const begin = (page - 1) * MAX_CHARACTERS;
  const sort = tile.rarity === undefined ? '' : `sort=-${encodeURIComponent(tile.rarity)}&`;
  const path = `/api/${slug}/characters`;
  const { characters = [] } = await data.read<ListReply>(
    view,
    path,
    `${sort}fields=id&limit=${MAX_CHARACTERS}&offset=${begin}`,
  );
  const groups = side.filter(
    ({ key, form }) => form === 'choices' && (key === tile.group || key === tile.rarity),
  );
  const chips = groups.map((facet) => {
    if (facet.form !== 'choices') return false;
    const links = facet.choices.slice(0, MAX_CHIPS).map(({ value, label, count }): [string, Content] => {
      const query = writeListState({ ...START, filters: [{ key: facet.key, operator: '', value }] });
      const text = facet.key === tile.rarity && /^\d$/.test(label) ? `${label} ★` : label;
      return [`${listAddressOf(slug, CHARACTERS)}?${query}`, html`${text} <small>${count}</small>`];
    });
    return chipLinks(links, facet.label);
  });
  const at = (next: number) => `/games/${slug}${next > 1 ? `?page=${next}` : ''}#characters`;
  return html`<section><h2 id="characters">Characters</h2>${chips}
    ${faceList(facesOf(slug, model, characters), images, true)}
    <p class="actions"><a class="button" href="${listAddressOf(slug, CHARACTERS)}">All ${formatNumber(roster.count)} as a table</a>
    ${page > 1 && html`<a class="button quiet" rel="prev" href="${at(page - 1)}">Previous page</a>`}
    ${begin + MAX_CHARACTERS < roster.count && html`<a class="button quiet" rel="next" href="${at(page + 1)}">Next page</a>`}</p></section>`;
}
