import { countOf } from '../layout/format.tsx';
import type { BuildChanges } from '../build-changes.ts';

/** Describes the counts of what a build changed: `2 new characters, 14 changed, 3 datasets`. */
export function describeChanges(changes: BuildChanges): string {
  const { isFirst, added, changed, removed, datasets, gained } = changes;
  if (isFirst) return 'the first build';
  const parts = [
    added > 0 && countOf(added, 'new character'),
    changed > 0 && `${countOf(changed, 'character')} changed`,
    removed > 0 && `${countOf(removed, 'character')} removed`,
    datasets > 0 && `${countOf(datasets, 'dataset')} changed`,
    gained > 0 && `${countOf(gained, 'dataset')} served from this build on`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'no changes of the data' : parts.join(', ');
}
