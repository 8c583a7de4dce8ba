import { compareNatural } from '../format/dist-format.ts';
import type { Change } from './compare-values.ts';
import type { BuildDiff } from './diff-builds.ts';

/** What a build did to a character. `changes` is empty but for the kind `changed`. */
export interface TimelineEntry {
  id: string;
  /** The newer one. */
  name: string;
  kind: 'added' | 'changed' | 'removed';
  changes: Change[];
}

/**
 * What a build did to each character that it touched, in natural order of ids. A character's timeline is its entries of all builds; one
 * that was removed may be added again.
 */
export function timelineOf({ characters: { added, removed, changed } }: BuildDiff): TimelineEntry[] {
  const entries = [
    ...added.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'added', changes: [] })),
    ...removed.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'removed', changes: [] })),
    ...changed.map(({ id, name, changes }): TimelineEntry => ({ id, name, kind: 'changed', changes })),
  ];
  return entries.sort((a, b) => compareNatural(a.id, b.id));
}
