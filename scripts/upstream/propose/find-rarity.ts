import { type Column, wordsOf } from './column.ts';

/** Ranks by name, the lowest first. */
const ORDERS = [
  ['n', 'r', 'sr', 'ssr', 'ur', 'lr'],
  ['d', 'c', 'b', 'a', 's', 'ss', 'sss'],
  ['common', 'uncommon', 'rare', 'epic', 'legendary', 'mythic', 'champion'],
  ['normal', 'rare', 'epic', 'legend'],
  ['white', 'green', 'blue', 'purple', 'orange'],
  ['bronze', 'silver', 'gold', 'platinum'],
];

/**
 * The numbers of ranks that are texts: of `rarity_4` and `TIER_6` the number in it, of `SSR` its place
 * among the usual names of ranks, from 1 for the lowest that there is.
 *
 * @returns undefined if the values are no such ranks
 */
export function rankNumbers({
  kind,
  values,
}: Pick<Column, 'kind' | 'values'>): Record<string, number> | undefined {
  if (kind !== 'text' || values.length === 0) return undefined;
  const texts = [...new Set(values.map(String))].sort();
  const numbers = texts.map((text) => /^\D*(\d{1,2})\D*$/.exec(text)?.[1]);
  if (numbers.every((number) => number !== undefined)) return asRecord(texts, numbers.map(Number));
  const words = texts.map((text) => wordsOf(text.replace(/[_ ]/g, '-')).at(-1) ?? '');
  const order = ORDERS.find((names) => words.every((word) => names.includes(word)));
  if (order === undefined) return undefined;
  const places = words.map((word) => order.indexOf(word));
  const lowest = Math.min(...places);
  return asRecord(
    texts,
    places.map((place) => place - lowest + 1),
  );
}

function asRecord(texts: readonly string[], numbers: readonly number[]): Record<string, number> {
  return Object.fromEntries(texts.map((text, index) => [text, numbers[index] ?? 0]));
}
