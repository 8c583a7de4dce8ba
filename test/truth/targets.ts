import { valuesOf } from './mutation.ts';
import { nameOf, type RawColumn } from './raw-tables.ts';

const MIN_VALUES = 10;
const numberOrText =
  /(?:id|ids|Id|ID|seq|order|sort|key|time|Time|date|Date|start|end|At|version|hash|Hash)$/;

/**
 * Whether a column is one that a mutation of numbers, categories or names fits, and that the mapping reads: it has its name.
 *
 * @param names the identifiers in the mapping
 */
export function choosesColumn(
  of: 'numbers' | 'categories' | 'names',
  column: RawColumn,
  names: ReadonlySet<string>,
): boolean {
  const name = nameOf(column);
  if (column.cells.length < MIN_VALUES || !names.has(name)) return false;
  const values = valuesOf(column).filter((value) => value !== null && value !== '');
  const distinct = new Set(values).size;
  const share = (type: string) => values.filter((value) => typeof value === type).length / values.length;
  if (of === 'numbers') return share('number') > 0.8 && distinct >= 5 && !numberOrText.test(name);
  if (of === 'names') return share('string') === 1 && distinct >= values.length / 2;
  const isCategory = distinct >= 2 && distinct <= 20 && values.length >= 20 && values.length >= distinct * 3;
  return isCategory && !numberOrText.test(name) && (share('string') === 1 || share('number') === 1);
}
