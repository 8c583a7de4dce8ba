import { compareNatural } from '../format/dist-format.ts';
import type { Change } from './compare-values.ts';
import type { BuildDiff } from './diff-builds.ts';

/** The change of a character in a build. `changes` is empty unless `kind` is `changed`. */
export interface TimelineEntry {
  id: string;
  /** The name in the newer build. */
  name: string;
  kind: 'added' | 'changed' | 'removed';
  changes: Change[];
}

/**
 * The changes of each character in a build, in natural order of ids. A character's timeline is its entries in all builds. A character that
 * was removed may be added again.
 */
export function timelineOf({ characters: { added, removed, changed } }: BuildDiff): TimelineEntry[] {
  const entries = [
    ...added.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'added', changes: [] })),
    ...removed.map(({ id, name }): TimelineEntry => ({ id, name, kind: 'removed', changes: [] })),
    ...changed.map(({ id, name, changes }): TimelineEntry => ({ id, name, kind: 'changed', changes })),
  ];
  return entries.sort((a, b) => compareNatural(a.id, b.id));
}
