import type { JSX } from 'preact';
import type { GameBuild } from '../../data/game-build.ts';
import { foldText } from '../../query/fold.ts';
import { type ListModel, listModelOf, listOf } from '../game-data.ts';
import { CountOf } from '../layout/format.tsx';
import type { PageContent } from '../layout/page-content.ts';
import { PictureCredit } from '../parts/pictures.tsx';
import { RecordLinks } from '../parts/record-links.tsx';
import { linkOf, type RecordLink } from '../record-links.ts';
import type { SitePage, Visit } from '../site-page.ts';
import { findByPrefix, SHORT_CHARS } from '../suggestions.ts';
import { Tile } from '../views/tile.tsx';

/** How many results are shown. */
const LIMIT = 60;
const MAX_SUGGESTIONS = 10;
/** The part of the page that a script asks for. */
const SUGGESTIONS = 'suggestions';
const MAX_CHARS = 100;
/** What nearly every name contains, so that the API finds whole names only. */
const LETTER = /^[a-z0-9]$/;

/** What was found in one game. */
interface Found {
  game: GameBuild;
  links: (RecordLink & { kind: string })[];
  /** A list whose pictures are shown. */
  pictured?: ListModel;
}

/** What was found, and how much there is. */
interface Search {
  total: number;
  found: Found[];
}

const NOTHING: Search = { total: 0, found: [] };

/** The search over all games, which the API has too. */
export const searchPage: SitePage = {
  path: '/search',
  kind: 'search',
  hasAllPictures: true,
  relevantQuery(query) {
    const parameters = new URLSearchParams(query);
    const q = (parameters.get('q') ?? '').trim().replace(/\s+/g, ' ').slice(0, MAX_CHARS);
    const game = parameters.get('game') ?? '';
    return new URLSearchParams({
      ...(q !== '' && { q }),
      ...(game !== '' && { game }),
      ...(parameters.get('part') === SUGGESTIONS && { part: SUGGESTIONS }),
    }).toString();
  },
  async make(visit) {
    const parameters = new URLSearchParams(visit.query);
    const [q, slug] = [parameters.get('q') ?? '', parameters.get('game')];
    if (parameters.get('part') === SUGGESTIONS) return await suggestions(visit, q, slug);
    const isLetter = LETTER.test(foldText(q));
    const { total, found } = q === '' ? NOTHING : await (isLetter ? findByLetter : find)(visit, q, slug);
    return {
      title: q === '' ? 'Search' : `${q}: search`,
      path: '/search',
      width: 'wide',
      body: (
        <>
          <h1>{q === '' ? 'Search all games' : `Search: ${q}`}</h1>
          <form class="field-row page-search" action="/search">
            <input
              type="search"
              name="q"
              value={q}
              maxLength={MAX_CHARS}
              aria-label="Name, in any language"
              placeholder="Name, in any language"
            />
            <button type="submit">Search</button>
          </form>
          <p role="status" class="muted">
            {q === '' ? (
              'Characters, items and everything else that has a name, in any language; small typing mistakes do not matter.'
            ) : total === 0 ? (
              'Nothing has this name. Try fewer words, or a part of the name.'
            ) : isLetter ? (
              'The first names that begin with this letter. Type more letters to find others.'
            ) : (
              <>
                <CountOf count={total} noun="result" />
                {total > LIMIT && `, the best ${LIMIT}`}
              </>
            )}
          </p>
          {found.map((each) => (
            <Results key={each.game.slug} found={each} />
          ))}
        </>
      ),
    };
  },
};

