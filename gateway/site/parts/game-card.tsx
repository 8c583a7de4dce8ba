import type { JSX } from 'preact';
import { countOf, Since } from '../../layout/format.tsx';
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
        {countOf(counts.characters, 'character')}, {countOf(counts.datasets, 'dataset')}
      </span>
      <span class="small">
        <span class="badge">{build}</span> <Since time={released_at} />
      </span>
    </a>
  );
}
