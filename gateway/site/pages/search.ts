// The search over all games: games first, then characters, with why each result matched, and the datasets that the words mean.
import { groupBy } from '../../../scripts/text.ts';
import type { SearchReply } from '../../api/search.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { html } from '../../http/html.ts';
import { foldText } from '../../query/fold.ts';
import { type ListModel, listAddressOf } from '../data.ts';
import { countOf, wordsOf } from '../format.ts';
import { searchForm } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { CHARACTERS, chipLinks, type Face, faceList, facesOf, pictureCredit, tabsOf } from '../parts.ts';
import { runsOf } from './game.ts';

/** How many results are shown. */
const LIMIT = 60;
const MAX_SUGGESTIONS = 10;
const MAX_DATASETS = 16;
const MAX_CHARS = 100;
/** The words that lead to the total costs of a character, and to what patches changed. */
const COSTS = /\b(costs?|materials?)\b/i;
const PATCHES = /\b(patch(es)?|versions?|updates?)\b/i;

/** A found record, with its list. */
interface Found {
  game: GameBuild;
  model: ListModel;
  face: Face;
}

export const searchPage: SitePage = {
  path: '/search',
  isCounted: true,
  relevantQuery(query) {
    const given = new URLSearchParams(query);
    const q = (given.get('q') ?? '').trim().replace(/\s+/g, ' ').slice(0, MAX_CHARS);
    const all = { q, game: given.get('game') ?? '', part: given.get('part') ?? '' };
    return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== '')).toString();
  },
  async make(visit) {
    const given = new URLSearchParams(visit.query);
    const isPart = given.get('part') === 'suggestions';
    const [q, slug] = [given.get('q') ?? '', given.get('game') ?? ''];
    const reply = await find(visit, q, slug, isPart ? MAX_SUGGESTIONS : LIMIT);
    if (!isPart) return results(visit, q, reply);
    const games = slug === '' ? reply.games.flatMap(({ faces }) => faces) : [];
    // `Weapon` for the list `Weapons`.
    const kindOf = ({ label }: ListModel) => label.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
    const noteOf = ({ game, model }: Found) => `${kindOf(model)} · ${game.title}`;
    const faces = [...games, ...reply.found.map((each) => ({ ...each.face, note: noteOf(each) }))];
    return html`<div class="results">${faceList(faces, 'off')}</div>`;
  },
};

/** Sends the API's search request, without a key. */
async function find({ view, services: { data } }: Visit, q: string, slug: string, limit: number) {
  const chosen = view.games.has(slug) ? `&games=${encodeURIComponent(slug)}` : '';
  const query = `q=${encodeURIComponent(q)}&limit=${limit}${chosen}`;
  const reply =
    q === '' ? { total: 0, results: [] } : await data.read<SearchReply>(view, '/api/search', query);
  const { total, results, games = [], datasets = [] }: SearchReply = reply;
  const found = results.map(async ({ game: at, collection, id, name, matched }): Promise<Found[]> => {
    const game = view.games.get(at);
    const model = game && (await data.list(view, game, collection));
    const [face] = model === undefined ? [] : facesOf(model, [{ id }]);
    if (game === undefined || model === undefined || face === undefined) return [];
    const { group } = face.entry;
    const isOther = !foldText(`${name} ${face.entry.name}`).includes(foldText(matched.name));
    const why = isOther ? `called ${matched.name}` : matched.kind === 'typo' ? 'spelled like it' : '';
    const href = face.entry.href + (collection === CHARACTERS && COSTS.test(q) ? '#totals' : '');
    return [{ game, model, face: { ...face, href, note: [group, why].filter(Boolean).join(' · ') } }];
  });
  const named = games.flatMap(({ game }) => view.games.get(game) ?? []);
  const pages = named.map((game) => pagesOf(game, q, datasets));
  const count = total + games.length + datasets.length;
  return { total: count, found: (await Promise.all(found)).flat(), games: pages, datasets };
}