/** The first results alone, as the field in the header of each page shows them. */
async function suggestions(visit: Visit, q: string, slug: string | null): Promise<PageContent> {
  const isShort = [...q].length < SHORT_CHARS;
  const results = q === '' || isShort ? [] : (await find(visit, q, slug, MAX_SUGGESTIONS)).found;
  const short = isShort && q !== '' ? await findBeginnings(visit, q, slug, MAX_SUGGESTIONS) : [];
  const further = results.flatMap(({ game, links }) => links.map((link) => ({ game, link })));
  return {
    title: 'Suggestions',
    path: '/search',
    width: 'text',
    isFragment: true,
    body: (
      <div class="results">
        {[...short, ...further].map(({ game, link: { href, name, tile } }) => (
          <a key={href} href={href}>
            {/* The pages around it may not load the pictures of every game. */}
            <Tile tile={{ ...tile, picture: undefined }} size={24} />
            <span>{name}</span>
            <span class="small muted">{game.title}</span>
          </a>
        ))}
      </div>
    ),
  };
}

function Results({ found: { game, links, pictured } }: { found: Found }): JSX.Element {
  const kinds = [...new Set(links.map(({ kind }) => kind))];
  return (
    <section class="results" aria-labelledby={`in-${game.slug}`}>
      <h2 id={`in-${game.slug}`}>{game.title}</h2>
      {kinds.map((kind) => (
        <div key={kind}>
          <h3 class="small muted">{kind}</h3>
          <RecordLinks links={links.filter((link) => link.kind === kind)} hasNotes />
        </div>
      ))}
      {pictured && <PictureCredit game={game} model={pictured} />}
    </section>
  );
}

/** Finds records of which a name begins with a few letters. */
async function findBeginnings({ view, services }: Visit, q: string, slug: string | null, most: number) {
  const game = slug === null ? undefined : view.games.get(slug);
  const places = await findByPrefix(game ? [game] : [...view.games.values()], q, most);
  return places.flatMap(({ game, collection, row }) => {
    const list = listOf(game, collection);
    if (list === undefined) return [];
    const model = listModelOf(game, collection, list, services);
    return [{ game, link: { ...linkOf(game, model, row), kind: model.label } }];
  });
}

/** Finds what is called by one letter, and then what the suggestions for it are taken from. */
async function findByLetter(visit: Visit, q: string, slug: string | null): Promise<Search> {
  const { found } = await find(visit, q, slug);
  const inGames = new Map(found.map((each) => [each.game, each]));
  for (const { game, link } of await findBeginnings(visit, q, slug, LIMIT)) {
    const inGame = inGames.get(game) ?? { game, links: [] };
    if (!inGame.links.some(({ href }) => href === link.href)) inGame.links.push(link);
    inGames.set(game, inGame);
  }
  const all = [...inGames.values()];
  return { total: all.reduce((sum, { links }) => sum + links.length, 0), found: all };
}

/** A result of the API's search. */
interface ApiResults {
  total: number;
  results: { game: string; collection: string; id: string }[];
}

/** Asks what the API asks, without a key. @throws ParameterError if the text is too long or has no words */
async function find(
  { view, services }: Visit,
  q: string,
  slug: string | null,
  limit = LIMIT,
): Promise<Search> {
  const games = slug !== null && view.games.has(slug) ? `&games=${encodeURIComponent(slug)}` : '';
  const route = services.search;
  if (route === undefined) return NOTHING;
  const search = `?q=${encodeURIComponent(q)}&limit=${limit}${games}`;
  const json = await services.read({ route, path: route.path, search, params: {} }, view);
  const { total, results }: ApiResults = JSON.parse(json.toString());
  const found = new Map<string, Found>();
  for (const { game: at, collection, id } of results) {
    const game = view.games.get(at);
    const list = game && listOf(game, collection);
    const row = list?.rowOfId?.get(id);
    if (game === undefined || list === undefined || row === undefined) continue;
    const model = listModelOf(game, collection, list, services);
    const inGame = found.get(at) ?? { game, links: [] };
    inGame.links.push({ ...linkOf(game, model, row), kind: model.label });
    if (model.tile.picture) inGame.pictured = model;
    found.set(at, inGame);
  }
  return { total, found: [...found.values()] };
}
