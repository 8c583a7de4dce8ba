import type { BuildEntry, Renames } from '../../scripts/format/dist-format.ts';

type Ids = Map<string, string>;

/** The collection of the roster. */
export const CHARACTERS = 'characters';

/**
 * Returns the ids that records of one build have in another, by collection, as far as builds between them renumbered records.
 *
 * @param builds all builds, oldest first; `from` may be the newer of the two
 */
export function renamesBetween(builds: readonly BuildEntry[], from: BuildEntry, to: BuildEntry): Renames {
  const [start, end] = [builds.indexOf(from), builds.indexOf(to)];
  const between = builds.slice(Math.min(start, end) + 1, Math.max(start, end) + 1);
  if (between.every(({ renamed }) => renamed === undefined)) return {};
  const forward = toObject(compose(between));
  return start <= end ? forward : invert(forward);
}

/** Returns, by collection, the ids that renumbered records have in the last of some builds, by each id that they had before. */
export function aliasesOf(builds: readonly BuildEntry[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const aliases = new Map<string, Ids>();
  for (const { renamed = {} } of builds) {
    for (const [collection, ids] of Object.entries(renamed)) {
      const known = aliases.get(collection) ?? new Map<string, string>();
      for (const [old, current] of known) known.set(old, idIn(ids, current) ?? current);
      for (const [old, current] of Object.entries(ids)) known.set(old, current);
      aliases.set(collection, known);
    }
  }
  return aliases;
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

/** The ids in the last build of the records that exist before all of the builds. */
function compose(builds: readonly BuildEntry[]): Map<string, Ids> {
  const composed = new Map<string, Ids>();
  for (const { renamed = {} } of builds) {
    for (const [collection, ids] of Object.entries(renamed)) {
      const known = composed.get(collection) ?? new Map<string, string>();
      const reached = new Set(known.values());
      for (const [first, current] of known) known.set(first, idIn(ids, current) ?? current);
      for (const [old, current] of Object.entries(ids)) {
        if (!reached.has(old) && !known.has(old)) known.set(old, current);
      }
      composed.set(collection, known);
    }
  }
  return composed;
}

function toObject(ids: ReadonlyMap<string, Ids>): Renames {
  return Object.fromEntries([...ids].map(([collection, pairs]) => [collection, Object.fromEntries(pairs)]));
}

function invert(renames: Renames): Renames {
  const turn = (ids: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(ids).map(([from, to]) => [to, from]));
  return Object.fromEntries(Object.entries(renames).map(([collection, ids]) => [collection, turn(ids)]));
}

function idIn(ids: Readonly<Record<string, string>>, id: string): string | undefined {
  return Object.hasOwn(ids, id) ? ids[id] : undefined;
}
