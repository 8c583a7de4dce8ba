import type { JSX } from 'preact';

/** A picture of a game: its initials on a colour that follows from its slug. */
export function Cover({ slug, title }: { slug: string; title: string }): JSX.Element {
  const hue = hueOf(slug);
  return (
    <svg class="cover" viewBox="0 0 96 96" width="48" height="48" aria-hidden="true">
      <rect width="96" height="96" rx="18" fill={`hsl(${hue}, 45%, 34%)`} />
      <path d="M0 70 L96 26 V78 A18 18 0 0 1 78 96 H18 A18 18 0 0 1 0 78 Z" fill={`hsl(${hue}, 45%, 28%)`} />
      <text x="48" y="61" text-anchor="middle" font-size="38" font-weight="700" fill="#fff">
        {initialsOf(title)}
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

/** Returns the first letters of the first two words. */
function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');
}
