import type { JSX } from 'preact';
import { CountOf, Since } from '../layout/format.tsx';
import type { GameSummary } from '../game-summary.ts';
import { Cover } from './cover.tsx';

/** A game in a list of games: what it is, how much there is, how fresh it is. */
export function GameCard({ game }: { game: GameSummary }): JSX.Element {
  const { slug, title, build, released_at, counts } = game;
  return (
    <a class="card game-card" href={`/games/${slug}`}>
      <Cover slug={slug} title={title} />
      <span class="card-title">{title}</span>
      <span class="muted small">
        <CountOf count={counts.characters} noun="character" />,{' '}
        <CountOf count={counts.datasets} noun="dataset" />
      </span>
      <span class="small">
        <span class="badge">{build}</span> <Since time={released_at} />
      </span>
    </a>
  );
}
