import type { ListProfile } from './profile.ts';
import { nameSome, type StepCheck, type StepFinding } from './step.ts';
import { MAX_LOST_SHARE, MIN_LOST_RECORDS_OF_ALL } from './thresholds.ts';

export const idsRenumberedCheck: StepCheck = {
  name: 'ids-renumbered',
  description: 'At most 10 % of the names in a list move to another id.',
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ before, after, place }): StepFinding[] => {
      const moved = findRenumbered(before, after);
      if (moved.length === 0) return [];
      const examples = moved.map(({ name, from, to }) => `"${name}" is ${to} and was ${from}`);
      return [
        {
          of: after.list,
          place,
          found: `other ids for ${moved.length} names of ${after.list}: ${nameSome(examples)}`,
          expected: `the ids of build ${build}: clients keep ids, and would get other records`,
        },
      ];
    }),
};

/** A name that exactly one record has in each of two builds, and the ids of these records. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/** The names that moved to another id; empty if they are few enough to be chance. Names that several records share do not count. */
export function findRenumbered(before: ListProfile, after: ListProfile): Renumbered[] {
  const later = idsByName(after);
  const moved: Renumbered[] = [];
  let shared = 0;
  for (const [name, from] of idsByName(before)) {
    const to = later.get(name);
    if (from === undefined || to === undefined) continue;
    shared++;
    if (from !== to) moved.push({ name, from, to });
  }
  return moved.length >= MIN_LOST_RECORDS_OF_ALL && moved.length > shared * MAX_LOST_SHARE ? moved : [];
}

/** The id of each name; undefined for a name that several records share. */
function idsByName({ byId }: ListProfile): Map<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const [id, { name }] of byId ?? []) {
    if (typeof name === 'string' && name !== '') ids.set(name, ids.has(name) ? undefined : id);
  }
  return ids;
}
