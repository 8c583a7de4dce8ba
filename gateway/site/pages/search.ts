// The search over all games: characters first, with why each result matched, and the datasets that the words mean.
import { groupBy } from '../../../scripts/text.ts';
import { MEANINGS } from '../../api/search.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { foldText } from '../../query/fold.ts';
import { type ListModel, listAddressOf } from '../data.ts';
import { countOf, wordsOf } from '../format.ts';
import { searchForm } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { CHARACTERS, chipLinks, type Face, faceList, facesOf, pictureCredit } from '../parts.ts';

/** How many results are shown. */
const LIMIT = 60;
const MAX_SUGGESTIONS = 10;
const MAX_DATASETS = 8;
const MAX_CHARS = 100;

/** A result of the API's search. */
interface Result {
  game: string;
  collection: string;
  id: string;
  name: string;
  matched?: { name: string; attribute: string; kind: string };
}

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
    const { total, found } = await find(visit, q, slug, isPart ? MAX_SUGGESTIONS : LIMIT);
    if (!isPart) return results(visit, q, total, found);
    const faces = found.map(({ game, face }) => ({ ...face, note: game.title }));
    return html`<div class="results">${faceList(faces, 'off')}</div>`;
  },
};

/** Sends the API's search request, without a key. */
async function find({ view, services: { data } }: Visit, q: string, slug: string, limit: number) {
  if (q === '') return { total: 0, found: [] };
  const games = view.games.has(slug) ? `&games=${encodeURIComponent(slug)}` : '';
  const query = `q=${encodeURIComponent(q)}&limit=${limit}${games}`;
  type Reply = { total: number; results: Result[] };
  const { total, results: all } = await data.read<Reply>(view, '/api/search', query);
  const found = all.map(async ({ game: at, collection, id, name, matched }): Promise<Found[]> => {
    const game = view.games.get(at);
    const model = game && (await data.list(view, game, collection));
    const [face] = model === undefined ? [] : facesOf(model, [{ id }]);
    if (game === undefined || model === undefined || face === undefined) return [];
    const { group } = face.entry;
    const isOther = matched && !foldText(`${name} ${face.entry.name}`).includes(foldText(matched.name));
    const why = isOther ? `called ${matched.name}` : matched?.kind === 'typo' ? 'spelled like it' : '';
    return [{ game, model, face: { ...face, note: [group, why].filter(Boolean).join(' · ') } }];
  });
  return { total, found: (await Promise.all(found)).flat() };
}

function results(visit: Visit, q: string, total: number, found: readonly Found[]) {
  const { images } = visit.services;
  const datasets = q !== '' && datasetsFor(visit, q);
  const isCharacter = ({ model }: Found) => model.key === CHARACTERS;
  const section = (title: string, all: readonly Found[]) => {
    const groups = groupBy(all, ({ game, model }) => `${game.title} · ${model.label}`).map((own) => {
      const [{ game, model }] = own;
      const faces = own.map(({ face }) => face);
      const heading = html`${game.title}${!isCharacter(own[0]) && ` · ${model.label}`}`;
      return html`<section class="results"><h3 class="small muted">${heading}</h3>${faceList(faces, images)}</section>`;
    });
    return all.length > 0 && html`<h2>${title}</h2><div class="rows">${groups}</div>`;
  };
  const others = found.filter((each) => !isCharacter(each));
  const hosts = [...new Set(found.flatMap(({ model }) => model.hosts))];
  const nothing = datasets
    ? 'No record has this name.'
    : 'Nothing has this name. Try fewer words, or a part of the name.';
  const hint =
    'Characters, items and everything else that has a name, in any language; small typing mistakes do not matter.';
  const shown = `${countOf(total, 'result')}${total > LIMIT ? `, the best ${LIMIT}` : ''}`;
  return {
    title: q === '' ? 'Search' : `${q}: search`,
    pictureHosts: hosts,
    body: html`<h1>${q === '' ? 'Search all games' : `Search: ${q}`}</h1>
      ${searchForm('page-search', 'Name, in any language', q)}
      <p role="status" class="muted">${q === '' ? hint : total > 0 ? shown : nothing}</p>${datasets}
      ${section('Characters', found.filter(isCharacter))}
      ${section('Other records', others)}
      ${pictureCredit(undefined, hosts, images)}`,
  };
}

/** The datasets whose names contain the words, or that the words mean. */
function datasetsFor({ view }: Visit, q: string): Html | false {
  const words = q.toLowerCase().match(/[\p{L}\p{N}-]{3,}/gu) ?? [];
  const isMeant = (key: string) =>
    words.some(
      (word) =>
        key.split('_').some((part) => part === word || part === `${word}s`) ||
        MEANINGS.some(([names, keys]) => names.test(word) && keys.test(key)),
    );
  const all = [...view.games.values()];
  const named = all.filter(({ title }) => words.some((word) => title.toLowerCase().includes(word)));
  const links = (named.length > 0 ? named : all).flatMap(({ slug, title, datasets }) =>
    [...datasets.keys()]
      .filter(isMeant)
      .map((key) => [listAddressOf(slug, key), `${wordsOf(key)} of ${title}`] as const),
  );
  const chips = chipLinks(links.slice(0, MAX_DATASETS));
  return chips && html`<h2>Datasets</h2>${chips}`;
}
