import { isObject, type Json } from '../format/dist-format.ts';
import { isEmpty } from './profile/attribute-profile.ts';
import type { Column, Scalar } from './columns.ts';
import { type FieldChange, type RecordPair, valueAt } from './field-changes.ts';

/** Fewer values than these may move by chance, and so may values of fewer kinds: "new" moves from record to record. */
const MIN_VALUES = 5;
const MIN_DIFFERENT = 3;
const SAME_VALUES_SHARE = 0.9;

/**
 * Finds attributes of few records whose values are in other records now: the records that lost them have none.
 *
 * @param columnsBefore the columns of the same records; those that are returned have changed in none of the values that both builds have
 */
export function findMovedValues(
  changes: readonly FieldChange[],
  pairs: readonly RecordPair[],
  columnsBefore: readonly Column[],
): Column[] {
  const candidates = changes.filter(({ change, lost }) => change === 'thinned' && lost.length >= MIN_VALUES);
  return candidates.flatMap(({ key, had }): Column[] => {
    const path = key.split('.');
    const lost: Scalar[] = [];
    const came: Scalar[] = [];
    for (const [, before, after] of pairs) {
      const [earlier, later] = [valueAt(before, path), valueAt(after, path)];
      if (earlier === later) continue;
      if (isScalar(earlier) && !isEmpty(earlier)) lost.push(earlier);
      if (isScalar(later) && !isEmpty(later)) came.push(later);
    }
    const isMove =
      lost.length >= MIN_VALUES &&
      new Set(lost).size >= MIN_DIFFERENT &&
      countSame(lost, came) >= Math.max(lost.length, came.length) * SAME_VALUES_SHARE;
    if (!isMove) return [];
    const column = columnsBefore.find((other) => other.key === key);
    return [column ?? { ...NO_COLUMN, key, both: had }];
  });
}

const NO_COLUMN = {
  ...{ decimals: 0, bothAt: [], changed: [], hasRows: false, lists: 0, shortened: [], had: 0, emptied: [] },
};

function isScalar(value: Json | undefined): value is Scalar {
  return value !== undefined && value !== null && !Array.isArray(value) && !isObject(value);
}

/** How many values two lists have in common. */
function countSame<T>(some: readonly T[], others: readonly T[]): number {
  const left = new Map<T, number>();
  for (const value of others) left.set(value, (left.get(value) ?? 0) + 1);
  let same = 0;
  for (const value of some) {
    const count = left.get(value) ?? 0;
    if (count === 0) continue;
    same++;
    left.set(value, count - 1);
  }
  return same;
}
