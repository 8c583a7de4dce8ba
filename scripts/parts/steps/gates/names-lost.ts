import { exampleRecords } from '../rule.ts';
import type { ListProfile } from '../profile/profile.ts';
import { nameSome, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(4, () => ({ name_ja: '名' })) };

export const namesLostCheck: StepCheck = {
  name: 'names-lost',
  description: 'A record that had a name in a language still has one.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  // The fifth character is new.
  passes: {
    ...before,
    '1.1/characters.json': exampleRecords(5, (index) => (index < 4 ? { name_ja: '新' } : {})),
  },
  fails: {
    ...before,
    '1.1/characters.json': exampleRecords(4, (index) => (index < 3 ? { name_ja: '新' } : {})),
  },
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ after, place, records, changes }) =>
      changes
        .filter(({ key, change }) => change !== 'kind' && isNameIn(after, key))
        .map(({ key, had, lost }): StepFinding => {
          const first = records.find(({ record }) => record.id === lost[0]);
          return {
            of: `${after.list}.${key}`,
            place: lost.length === had ? place : (first?.place ?? place),
            found: `no "${key}" in ${lost.length} of ${had} records of ${after.list}: ${nameSome(lost)}`,
            expected: `names, as in build ${build}`,
          };
        }),
    ),
};

/** Whether an attribute is the name of a list's records in some language. */
export function isNameIn({ kind }: ListProfile, key: string): boolean {
  return kind === 'list' && /^name(_[^.]+)?$/.test(key);
}
