import type { ListProfile } from './profile.ts';
import { nameSome, type StepCheck, type StepFinding } from './step.ts';
import { FEWEST_OF_ALL, LOST_SHARE } from './thresholds.ts';

export const idsRenumberedCheck: StepCheck = {
  name: 'ids-renumbered',
  description: 'What is called the same has the same id, but for at most 10 % of a list.',
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
          expected: `the ids of build ${build}; whoever keeps an id would be told of another record`,
        },
      ];
    }),
};

/** A name that one record had in each of two builds, and its ids there. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/** The names that went from one id to another, where they are too many for chance; names that several records bear do not count. */
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
  return moved.length >= FEWEST_OF_ALL && moved.length > shared * LOST_SHARE ? moved : [];
}

/** Undefined for a name that several records bear. */
function idsByName({ byId }: ListProfile): Map<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const [id, { name }] of byId ?? []) {
    if (typeof name === 'string' && name !== '') ids.set(name, ids.has(name) ? undefined : id);
  }
  return ids;
}
