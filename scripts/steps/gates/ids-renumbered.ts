import { exampleRecords } from '../rule.ts';
import { proposeRenamed } from '../propose-renamed.ts';
import { nameSome, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(20) };
/** All ids exist in both builds; those of the first names belong to other names now. */
const rotated = (count: number) => ({
  '1.1/characters.json': exampleRecords(20, (index) =>
    index < count ? { name: `Name ${(index + 1) % count}` } : {},
  ),
});

export const idsRenumberedCheck: StepCheck<'max_moved_share'> = {
  name: 'ids-renumbered',
  description: 'At most 10 % of the names in a list move to another id.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_moved_share: { default: 0.1, min: 0, max: 1, help: 'the share of names that may move to another id' },
  },
  passes: { ...before, ...rotated(2) },
  fails: { ...before, ...rotated(20) },
  check: ({ lists, before: { build }, build: later }) =>
    lists.flatMap(({ after, place, renumbered }): StepFinding[] => {
      if (renumbered.length === 0) return [];
      const examples = renumbered.map(({ name, from, to }) => `"${name}" is ${to} and was ${from}`);
      return [
        {
          of: after.list,
          place,
          found: `other ids for ${renumbered.length} names of ${after.list}: ${nameSome(examples)}`,
          expected: `the ids of build ${build}: clients keep ids, and would get other records`,
          ...proposeRenamed(later, after.list, renumbered),
        },
      ];
    }),
};
