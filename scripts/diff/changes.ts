import { type Json, pointerSteps } from '../format/json.ts';

/** What is used of a change. */
interface Ordered {
  path: string;
  from?: Json;
  to?: Json;
}

/** Puts what players look for first: numbers that grew or fell, those of stats before others; then other values, and names in other languages last. */
export function inOrder<T extends { changes: readonly Ordered[] }>(records: readonly T[]): T[] {
  return records
    .map((record) => ({ record, rank: Math.min(...record.changes.map(rankOf)) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ record }) => ({ ...record, changes: orderChanges(record.changes) }));
}

/** Orders the changes of one record in the same way. */
export function orderChanges<T extends Ordered>(changes: readonly T[]): T[] {
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ path, from, to }: Ordered): number {
  const steps = pointerSteps(path);
  if (typeof from === 'number' && typeof to === 'number') return steps[0] === 'stats' ? 0 : 2;
  if (steps[0] === 'stats') return 1;
  return /^(?:.+_)?name_[a-z]{2}/.test(steps.at(-1) ?? '') ? 4 : 3;
}

/** How much of what both texts begin with is left before the first difference. */
const CONTEXT = 20;

/**
 * Cuts two texts that differ so that the difference is seen: what both begin with is left out if it is long, and the ends are cut.
 *
 * @param max the number of characters of each, without ellipses
 */
export function cutApart(from: string, to: string, max: number): [string, string] {
  const [before, after] = [[...from], [...to]];
  const isLong = before.length > max || after.length > max;
  let same = 0;
  while (isLong && same < before.length && before[same] === after[same]) same++;
  const start = same > max / 2 ? Math.max(0, same - CONTEXT) : 0;
  const cut = (text: readonly string[]) =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + max).join('')}${text.length > start + max ? '…' : ''}`;
  return [cut(before), cut(after)];
}
