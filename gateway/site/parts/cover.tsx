import type { JSX } from 'preact';

/** The size of letters by how many there are. */
const SIZES = [38, 38, 38, 31, 25];

/** A picture of a game: its letters (`markOf`) on a colour that follows from its slug. */
export function Cover({ slug, mark }: { slug: string; mark: string }): JSX.Element {
  const hue = hueOf(slug);
  const size = SIZES[[...mark].length] ?? 22;
  return (
    <svg class="cover" viewBox="0 0 96 96" width="48" height="48" aria-hidden="true">
      <rect width="96" height="96" rx="18" fill={`hsl(${hue}, 45%, 34%)`} />
      <path d="M0 70 L96 26 V78 A18 18 0 0 1 78 96 H18 A18 18 0 0 1 0 78 Z" fill={`hsl(${hue}, 45%, 28%)`} />
      <text x="48" y={48 + size * 0.35} text-anchor="middle" font-size={size} font-weight="700" fill="#fff">
        {mark}
      </text>
    </svg>
  );
}

function hueOf(slug: string): number {
  let hash = 0;
  for (const character of slug) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  // Steps of the golden angle lie far from each other.
  return Math.round((hash * 137.508) % 360);
}
