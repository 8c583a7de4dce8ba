import type { JSX } from 'preact';
import type { GameBuild } from '../../data/game-build.ts';

/** Where an open page says that a newer build of its game has arrived (`islands/lib/watch-build.ts`). Until then it is empty. */
export function Arrival({
  game: { slug, title, build },
}: {
  game: Pick<GameBuild, 'slug' | 'title' | 'build'>;
}): JSX.Element {
  return <div class="arrival" role="status" data-game={slug} data-title={title} data-build={build} />;
}
