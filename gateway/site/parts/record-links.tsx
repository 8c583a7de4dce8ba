import type { JSX } from 'preact';
import type { RecordLink } from '../record-links.ts';
import { Tile } from '../views/tile.tsx';

/** Records with their pictures, each as a link. */
export function RecordLinks({
  links,
  size = 40,
  hasNotes = false,
}: {
  links: readonly RecordLink[];
  size?: number;
  /** Whether each says what groups it, so that those of one name are told apart. */
  hasNotes?: boolean;
}): JSX.Element {
  return (
    <ul class="tiles">
      {links.map(({ href, name, note, tile }) => (
        <li key={href}>
          <a href={href}>
            <Tile tile={tile} size={size} />
            <span>
              {name}
              {hasNotes && note !== '' && <small class="muted">{note}</small>}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
