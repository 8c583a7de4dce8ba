import { countOf } from '../layout/format.tsx';
import { endedLast, listGames } from '../game-summary.ts';
import { GameCard } from '../parts/game-card.tsx';
import type { SitePage } from '../site-page.ts';

export const gamesPage: SitePage = {
  path: '/games',
  make({ view }) {
    const byTitle = [...view.games.values(), ...view.lost.values()].sort((a, b) =>
      a.title.localeCompare(b.title, 'en'),
    );
    const games = listGames(view, endedLast(view, byTitle));
    return {
      title: 'Games',
      description: `${countOf(games.length, 'game')}: characters, datasets, builds and how fresh they are.`,
      path: '/games',
      width: 'wide',
      body: (
        <>
          <h1>Games</h1>
          <p class="lead">
            {games.length === 0
              ? 'There are no games yet.'
              : 'Each game has its own attributes and datasets. Its page explains them, with ranges and examples.'}{' '}
            <a href="/contents">What each game has, side by side</a>
          </p>
          {view.isPartial && <p>The list is not complete: a game cannot be read right now.</p>}
          <ul class="cards">
            {games.map((game) => (
              <li key={game.slug}>
                <GameCard game={game} />
              </li>
            ))}
          </ul>
        </>
      ),
    };
  },
};
