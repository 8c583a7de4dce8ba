// The search over all games: characters first, with why each result matched, and the datasets that the words mean.
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { type ListModel, listAddressOf, listsOf } from '../data.ts';
import { countOf, wordsOf } from '../format.ts';
import { type PageContent, searchForm } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { CHARACTERS, chipLinks, type Face, faceList, facesOf, pictureCredit } from '../parts.ts';
import { tile } from '../tile.ts';

/** How many results are shown. */
const LIMIT = 60;
const MAX_SUGGESTIONS = 10;
const MAX_DATASETS = 8;
const MAX_CHARS = 100;
/** The words that players use for datasets. */
const MEANINGS: readonly (readonly [words: RegExp, keys: RegExp])[] = [
  [/^(pity|wish(es)?|gacha|pulls?|rates?|summons?)$/i, /^pull_/],
  [/^(banners?|rerun|rate-?ups?)$/i, /^banners$/],
];

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
  counts: 'always',
  relevantQuery(query) {
    const parameters = new URLSearchParams(query);
    const q = (parameters.get('q') ?? '').trim().replace(/\s+/g, ' ').slice(0, MAX_CHARS);
    const further = ['game', 'part'].map((name) => [name, parameters.get(name) ?? ''] as const);
    const given = [['q', q] as const, ...further].filter(([, value]) => value !== '');
    return new URLSearchParams(Object.fromEntries(given)).toString();
  },
  async make(visit) {
    const parameters = new URLSearchParams(visit.query);
    const q = parameters.get('q') ?? '';
    const isPart = parameters.get('part') === 'suggestions';
    const { total, found } = await find(visit, q, parameters.get('game'), isPart ? MAX_SUGGESTIONS : LIMIT);
    return isPart ? suggestions(found) : results(visit, q, total, found);
  },
};

/** Sends the API's search request, without a key. */
async function find({ view, services }: Visit, q: string, slug: string | null, limit: number) {
  const { data } = services;
  const games = slug !== null && view.games.has(slug) ? `&games=${encodeURIComponent(slug)}` : '';
  const query = `q=${encodeURIComponent(q)}&limit=${limit}${games}`;
  const { total, results: all } =
    q === ''
      ? { total: 0, results: [] }
      : await data.read<{ total: number; results: Result[] }>(view, '/api/search', query);
  const found = all.map(async ({ game: at, collection, id, name, matched }): Promise<Found[]> => {
    const game = view.games.get(at);
    const model = game && (await data.list(view, game, collection));
    const [face] = model === undefined ? [] : facesOf(at, model, [{ id }]);
    if (game === undefined || model === undefined || face === undefined) return [];
    const { group } = face.entry;
    const isOther = matched !== undefined && matched.name !== name && matched.name !== face.entry.name;
    const why = isOther ? `called ${matched.name}` : matched?.kind === 'typo' ? 'spelled like it' : '';
    return [{ game, model, face: { ...face, note: [group, why].filter(Boolean).join(' · ') } }];
  });
  return { total, found: (await Promise.all(found)).flat() };
}

/** Only the first results, as search fields show them. */
function suggestions(found: readonly Found[]): PageContent {
  return {
    ...{ title: 'Suggestions', path: '/search', width: 'text', isFragment: true },
    body: html`<div class="results">${found.map(
      ({ game, face: { href, entry } }) =>
        html`<a href="${href}">${tile(entry, 'off')}<span>${entry.name}</span> <span class="small muted">${game.title}</span></a>`,
    )}</div>`,
  };
}

function results(visit: Visit, q: string, total: number, found: readonly Found[]): PageContent {
  const { images } = visit.services;
  const datasets = datasetsFor(visit, q);
  const sections = [true, false].map((isCharacter) => {
    const own = found.filter(({ model }) => (model.key === CHARACTERS) === isCharacter);
    const groups = new Map<string, Found[]>();
    for (const each of own) {
      const title = `${each.game.title}${isCharacter ? '' : ` · ${each.model.label}`}`;
      groups.set(title, [...(groups.get(title) ?? []), each]);
    }
    return html`${own.length > 0 && html`<h2>${isCharacter ? 'Characters' : 'Other records'}</h2>`}${[
      ...groups,
    ].map(
      ([title, all]) =>
        html`<section class="results"><h3 class="small muted">${title}</h3>${faceList(
          all.map(({ face }) => face),
          images,
        )}</section>`,
    )}`;
  });
  const hosts = [...new Set(found.flatMap(({ model }) => model.hosts))];
  const status =
    q === ''
      ? 'Characters, items and everything else that has a name, in any language; small typing mistakes do not matter.'
      : total > 0
        ? `${countOf(total, 'result')}${total > LIMIT ? `, the best ${LIMIT}` : ''}`
        : datasets === false
          ? 'Nothing has this name. Try fewer words, or a part of the name.'
          : 'No record has this name.';
  return {
    ...{ title: q === '' ? 'Search' : `${q}: search`, path: '/search', width: 'wide', pictureHosts: hosts },
    body: html`<h1>${q === '' ? 'Search all games' : `Search: ${q}`}</h1>
      ${searchForm('page-search', 'Name, in any language', q)}
      <p role="status" class="muted">${status}</p>${datasets}${sections}
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
  const named = [...view.games.values()].filter(({ title }) =>
    words.some((word) => title.toLowerCase().includes(word)),
  );
  const games = named.length > 0 ? named : [...view.games.values()];
  const links = games.flatMap((game) =>
    [...new Set([...listsOf(game).map(({ key }) => key), ...game.datasets.keys()])]
      .filter((key) => key !== CHARACTERS && isMeant(key))
      .map((key) => [listAddressOf(game.slug, key), `${wordsOf(key)} of ${game.title}`] as const),
  );
  const chips = chipLinks(links.slice(0, MAX_DATASETS));
  return chips && html`<h2>Datasets</h2>${chips}`;
}
