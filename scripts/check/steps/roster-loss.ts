import { findRenumbered } from './ids-renumbered.ts';
import { nameSome, type StepCheck, type StepFinding } from './step.ts';
import { MAX_LOST_SHARE } from './thresholds.ts';

export const rosterLossCheck: StepCheck = {
  name: 'roster-loss',
  description: 'At most 10 % of the characters disappear.',
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ before, after, place }): StepFinding[] => {
      if (after.list !== 'characters') return [];
      // Characters that moved to another id are not lost; `ids-renumbered` reports them.
      const renumbered = new Set(findRenumbered(before, after).map(({ from }) => from));
      const gone = [...(before.byId?.keys() ?? [])].filter(
        (id) => !after.byId?.has(id) && !renumbered.has(id),
      );
      const all = before.records.length;
      if (gone.length <= all * MAX_LOST_SHARE) return [];
      return [
        {
          of: after.list,
          place,
          found: `${gone.length} of the ${all} characters of build ${build} are missing: ${nameSome(gone)}`,
          expected: 'at most 10 % of them missing',
        },
      ];
    }),
};