/** The pages of a game that the words mean, or the overview; and links to all pages. */
function pagesOf(game: GameBuild, q: string, datasets: NonNullable<SearchReply['datasets']>) {
  const { slug, title } = game;
  const builds = game.builds.filter(({ build }) => q.split(' ').includes(build));
  const patches = builds.map(({ build }) => [`patches/${build}`, `Patch ${build}`] as const);
  const pages = [...patches, ...tabsOf(game), ['pull_planner', 'Pulls'] as const];
  const keys = datasets.flatMap((each) => (each.game === slug ? each.dataset : []));
  const meant = PATCHES.test(q) ? [...keys, 'patches'] : keys;
  const first = pages.filter(([path]) => path.startsWith('patches/') || meant.includes(path));
  const hrefOf = (path: string) => `/games/${slug}${path && `/${path}`}`.replace('/pull_planner', '#pulls');
  const faces = (first.length > 0 ? first : [['', 'Game']]).map(([path = '', label]): Face => {
    const entry = { id: slug, href: hrefOf(path), name: title, group: '', rarity: 2, picture: undefined };
    return { entry, href: entry.href, note: label };
  });
  return { faces, chips: chipLinks(pages.map(([path, label]) => [hrefOf(path), label])) };
}

async function results(visit: Visit, q: string, reply: Awaited<ReturnType<typeof find>>) {
  const { total, found, games, datasets } = reply;
  const { images } = visit.services;
  const isCharacter = ({ model }: Found) => model.key === CHARACTERS;
  const characters = found.filter(isCharacter);
  const [first] = characters;
  const hasRuns = first && first === found[0] && datasets.some(({ dataset }) => dataset === 'banners');
  const section = (title: string, all: readonly Found[]) => {
    const groups = groupBy(all, ({ game, model }) => `${game.title} · ${model.label}`).map((own) => {
      const [{ game, model }] = own;
      const faces = own.map(({ face }) => face);
      const heading = html`${game.title}${!isCharacter(own[0]) && ` · ${model.label}`}`;
      return html`<section class="results"><h3 class="small muted">${heading}</h3>${faceList(faces, images)}</section>`;
    });
    return all.length > 0 && html`<h2>${title}</h2><div class="rows">${groups}</div>`;
  };
  const rows = games.map(
    ({ faces, chips }) => html`<section class="results">${faceList(faces, 'off')}${chips}</section>`,
  );
  const sets = datasets.slice(0, MAX_DATASETS).map(({ game, dataset }) => {
    const text = `${wordsOf(dataset)} of ${visit.view.games.get(game)?.title}`;
    return [listAddressOf(game, dataset), text] as const;
  });
  const others = found.filter((each) => !isCharacter(each));
  const hosts = [...new Set(found.flatMap(({ model }) => model.hosts))];
  const nothing = 'Nothing has this name. Try fewer words, or a part of the name.';
  const hint =
    'Games, characters, items and everything else that has a name, in any language; small typing mistakes do not matter.';
  const shown = `${countOf(total, 'result')}${total > LIMIT ? `, the best ${LIMIT}` : ''}`;
  return {
    title: q === '' ? 'Search' : `${q}: search`,
    pictureHosts: hosts,
    body: html`<h1>${q === '' ? 'Search all games' : `Search: ${q}`}</h1>
      ${searchForm('page-search', 'Name, in any language', q)}
      <p role="status" class="muted">${q === '' ? hint : total > 0 ? shown : nothing}</p>
      ${rows.length > 0 && html`<h2>Games</h2><div class="rows">${rows}</div>`}
      ${section('Characters', characters)}${hasRuns && (await runsOf(visit, first.game, first.face.entry.id))}
      ${sets.length > 0 && html`<h2>Datasets</h2>${chipLinks(sets)}`}
      ${section('Other records', others)}
      ${pictureCredit(undefined, hosts, images)}`,
  };
}
