import type { JSX } from 'preact';
import type { RecordLink } from '../record-links.ts';
import { Tile } from '../views/tile.tsx';

/** Records with their pictures, each as a link. */
export function RecordLinks({
  links,
  size = 40,
}: {
  links: readonly RecordLink[];
  size?: number;
}): JSX.Element {
  return (
    <ul class="tiles">
      {links.map(({ href, name, tile }) => (
        <li key={href}>
          <a href={href}>
            <Tile tile={tile} size={size} />
            <span>{name}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
