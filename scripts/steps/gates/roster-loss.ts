import { exampleRecords } from '../rule.ts';
import { nameSome, percent, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(20) };

export const rosterLossCheck: StepCheck<'max_lost_share'> = {
  name: 'roster-loss',
  description: 'At most 10 % of the characters disappear.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_lost_share: { default: 0.1, min: 0, max: 1, help: 'the share of characters that may disappear' },
  },
  passes: { ...before, '1.1/characters.json': exampleRecords(18) },
  fails: { ...before, '1.1/characters.json': exampleRecords(17) },
  check: ({ lists, before: { build } }, { max_lost_share }) =>
    lists.flatMap(({ before, after, place, renumbered }): StepFinding[] => {
      if (after.list !== 'characters') return [];
      // Characters that moved to another id are not lost; `ids-renumbered` reports them.
      const moved = new Set(renumbered.map(({ from }) => from));
      const gone = [...(before.byId?.keys() ?? [])].filter((id) => !after.byId?.has(id) && !moved.has(id));
      const all = before.records.length;
      if (gone.length <= all * max_lost_share) return [];
      return [
        {
          of: after.list,
          place,
          found: `${gone.length} of the ${all} characters of build ${build} are missing: ${nameSome(gone)}`,
          expected: `at most ${percent(max_lost_share)} of them missing`,
        },
      ];
    }),
};
