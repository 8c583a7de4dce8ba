// The search over all games: characters first, with why each result matched, and the datasets that the words mean.
import { groupBy } from '../../../scripts/text.ts';
import { MEANINGS } from '../../api/search.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { html } from '../../http/html.ts';
import { foldText, SILENT } from '../../query/fold.ts';
import { type ListModel, listAddressOf } from '../data.ts';
import { countOf, wordsOf } from '../format.ts';
import { searchForm } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { CHARACTERS, chipLinks, type Face, faceList, facesOf, pictureCredit } from '../parts.ts';
import { runsOf } from './game.ts';

/** How many results are shown. */
const LIMIT = 60;
const MAX_SUGGESTIONS = 10;
const MAX_DATASETS = 16;
const MAX_CHARS = 100;
/** How many parts of the words are searched for, the longest first, until one finds something. */
const MAX_PARTS = 8;
/** The words that lead to the total costs of a character. */
const COSTS = /\b(costs?|materials?)\b/i;

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
    const reply = await find(visit, q, slug, isPart ? MAX_SUGGESTIONS : LIMIT);
    if (!isPart) return results(visit, q, reply);
    const faces = reply.found.map(({ game, face }) => ({ ...face, note: game.title }));
    return html`<div class="results">${faceList(faces, 'off')}</div>`;
  },
};

/** Sends the API's search request, without a key: for a name without the words that mean data or a game, if no record is called by all words, then for fewer. */
async function find({ view, services: { data } }: Visit, q: string, slug: string, limit: number) {
  if (q === '') return { total: 0, found: [], name: '' };
  const games = view.games.has(slug) ? `&games=${encodeURIComponent(slug)}` : '';
  type Reply = { total: number; results: Result[] };
  const read = (text: string) =>
    data.read<Reply>(view, '/api/search', `q=${encodeURIComponent(text)}&limit=${limit}${games}`);
  const isData = (word: string, game: GameBuild) =>
    isTitled(word, game) || [...game.datasets.keys()].some((key) => isMeant(foldText(word), key));
  const words = q.split(' ').filter((word) => ![...view.games.values()].some((game) => isData(word, game)));
  const isNamed = ({ results }: Reply) => results.some(({ matched }) => matched?.kind !== 'typo');
  const parts = words.flatMap((_, at) => [words.slice(0, words.length - at), words.slice(at)]);
  let [name, reply] = [q, await read(q)];
  for (const part of parts.slice(1, MAX_PARTS).map((each) => each.join(' ')))
    if (part === words.join(' ') ? part !== q && !isNamed(reply) : reply.total === 0)
      [name, reply] = [part, await read(part)];
  const found = reply.results.map(async ({ game: at, collection, id, name, matched }): Promise<Found[]> => {
    const game = view.games.get(at);
    const model = game && (await data.list(view, game, collection));
    const [face] = model === undefined ? [] : facesOf(model, [{ id }]);
    if (game === undefined || model === undefined || face === undefined) return [];
    const { group } = face.entry;
    const isOther = matched && !foldText(`${name} ${face.entry.name}`).includes(foldText(matched.name));
    const why = isOther ? `called ${matched.name}` : matched?.kind === 'typo' ? 'spelled like it' : '';
    const href = face.entry.href + (collection === CHARACTERS && COSTS.test(q) ? '#totals' : '');
    return [{ game, model, face: { ...face, href, note: [group, why].filter(Boolean).join(' · ') } }];
  });
  return { total: reply.total, found: (await Promise.all(found)).flat(), name };
}

async function results(visit: Visit, q: string, { total, found, name }: Awaited<ReturnType<typeof find>>) {
  const { images } = visit.services;
  const isCharacter = ({ model }: Found) => model.key === CHARACTERS;
  const characters = found.filter(isCharacter);
  const [first] = characters;
  const about = name === q ? [] : (first ? characters : found).map(({ game }) => game);
  const { datasets, keys } = datasetsFor(visit, foldText(q), about);
  const hasRuns = first && first === found[0] && keys.includes('banners');
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
  const shown = `${countOf(total, 'result')}${name === q ? '' : ` for ${name}`}${total > LIMIT ? `, the best ${LIMIT}` : ''}`;
  return {
    title: q === '' ? 'Search' : `${q}: search`,
    pictureHosts: hosts,
    body: html`<h1>${q === '' ? 'Search all games' : `Search: ${q}`}</h1>
      ${searchForm('page-search', 'Name, in any language', q)}
      <p role="status" class="muted">${q === '' ? hint : total > 0 ? shown : nothing}</p>${name === q && datasets}
      ${section('Characters', characters)}${hasRuns && (await runsOf(visit, first.game, first.face.entry.id))}${name !== q && datasets}
      ${section('Other records', others)}
      ${pictureCredit(undefined, hosts, images)}`,
  };
}

/** Whether a word is in the title of a game, or means a dataset, also in the plural or begun with four letters. */
const isTitled = (word: string, { title }: GameBuild) =>
  foldText(title).split(SILENT).includes(foldText(word));
const isMeant = (word: string, key: string) =>
  key.split('_').some((part) => [part, `${part}s`].includes(word) || part.startsWith(begin(word))) ||
  MEANINGS.some(([names, keys]) => names.test(word) && keys.test(key));
const begin = (word: string) => (word.length > 3 ? word : `${word}s`);

/** The datasets that the words name or mean, of the games that they name, or of those that something was found in. */
function datasetsFor({ view }: Visit, q: string, found: readonly GameBuild[]) {
  const words = q.split(' ').filter((word) => word.length > 2);
  const all = [...view.games.values()];
  const named = all.filter((game) => words.some((word) => isTitled(word, game)));
  const [games = all] = [named, [...new Set(found)]].filter(({ length }) => length > 0);
  const sets = games.flatMap(({ slug, title, datasets }) =>
    [...datasets.keys()]
      .filter((key) => words.some((word) => isMeant(word, key)))
      .map((key) => ({ slug, key, text: `${wordsOf(key)} of ${title}` })),
  );
  const chips = chipLinks(
    sets.slice(0, MAX_DATASETS).map(({ slug, key, text }) => [listAddressOf(slug, key), text]),
  );
  return { datasets: chips && html`<h2>Datasets</h2>${chips}`, keys: sets.map(({ key }) => key) };
}
