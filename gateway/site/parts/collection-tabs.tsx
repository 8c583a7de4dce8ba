import type { JSX } from 'preact';
import { Count } from '../layout/format.tsx';
import type { CollectionLink } from '../model/page-data.ts';
import { listAddressOf } from '../model/linked.ts';

/** Links to the lists of a game. */
export function CollectionTabs({
  game,
  collections,
  current,
}: {
  game: string;
  collections: readonly CollectionLink[];
  current: string;
}): JSX.Element {
  return (
    <nav class="collections" aria-label="Lists">
      {collections.map(({ key, label, count }) => (
        <a key={key} href={listAddressOf(game, key)} aria-current={key === current ? 'page' : undefined}>
          {label}{' '}
          <span class="count">
            <Count value={count} />
          </span>
        </a>
      ))}
    </nav>
  );
}
