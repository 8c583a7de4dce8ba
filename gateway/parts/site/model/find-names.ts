import type { Json } from '../../../../scripts/core/format/json.ts';

/** A character with its names, as `/api/{game}/names` lists it. */
export interface Named {
  id: string;
  name?: string;
  aliases?: string[];
  [name: string]: Json | undefined;
}

/**
 * Finds characters by a part of a name in any language: beginnings of names first.
 *
 * @param most how many are returned
 */
export function findNames(names: readonly Named[], text: string, most: number): Named[] {
  const wanted = fold(text);
  if (wanted === '') return names.slice(0, most);
  const ranked = names.flatMap((named) => {
    const rank = rankOf(named, wanted);
    return rank === undefined ? [] : [{ named, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, most).map(({ named }) => named);
}

function rankOf({ id, aliases = [], ...names }: Named, wanted: string): number | undefined {
  if (id === wanted) return 0;
  const texts = [...Object.values(names), ...aliases].filter((value) => typeof value === 'string').map(fold);
  if (texts.includes(wanted)) return 0;
  if (texts.some((name) => name.startsWith(wanted))) return 1;
  return texts.some((name) => name.includes(wanted)) ? 2 : undefined;
}

/** Makes case, width, accents, spaces and punctuation equal. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{P}\p{S}\s]/gu, '');
}
