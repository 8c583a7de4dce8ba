import type { Json, JsonObject } from '../format/dist-format.ts';
import type { ListProfile } from './profile/profile.ts';

/** One name alone that has another id is no pattern. */
const MIN_RENUMBERED = 2;

/** What exactly one record has in each of two builds, mostly its name, and the ids of these records. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/**
 * The records that have other ids; empty if they are few enough to be chance. They are matched by name; records whose name is not their own, or
 * that have none, by everything else in them.
 *
 * @param maxShare of the records, which may move
 */
export function findRenumbered(before: ListProfile, after: ListProfile, maxShare: number): Renumbered[] {
  const { moved, shared } = matchByName(before, after);
  const isPattern = moved.length >= MIN_RENUMBERED && moved.length > shared * maxShare;
  return isPattern && !staysWithId(before, after, moved) ? moved : [];
}

/** The records whose ids are gone, and that are in the later build under ids that are new, however few they are. */
export function findMovedAway(before: ListProfile, after: ListProfile): Renumbered[] {
  const { moved } = matchByName(before, after);
  return moved.filter(({ from, to }) => !after.byId?.has(from) && !before.byId?.has(to));
}

function matchByName(before: ListProfile, after: ListProfile): { moved: Renumbered[]; shared: number } {
  const later = idsByName(after);
  const moved: Renumbered[] = [];
  let shared = 0;
  for (const [name, from] of idsByName(before)) {
    const to = later.get(name);
    if (from === undefined || to === undefined) continue;
    shared++;
    if (from !== to) moved.push({ name, from, to });
  }
  const renumbered = new Set(moved.map(({ from }) => from));
  const others = matchByContent(before, after).filter(({ from }) => !renumbered.has(from));
  return { moved: [...moved, ...others], shared: shared + others.length };
}

/** The id of each name; undefined for a name that several records share. */
function idsByName({ byId }: ListProfile): Map<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const [id, { name }] of byId ?? []) {
    if (typeof name === 'string' && name !== '') ids.set(name, ids.has(name) ? undefined : id);
  }
  return ids;
}

/** Matches records whose ids are only in the earlier build with equal ones whose ids are only in the later one. */
function matchByContent(before: ListProfile, after: ListProfile): Renumbered[] {
  const contents = new Map<string, { from?: string; to?: string; count: number }>();
  const add = (records: ListProfile['byId'], others: ListProfile['byId'], end: 'from' | 'to') => {
    for (const [id, record] of records ?? []) {
      if (others?.has(id)) continue;
      const content = JSON.stringify({ ...record, id: null });
      const entry = contents.get(content) ?? { count: 0 };
      contents.set(content, { ...entry, [end]: id, count: entry.count + 1 });
    }
  };
  add(before.byId, after.byId, 'from');
  add(after.byId, before.byId, 'to');
  return [...contents.values()].flatMap(({ from, to, count }) =>
    from !== undefined && to !== undefined && count === 2 ? [{ name: from, from, to }] : [],
  );
}

/** Whether the records with these names kept everything else at their old ids: then the names moved, not the ids. */
function staysWithId(before: ListProfile, after: ListProfile, moved: readonly Renumbered[]): boolean {
  let stays = 0;
  let moves = 0;
  for (const { from, to } of moved) {
    const earlier = before.byId?.get(from);
    if (earlier === undefined) continue;
    stays += countEqual(earlier, after.byId?.get(from));
    moves += countEqual(earlier, after.byId?.get(to));
  }
  return stays > moves;
}

/** How many attributes of two records are equal, apart from ids and names. */
function countEqual(one: JsonObject, other: JsonObject | undefined): number {
  if (other === undefined) return 0;
  return Object.keys(one).filter((key) => {
    const isOther = key !== 'id' && !/^name(?:_|$)/.test(key) && Object.hasOwn(other, key);
    return isOther && textOf(one[key]) === textOf(other[key]);
  }).length;
}

function textOf(value: Json | undefined): string {
  return JSON.stringify(value) ?? '';
}
