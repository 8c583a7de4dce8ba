// The page of a game: newest patch, characters, pull planner, current banners and events, data.
import { describeBuild } from '../../../scripts/diff/summary.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { namesOfNew, readBuild } from '../builds.ts';
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
  keepMs: KEEP_MS,
  async make(visit) {
    const { view, services } = visit;
    const game = gameOf(visit);
    const { slug, title } = game;
    const listed = gamesOf(view).find((each) => each.slug === slug);
    const more = dataLinks(game, false);
    const successor = view.games.get(listed?.successor ?? '');
    const patch = await readBuild(visit, game, game.build);
    const names = namesOfNew(patch, MAX_NAMES);
    const hosts = (await services.data.list(view, game, CHARACTERS))?.hosts ?? [];
    return {
      title,
      description: `${countOf(game.roster.count, 'character')} and ${countOf(game.datasets.size, 'dataset')} of ${title}: stats, skills, materials and what each patch changed, as pages and as JSON.`,
      path: `/games/${slug}`,
      width: 'wide',
      pictureHosts: hosts,
      body: html`${gameHead(view, game, '')}
        <p class="newest"><a href="${patchPath(slug, patch.build)}"><b>${patch.build}</b></a>,
        ${formatDay(patch.released_at)} ${listed && ageBadge(listed)} ${describeBuild(patch)}${names && `: ${names}`}.</p>
        ${successor && html`<p>This game has ended here: no newer builds come. <a href="/games/${successor.slug}">${successor.title}</a> goes on.</p>`}
        ${await faces(visit, game)}
        ${await planner(visit, game)}
        ${await nowPart(visit, game)}
        ${more && html`<h2 id="datasets">More data</h2>${more}`}
        ${pictureCredit(game, hosts, services.images)}`,
    };
  },
};

/** The characters, rarest first, with chips that filter them. */
async function faces({ view, services }: Visit, game: GameBuild): Promise<Html> {
  const { data, images } = services;
  const { slug, roster } = game;
  const model = await data.list(view, game, CHARACTERS);
  if (model === undefined || roster.count === 0) return html`<p>This game has no characters.</p>`;
  const { tile, side } = model;
  const sort = tile.rarity === undefined ? '' : `sort=-${encodeURIComponent(tile.rarity)}&`;
  const query = `${sort}fields=id&limit=${MAX_CHARACTERS}`;
  const { characters = [] } = await data.read<ListReply>(view, `/api/${slug}/characters`, query);
  const chips = side.map((facet) => {
    if (facet.form !== 'choices' || (facet.key !== tile.group && facet.key !== tile.rarity)) return false;
    const links = facet.choices.slice(0, MAX_CHIPS).map(({ value, label, count }): [string, Content] => {
      const filters = [{ key: facet.key, operator: '', value }];
      const text = facet.key === tile.rarity && /^\d$/.test(label) ? `${label} ★` : label;
      const href = `${listAddressOf(slug, CHARACTERS)}?${writeListState({ ...START, filters })}`;
      return [href, html`${text} <small>${count}</small>`];
    });
    return chipLinks(links, facet.label);
  });
  return html`<section><h2 id="characters">Characters</h2>${chips}
    ${faceList(facesOf(slug, model, characters), images, true)}
    <p class="actions"><a class="button" href="${listAddressOf(slug, CHARACTERS)}">All ${formatNumber(roster.count)} as a table</a></p></section>`;
}
