import type { ListProfile } from './profile.ts';

/** One name alone that has another id is no pattern. */
const MIN_RENUMBERED = 2;

/** A name that exactly one record has in each of two builds, and the ids of these records. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/**
 * The names that moved to another id; empty if they are few enough to be chance. Names that several records share do not count.
 *
 * @param maxShare of the names, which may move
 */
export function findRenumbered(before: ListProfile, after: ListProfile, maxShare: number): Renumbered[] {
  const later = idsByName(after);
  const moved: Renumbered[] = [];
  let shared = 0;
  for (const [name, from] of idsByName(before)) {
    const to = later.get(name);
    if (from === undefined || to === undefined) continue;
    shared++;
    if (from !== to) moved.push({ name, from, to });
  }
  return moved.length >= MIN_RENUMBERED && moved.length > shared * maxShare ? moved : [];
}

/** The id of each name; undefined for a name that several records share. */
function idsByName({ byId }: ListProfile): Map<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const [id, { name }] of byId ?? []) {
    if (typeof name === 'string' && name !== '') ids.set(name, ids.has(name) ? undefined : id);
  }
  return ids;
}
