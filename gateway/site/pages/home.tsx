import type { JSX } from 'preact';
import { CHARACTERS, type GameBuild } from '../../data/game-build.ts';
import { TIERS } from '../../access/account.ts';
import { type BuildChanges, readChanges } from '../build-changes.ts';
import { exampleOf } from '../example-request.ts';
import { listModelOf } from '../game-data.ts';
import { type ListedGame, listGames, newestGames, summarize } from '../game-summary.ts';
import { Count, CountOf, Since } from '../layout/format.tsx';
import { Island } from '../layout/island.tsx';
import { PRODUCT } from '../layout/layout.tsx';
import { describeChanges } from '../parts/describe-changes.tsx';
import { GameCard } from '../parts/game-card.tsx';
import { Plans } from '../parts/plans.tsx';
import { RecordLinks } from '../parts/record-links.tsx';
import { TryIt } from '../parts/try-it.tsx';
import { linkOf, type RecordLink } from '../record-links.ts';
import type { ProOffer, SitePage, Visit } from '../site-page.ts';

const MAX_GAMES = 12;
const MAX_CHANGES = 5;
/** How many new characters a headline names. */
const MAX_NEW = 4;
/** How many characters are pictured, and of each game. */
const MAX_ROSTER = 6;
const MAX_OF_GAME = 2;

/** The newest build of a game, and what it changed. */
interface Newest {
  game: GameBuild;
  changes: BuildChanges;
}

export const homePage: SitePage = {
  path: '/',
  // The form for a key is sent to this gateway, which checks that it came from its own page.
  headers: { 'Referrer-Policy': 'strict-origin' },
  async make(visit) {
    const newest = await readNewest(visit);
    const lately = newest.filter(({ changes }) => hasNews(changes)).slice(0, MAX_CHANGES);
    return {
      title: PRODUCT,
      description:
        'Rosters, stats and datasets of mobile games as JSON: filter by any attribute, search names in any language, compare, follow every patch.',
      path: '/',
      width: 'wide',
      islands: ['try-it'],
      body: <Home visit={visit} lately={lately} roster={rosterOf(visit, newest)} />,
    };
  },
};

async function readNewest({ view, services }: Visit): Promise<Newest[]> {
  return await Promise.all(
    newestGames(view, MAX_GAMES).map(async (game) => ({
      game,
      changes: await readChanges(services.archive(), game),
    })),
  );
}

/** Whether a build changed something in the game. */
function hasNews({ added, changed, removed, gains, datasets }: BuildChanges): boolean {
  return added + changed + removed + gains.length + datasets > 0;
}

/** The characters that came last; of a game whose newest build has no new ones, the first. */
function rosterOf({ services }: Visit, newest: readonly Newest[]): RecordLink[] {
  if (services.isSample) return [];
  const links = newest.flatMap(({ game, changes }) => {
    const model = listModelOf(game, CHARACTERS, game.roster, services);
    const added = changes.names.filter(({ kind }) => kind === 'added' && !changes.isFirst);
    const rows = added.flatMap(({ id }) => game.roster.rowOfId?.get(id) ?? []);
    const first = game.roster.count > 0 ? [0] : [];
    return (rows.length > 0 ? rows : first).slice(0, MAX_OF_GAME).map((row) => linkOf(game, model, row));
  });
  // Pictures of the games are allowed on their own pages.
  return links.slice(0, MAX_ROSTER).map((link) => ({ ...link, tile: { ...link.tile, picture: undefined } }));
}

/** Properties of the page. */
interface HomeProps {
  visit: Visit;
  lately: readonly Newest[];
  roster: readonly RecordLink[];
}

