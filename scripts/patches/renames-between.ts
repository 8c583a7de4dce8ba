import type { Renames } from '../format/dist-format.ts';

type Ids = Map<string, string>;

/** A build, with the records that it renumbered. */
interface Renumbering {
  renamed?: Renames;
}

/**
 * Returns the ids that records of one build have in another, by collection, as far as builds between them renumbered records.
 *
 * @param builds all builds, oldest first; `from` may be the newer of the two
 */
export function renamesBetween<Build extends Renumbering>(
  builds: readonly Build[],
  from: Build,
  to: Build,
): Renames {
  const [start, end] = [builds.indexOf(from), builds.indexOf(to)];
  const between = builds.slice(Math.min(start, end) + 1, Math.max(start, end) + 1);
  if (between.every(({ renamed }) => renamed === undefined)) return {};
  const forward = toObject(compose(between));
  return start <= end ? forward : invert(forward);
}

/** The ids in the last build of the records that exist before all of the builds. */
function compose(builds: readonly Renumbering[]): Map<string, Ids> {
  const composed = new Map<string, Ids>();
  for (const { renamed = {} } of builds) {
    for (const [collection, ids] of Object.entries(renamed)) {
      const renames = composed.get(collection) ?? new Map<string, string>();
      const reached = new Set(renames.values());
      for (const [first, current] of renames) renames.set(first, idIn(ids, current) ?? current);
      for (const [old, current] of Object.entries(ids)) {
        if (!reached.has(old) && !renames.has(old)) renames.set(old, current);
      }
      composed.set(collection, renames);
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
