import type { JSX } from 'preact';
import type { GameBuild } from '../../data/game-build.ts';
import type { View } from '../../data/view.ts';
import { markOf } from '../game-summary.ts';
import { Arrival } from './arrival.tsx';
import { Cover } from './cover.tsx';

/** The pages below a game. */
const TABS = [
  { name: 'overview', path: '', label: 'Overview' },
  { name: 'explore', path: '/explore', label: 'Explore' },
  { name: 'compare', path: '/compare', label: 'Compare' },
  { name: 'patches', path: '/patches', label: 'Patches' },
  { name: 'attributes', path: '/attributes', label: 'Attributes' },
] as const;

/** What is at the top of each page of a game: its name, and links to its other pages. */
export function GameHead({
  view,
  game,
  current,
  heading = game.title,
}: {
  view: View;
  game: Pick<GameBuild, 'slug' | 'title' | 'build'>;
  current: (typeof TABS)[number]['name'] | undefined;
  /** The heading of the page; by default the game's title. */
  heading?: string;
}): JSX.Element {
  const { slug, title } = game;
  return (
    <>
      <Arrival game={game} />
      <div class="game-head">
        <p class="crumbs">
          <a href="/games">Games</a> / {heading === title ? title : <a href={`/games/${slug}`}>{title}</a>}
        </p>
        <div class="game-title">
          <Cover slug={slug} mark={markOf(view, slug)} />
          <h1>{heading}</h1>
        </div>
        <nav class="tabs" aria-label={title}>
          {TABS.map(({ name, path, label }) => (
            <a key={name} href={`/games/${slug}${path}`} aria-current={name === current ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </div>
    </>
  );
}
