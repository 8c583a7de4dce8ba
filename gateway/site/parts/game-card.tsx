import type { JSX } from 'preact';
import { CountOf, Since } from '../layout/format.tsx';
import type { ListedGame } from '../game-summary.ts';
import { Cover } from './cover.tsx';

/** A game in a list of games: what it is, how much there is, how fresh it is. */
export function GameCard({ game }: { game: ListedGame }): JSX.Element {
  const { slug, title, mark, build, released_at, counts, successor } = game;
  return (
    <a class="card game-card" href={`/games/${slug}`}>
      <Cover slug={slug} mark={mark} />
      <span class="card-title">{title}</span>
      <span class="muted small">
        <CountOf count={counts.characters} noun="character" />,{' '}
        <CountOf count={counts.datasets} noun="dataset" />
      </span>
      <span class="small">
        <span class="badge">{build}</span> <Since time={released_at} />
      </span>
      {successor && <span class="small muted">Ended: {successor.title} goes on</span>}
    </a>
  );
}
