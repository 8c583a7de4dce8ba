import type { BuildChanges } from '../build-changes.ts';
import { wordsOf } from '../model/format-value.ts';
import { countOf, formatNumber } from '../layout/format.tsx';

/** How many datasets are named. */
const MAX_NAMED = 3;

/** Describes what a build changed in one line: `2 new characters, 14 characters changed, 33 new in Banners`. */
export function describeChanges(changes: BuildChanges): string {
  const { isFirst, added, changed, removed, gains, datasets } = changes;
  if (isFirst) return `the first build, with ${countOf(added, 'character')}`;
  const others = datasets + gains.slice(MAX_NAMED).length;
  const parts = [
    added > 0 && countOf(added, 'new character'),
    changed > 0 && `${countOf(changed, 'character')} changed`,
    removed > 0 && `${countOf(removed, 'character')} removed`,
    ...gains.slice(0, MAX_NAMED).map(({ key, count }) => `${formatNumber(count)} new in ${wordsOf(key)}`),
    others > 0 && `${countOf(others, 'dataset')} changed`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'no changes in the game' : parts.join(', ');
}
