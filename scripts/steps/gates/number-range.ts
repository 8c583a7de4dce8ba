import { exampleRecords } from '../rule.ts';
import { quoteKeys } from '../report-explained.ts';
import { type ListStep, nameSome, type StepCheck, type StepFinding } from '../step.ts';
import type { ValueProfile } from '../profile/value-profile.ts';

const before = {
  '1.0/characters.json': exampleRecords(10, (index) => ({ stats: { atk: 100 + index * 10 } })),
};
/** A character is new, and stronger than the strongest one, whose attack is 190. */
const withNew = (atk: number) => ({
  '1.1/characters.json': exampleRecords(11, (index) => ({
    stats: { atk: index < 10 ? 100 + index * 10 : atk },
  })),
});

export const numberRangeCheck: StepCheck<'max_widening' | 'min_values'> = {
  name: 'number-range',
  description: 'A number is not far outside the range of the build before, and not negative if none was.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_widening: {
      default: 1,
      min: 0,
      max: 1e9,
      help: 'by how many widths of the range (largest minus smallest number) it may grow at each end',
    },
    min_values: { default: 10, min: 1, max: 1e9, help: 'fewer numbers give no range' },
  },
  passes: { ...before, ...withNew(280) },
  fails: { ...before, ...withNew(281) },
  check: ({ lists, before: { build } }, { max_widening, min_values }) =>
    lists.flatMap((list): StepFinding[] => {
      if (list.after.kind === 'object' || list.renumbered.length > 0) return [];
      const outside = findOutside(list, max_widening, min_values);
      if (outside.length === 0) return [];
      const ranges = outside.map(
        ({ before, after }) =>
          `"${after.key}" from ${after.min} to ${after.max}, and from ${before.min} to ${before.max} before`,
      );
      return [
        {
          // An override of the list lifts it for all attributes.
          of: outside.length === 1 ? `${list.after.list}.${outside[0]?.after.key}` : list.after.list,
          place: list.place,
          ...(outside.some((each) => isExtreme(each) || countNegated(list, each) >= MIN_NEGATED) && {
            severity: 'error' as const,
          }),
          found: `numbers of ${list.after.list} far from all others in ${quoteKeys(outside.map(({ after }) => after))}: ${nameSome(ranges)}`,
          expected: `numbers near those of build ${build}`,
        },
      ];
    }),
};

const MAX_GROWTH_IN_LISTS = 1000;

/** No number of a game is so many times as large as all before. */
const MAX_TIMES = 10_000;

function isExtreme({ before, after }: Outside): boolean {
  return before.max > 0 && after.max > before.max * MAX_TIMES;
}

/** So many numbers that became -1, as for "none", where none was negative are no edits. Other negative ones may be a patch, and `values-scaled` finds lost signs. */
const MIN_NEGATED = 3;

function countNegated({ columns }: ListStep, { before }: Outside): number {
  if (before.min < 0) return 0;
  const { changed = [] } = columns.find(({ key }) => key === before.key) ?? {};
  return changed.filter(({ after }) => after === -1).length;
}

interface Outside {
  before: ValueProfile;
  after: ValueProfile;
}

function findOutside(
  { before, after, changes, explained }: ListStep,
  widening: number,
  minimum: number,
): Outside[] {
  // `rarity-range` is stricter.
  const reported = new Set(['rarity', ...explained.keys(), ...changes.map(({ key }) => key)]);
  return [...before.values.values()].flatMap((earlier): Outside[] => {
    const now = after.values.get(earlier.key);
    if (now === undefined || earlier.numbers < minimum || reported.has(earlier.key)) return [];
    const margin = (earlier.max - earlier.min) * widening;
    // Two numbers are a choice, not a range.
    const isFar =
      (earlier.choices?.size ?? 3) > 2 && (now.max > earlier.max + margin || now.min < earlier.min - margin);
    const isNegative = earlier.min >= 0 && now.min < 0;
    // Lists of numbers are ids, mostly: new ones may be far from the others.
    const isList = before.attributes.get(earlier.key)?.kind?.list === true;
    const isWrong = isList ? now.max > earlier.max * MAX_GROWTH_IN_LISTS : isFar || isNegative;
    return isWrong ? [{ before: earlier, after: now }] : [];
  });
}
