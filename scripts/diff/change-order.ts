import type { Json } from '../format/json.ts';
import { pointerSteps } from '../lib/json-pointer.ts';

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
