import type { JSX } from 'preact';
import { hueOf, initialsOf, type TileData } from '../model/tile.ts';

/** In smaller pictures nobody can count stars, and each text takes a browser as long as a row of a table. */
const MIN_STARS_PX = 32;

/** A picture of a record that is drawn from its data: its initials, the colour of its group, and its rarity. */
export function Tile({
  tile: { name, group, rarity, picture },
  size = 24,
}: {
  tile: TileData;
  size?: number;
}): JSX.Element {
  const hue = hueOf(group);
  const drawn = (
    <svg class="tile" viewBox="0 0 48 48" width={size} height={size} aria-hidden="true">
      <rect width="48" height="48" rx="9" fill={`hsl(${hue}, 42%, 34%)`} />
      <path d="M0 34 48 12V39a9 9 0 0 1-9 9H9a9 9 0 0 1-9-9Z" fill={`hsl(${hue}, 46%, 26%)`} />
      <text x="24" y="29" text-anchor="middle" font-size="18" font-weight="700" fill="#fff">
        {initialsOf(name)}
      </text>
      {rarity > 0 && size >= MIN_STARS_PX && (
        <text x="24" y="43" text-anchor="middle" font-size="9" letter-spacing="-1" fill="#ffd76a">
          {'★'.repeat(rarity)}
        </text>
      )}
    </svg>
  );
  if (picture === undefined) return drawn;
  // What is drawn stays where the picture cannot be loaded.
  return (
    <span class="pictured">
      {drawn}
      <img src={picture} alt="" width={size} height={size} loading="lazy" referrerpolicy="no-referrer" />
    </span>
  );
}