function Home({ visit, lately, roster }: HomeProps): JSX.Element {
  const games = [...visit.view.games.values()];
  const summaries = games.map(summarize);
  const characters = summaries.reduce((sum, { counts }) => sum + counts.characters, 0);
  const builds = summaries.reduce((sum, { counts }) => sum + counts.builds, 0);
  return (
    <>
      <div class="hero">
        <div>
          <h1>Game data, patch by patch</h1>
          <p class="lead">
            Characters, stats and everything else of{' '}
            {games.length === 1 ? 'a mobile game' : <CountOf count={games.length} noun="mobile game" />}: to
            look up here, and to query as JSON over HTTP.
          </p>
          {visit.services.search && <Search />}
          <p class="actions">
            <a class="button" href="/games">
              Browse the games
            </a>
            <a class="button quiet" href="#key">
              Get a free key
            </a>
            <a href="/docs/consumers/queries">Read the guide</a>
          </p>
          {roster.length > 0 && <RecordLinks links={roster} hasNotes />}
          <Offer pro={visit.services.pro} />
          <dl class="facts">
            <Fact label="games" value={games.length} />
            <Fact label="characters" value={characters} />
            <Fact label="builds" value={builds} />
          </dl>
        </div>
        <ChangedLately lately={lately} />
      </div>
      <Games shown={listGames(visit.view, newestGames(visit.view, MAX_GAMES))} total={games.length} />
      <Example games={games} />
      <Plans pro={visit.services.pro} hasSignup={visit.services.hasSignup} />
    </>
  );
}

/** A search over all games, beside that in the header. */
function Search(): JSX.Element {
  return (
    <search class="site-search">
      <form action="/search">
        <input
          id="hero-search"
          type="search"
          name="q"
          maxLength={100}
          required
          autocomplete="off"
          placeholder="A name, in any language: Raiden, マーヴィカ"
          aria-label="A name, in any language"
        />
      </form>
    </search>
  );
}

/** What a key costs, in two sentences. */
function Offer({ pro: { price } }: { pro: ProOffer }): JSX.Element {
  const { limits, delayHours } = TIERS.free;
  return (
    <p class="small muted offer">
      Free: {limits && `${limits.minute} requests a minute, `}builds {delayHours} hours after their release.{' '}
      <a href="#plans">Pro</a>
      {price === undefined ? ': ' : `, ${price}: `}
      no caps, builds at once, and what each of them changed.
    </p>
  );
}

function Fact({ label, value }: { label: string; value: number }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Count value={value} />
      </dd>
    </div>
  );
}

function Example({ games }: { games: readonly GameBuild[] }): JSX.Element | null {
  const example = exampleOf(games);
  if (example === undefined) return null;
  return (
    <section aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <p>
        Change the request and run it: no key needed. It runs on the first ten characters; with a key, on all
        of them. The attributes of each game are on <a href={`/games/${example.slug}/attributes`}>its page</a>
        .
      </p>
      <Island
        name="try-it"
        component={TryIt}
        properties={{ path: example.path, shown: example.shown, sample: example.sample }}
      />
    </section>
  );
}

function Games({ shown, total }: { shown: readonly ListedGame[]; total: number }): JSX.Element {
  return (
    <section aria-labelledby="games">
      <h2 id="games">Games</h2>
      {total === 0 && <p>There are no games yet.</p>}
      <ul class="cards">
        {shown.map((game) => (
          <li key={game.slug}>
            <GameCard game={game} />
          </li>
        ))}
      </ul>
      {total > shown.length && (
        <p>
          <a href="/games">
            All <Count value={total} /> games
          </a>
        </p>
      )}
    </section>
  );
}

/** What is new by its name, or else what changed in short. */
function headline(changes: BuildChanges): string {
  const { isFirst, added, names } = changes;
  const fresh = isFirst ? [] : names.filter(({ kind }) => kind === 'added').slice(0, MAX_NEW);
  if (fresh.length === 0) return describeChanges(changes);
  const left = added - fresh.length;
  return `New: ${fresh.map(({ name }) => name).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function ChangedLately({ lately }: { lately: readonly Newest[] }): JSX.Element | null {
  if (lately.length === 0) return null;
  return (
    <section aria-labelledby="lately">
      <h2 id="lately">What changed lately</h2>
      <ul class="headlines">
        {lately.map(({ game: { slug, title }, changes }) => (
          <li key={slug}>
            <a href={`/games/${slug}/patches/${encodeURIComponent(changes.build)}`}>
              {title} <strong>{changes.build}</strong>
            </a>{' '}
            <span class="small muted">
              <Since time={changes.released_at} />
            </span>
            <br />
            <span class="small">{headline(changes)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
