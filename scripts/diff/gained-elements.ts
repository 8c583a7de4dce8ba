import type { Json } from '../format/json.ts';
import { pointerSteps } from '../lib/json-pointer.ts';

/**
 * A list that began to have elements, or elements of a kind, in a whole collection: `values` are scalars that no list of the build before had and
 * that many lists got at once. Without `values`, no such list of the build before had an object or a list in it.
 */
export interface GainedElements {
  /** The dotted key of the list. */
  key: string;
  values?: Json[];
}

/** Whether a change is nothing but elements that a whole collection gained. */
export function isGained(
  { path, from, to }: { path: string; from?: Json; to?: Json },
  gained: readonly GainedElements[] = [],
): boolean {
  if (to === undefined || gained.length === 0) return false;
  const key = pointerSteps(path)
    .filter((step) => !/^\d+$/.test(step))
    .join('.');
  return gained.some((each) => {
    if (each.key !== key) return false;
    const { values } = each;
    if (values === undefined) return from === undefined;
    if (!Array.isArray(to) || !Array.isArray(from)) return false;
    const others = to.filter((value) => !values.includes(value));
    return JSON.stringify(others) === JSON.stringify(from);
  });
}
