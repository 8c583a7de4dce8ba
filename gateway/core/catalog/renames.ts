import type { BuildEntry } from '../../../scripts/core/format/dist-format.ts';

type Ids = Map<string, string>;

/** The collection of the roster. */
export const CHARACTERS = 'characters';

/** Returns, by collection, the ids that renumbered records have in the last of some builds, by each id that they had before. */
export function currentIdsOf(
  builds: readonly BuildEntry[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const collections = new Map<string, Ids>();
  for (const { renamed = {} } of builds) {
    for (const [collection, ids] of Object.entries(renamed)) {
      const currentIds = collections.get(collection) ?? new Map<string, string>();
      for (const [old, current] of currentIds) currentIds.set(old, idIn(ids, current) ?? current);
      for (const [old, current] of Object.entries(ids)) currentIds.set(old, current);
      collections.set(collection, currentIds);
    }
  }
  return collections;
}

/**
 * Returns the id that a character has in each build. An id that another character had before means the newer one.
 *
 * @param id its id in the last build
 * @returns undefined for builds before the character got an id that another one had
 */
export function idsOverTime(builds: readonly BuildEntry[], id: string): (string | undefined)[] {
  const ids: (string | undefined)[] = [];
  let current: string | undefined = id;
  for (const { renamed } of [...builds].reverse()) {
    ids.push(current);
    const pairs = Object.entries(renamed?.[CHARACTERS] ?? {});
    const before = pairs.find(([, to]) => to === current);
    const isReused = before === undefined && pairs.some(([from]) => from === current);
    current = isReused ? undefined : (before?.[0] ?? current);
  }
  return ids.reverse();
}

function idIn(ids: Readonly<Record<string, string>>, id: string): string | undefined {
  return Object.hasOwn(ids, id) ? ids[id] : undefined;
}
