import type { ChangedShare } from '../../findings/findings.ts';
import type { Column } from '../columns.ts';
import type { ValueProfile } from '../profile/value-profile.ts';
import { commonPath, exampleOf, keysOf, quoteKeys } from '../report-explained.ts';
import { exampleRecords } from '../rule.ts';
import type { ListStep, StepCheck, StepFinding } from '../step.ts';

const ELEMENTS = ['Fire', 'Ice', 'Wind'];
const before = {
  '1.0/characters.json': exampleRecords(60, (index) => ({ element: ELEMENTS[index % 3] ?? '' })),
};
/** The first characters have the element of the next one. */
const changed = (count: number) => ({
  '1.1/characters.json': exampleRecords(60, (index) => ({
    element: ELEMENTS[(index < count ? 0 : index) % 3] ?? '',
  })),
});

export const categoriesChangedCheck: StepCheck<
  'max_changed_share' | 'min_changed_values' | 'max_categories' | 'min_records_each'
> = {
  name: 'categories-changed',
  description: 'Few records change an attribute with few different values, such as an element.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_changed_share: { default: 0.05, min: 0, max: 1, help: 'the share of values that may change' },
    min_changed_values: { default: 5, min: 1, max: 1e9, help: 'fewer changed values are not reported' },
    max_categories: {
      ...{ default: 20, min: 1, max: 40 },
      help: 'an attribute with more different values is no category',
    },
    min_records_each: {
      ...{ default: 5, min: 1, max: 1e9 },
      help: 'an attribute whose values are in fewer records, on average, is no category',
    },
  },
  passes: { ...before, ...changed(6) },
  fails: { ...before, ...changed(9) },
  check: ({ lists, before: { build } }, limits) =>
    lists.flatMap((list): StepFinding[] => {
      const { max_changed_share, min_changed_values } = limits;
      const columns = list.columns.filter(({ key, changed, both, bothAt }) => {
        const isMany = changed.length >= min_changed_values && changed.length > both * max_changed_share;
        const isReported = list.explained.has(key) || list.changes.some((change) => change.key === key);
        // The rows of a list may be in another order.
        return isMany && !isReported && bothAt.length === 0 && !/(?:^|[._])rarity$/.test(key);
      });
      const categories = columns.filter((column) => isCategory(list, column, limits));
      const [first] = categories;
      const one = findCollapsed(list).map((column): StepFinding => {
        const { key, changed, both } = column;
        const what = `has the same value in all records of ${list.after.list}`;
        return {
          ...{ of: `${list.after.list}.${key}`, place: list.place, severity: 'error' },
          found: `"${key}" ${what}, in ${changed.length} of ${both} values a new one${exampleOf(list, column)}`,
          expected: `different values, as in build ${build}`,
          changed: { ...shareOf([column]), ...(changed[0] && { value: changed[0].after }) },
        };
      });
      if (first === undefined) return one;
      return [
        ...one,
        {
          of: [list.after.list, ...commonPath(categories.map(({ key }) => key))].join('.'),
          place: list.place,
          found: `${quoteKeys(categories)} of ${list.after.list} changed in ${first.changed.length} of ${first.both} values${exampleOf(list, first)}`,
          expected: `the values of build ${build}, with a few that were corrected`,
          changed: shareOf(categories),
        },
      ];
    }),
};

/** In how many of the values of the first attribute there is another one. */
function shareOf(columns: readonly Column[]): ChangedShare {
  const [first] = columns;
  return { attributes: keysOf(columns), count: first?.changed.length ?? 0, all: first?.both ?? 0 };
}

/** Fewer values, and a smaller share of them, may have become one by edits. */
const MIN_COLLAPSED = 20;
const MIN_COLLAPSED_SHARE = 0.1;

/** The attributes with several texts or numbers, many of them other than most, which have one for all records now. */
function findCollapsed({ before, after, columns, explained }: ListStep): Column[] {
  return columns.filter(({ key, changed, both }) => {
    const [earlier, later] = [before.values.get(key), after.values.get(key)];
    if (earlier === undefined || later === undefined || explained.has(key)) return false;
    const isOne = (later.choices?.size ?? 2) + (later.categories?.size ?? 2) === 1;
    return isOne && changed.length >= Math.max(MIN_COLLAPSED, both * MIN_COLLAPSED_SHARE);
  });
}

/** More different numbers than these are no codes of categories. */
const MAX_CODES = 6;

function isWhole({ choices }: ValueProfile): boolean {
  return [...(choices ?? [])].every(Number.isInteger);
}

function isCategory(
  { before }: ListStep,
  { key, both, changed }: Column,
  { max_categories, min_records_each }: Record<'max_categories' | 'min_records_each', number>,
): boolean {
  if (changed.every((change) => typeof change.before === 'boolean')) return true;
  const profile = before.values.get(key);
  // Numbers are stats, mostly, and a patch may change many of them.
  const isCode = profile?.choices !== undefined && profile.choices.size <= MAX_CODES;
  const different = profile?.categories?.size || (isCode && isWhole(profile) ? profile.choices?.size : 0);
  return (
    different !== undefined &&
    different > 0 &&
    different <= max_categories &&
    both >= Math.max(20, different * min_records_each)
  );
}
