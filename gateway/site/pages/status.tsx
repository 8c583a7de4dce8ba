import type { JSX } from 'preact';
import { TIERS } from '../../access/account.ts';
import { describeFreshness, type Freshness, LATE } from '../../freshness/freshness.ts';
import { endedLast, type ListedGame, listGames } from '../game-summary.ts';
import { Count, CountOf, Since } from '../layout/format.tsx';
import { Scroll } from '../layout/scroll.tsx';
import type { SiteData, SitePage, Visit } from '../site-page.ts';

/** How long the status is shown unchanged. */
const KEEP_MS = 2000;

/** What the status page and its twin for programs say. */
interface Status {
  /** Whether the gateway can serve every request. */
  ready: boolean;
  /** By how many hours what visitors and free keys see is behind. */
  delay_hours: number;
  games: (Pick<ListedGame, 'slug' | 'title' | 'build' | 'released_at'> &
    Freshness & {
      characters: number;
      /** The game that goes on, if this one has ended. */
      successor?: string;
    })[];
}

export const statusPage: SitePage = {
  path: '/status',
  keepMs: KEEP_MS,
  async make(visit) {
    const status = await readStatus(visit);
    return {
      title: 'Status',
      description: 'Whether the API can be reached, and how fresh each game is.',
      path: '/status',
      width: 'wide',
      body: <StatusBody status={status} />,
    };
  },
};

export const statusData: SiteData = { path: '/status.json', keepMs: KEEP_MS, makeData: readStatus };

async function readStatus({ view, services }: Visit): Promise<Status> {
  const games = endedLast(view, [...view.games.values()]).flatMap((game) =>
    listGames(view, [game]).map(({ slug, title, build, released_at, counts, successor }) => ({
      ...{ slug, title, build, released_at },
      ...describeFreshness(game.builds, TIERS.free.delayHours, services.now()),
      characters: counts.characters,
      ...(successor && { successor: successor.slug }),
    })),
  );
  return {
    ready: (await services.findUnreadiness()) === undefined,
    delay_hours: TIERS.free.delayHours,
    games,
  };
}

function StatusBody({ status: { ready, delay_hours, games } }: { status: Status }): JSX.Element {
  return (
    <>
      <h1>Status</h1>
      <p class={`status-line ${ready ? 'status-good' : 'status-bad'}`}>
        {ready
          ? 'The API responds to every request.'
          : 'The API does not respond to every request right now.'}
      </p>
      <p>
        Builds as visitors and free keys see them: {delay_hours} hours after their release. A Pro key sees a
        build from its release on. For programs: <a href="/status.json">status.json</a>.
      </p>
      <p>
        The gateway knows when a build was released, not what the source of a game has released since. A game
        whose current build is much older than its usual interval may be behind its source.
      </p>
      {games.length > 0 && <Games games={games} />}
    </>
  );
}

function Games({ games }: Pick<Status, 'games'>): JSX.Element {
  return (
    <Scroll label="Games">
      <table>
        <thead>
          <tr>
            <th scope="col">Game</th>
            <th scope="col">State</th>
            <th scope="col">Current build</th>
            <th scope="col">Released</th>
            <th scope="col">Public since</th>
            <th scope="col" class="number">
              Usual interval
            </th>
            <th scope="col" class="number">
              Characters
            </th>
          </tr>
        </thead>
        <tbody>
          {games.map((game) => (
            <GameRow key={game.slug} game={game} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** From how many usual intervals on a game is very late. */
const VERY_LATE = 3;

/** Whether a game is older than it usually is, in words and in a colour. */
function Age({ game: { behind, successor } }: { game: Status['games'][number] }): JSX.Element {
  if (successor !== undefined) return <span class="muted">ended</span>;
  if (behind === null) return <span class="muted">–</span>;
  const [level, words] =
    behind <= LATE ? [1, 'as usual'] : behind <= VERY_LATE ? [2, 'late'] : [3, 'very late'];
  return (
    <span class={`behind behind-${level}`}>
      {words} <small>{behind} intervals old</small>
    </span>
  );
}

function GameRow({ game }: { game: Status['games'][number] }): JSX.Element {
  const { slug, title, build, released_at, public_at, usual_interval_days: days, characters } = game;
  return (
    <tr>
      <th scope="row">
        <a href={`/games/${slug}`}>{title}</a>
      </th>
      <td>
        <Age game={game} />
      </td>
      <td>{build}</td>
      <td>
        <Since time={released_at} />
      </td>
      <td>
        <Since time={public_at} />
      </td>
      <td class="number">{days === null ? '–' : <CountOf count={Math.round(days) || days} noun="day" />}</td>
      <td class="number">
        <Count value={characters} />
      </td>
    </tr>
  );
}
