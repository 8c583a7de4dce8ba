import { isObject, type JsonObject } from '../../format/dist-format.ts';
import { exampleRecords } from '../rule.ts';
import { quoteKeys } from '../report-explained.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck, ListContent } from './content.ts';
import type { ValueProfile } from '../profile/value-profile.ts';

const stats = (count: number) => ({
  '1.0/characters.json': exampleRecords(20, (index) => ({
    stats: { atk: index < count ? 9999 : 100 + index },
  })),
});

export const numbersImplausibleCheck: ContentCheck<'min_share' | 'min_values'> = {
  name: 'numbers-implausible',
  description:
    'Numbers are no marks for "none" such as 9999 or -1, stats are not all zero or negative, and no minimum is above its maximum.',
  scope: 'build',
  severity: 'warning',
  thresholds: {
    min_share: { ...{ default: 0.05, min: 0, max: 1 }, help: 'the share of numbers that are the same mark' },
    min_values: { ...{ default: 3, min: 1, max: 1e9 }, help: 'fewer of them are not reported' },
  },
  passes: stats(2),
  fails: stats(3),
  check: ({ lists, before }, limits) =>
    lists.flatMap((list) =>
      list.kind === 'object'
        ? []
        : [...findMarks(list, limits), ...(before ? [] : findBadStats(list)), ...findCrossed(list)],
    ),
};

const MIN_RECORDS = 10;

function findMarks(list: ListContent, limits: { min_share: number; min_values: number }): StepFinding[] {
  const isMany = (count: number, all: number) =>
    count >= limits.min_values && count >= all * limits.min_share;
  return [...list.values.values()].flatMap((values): StepFinding[] => {
    const { key, numbers, marks, minusOnes, min, max } = values;
    if (numbers < MIN_RECORDS || /(?:^|[._])(?:id|ids|order|sort)$|_(?:ids?|at)$/.test(key)) return [];
    // A number such as 9999 that some have who have no limit is the largest one of all.
    const isMark = marks < numbers / 2 && isMany(marks, numbers) && /^9{4,}$/.test(String(max));
    const isMinus =
      min === -1 && minusOnes < numbers / 2 && isMany(minusOnes, numbers) && values.negatives === minusOnes;
    if (!isMark && !isMinus) return [];
    const [count, mark] = isMark ? [marks, max] : [minusOnes, -1];
    return [
      report(list, key, `${mark} in ${count} of ${numbers} values of "${key}"`, 'numbers, or none', count),
    ];
  });
}

/** One that is zero for all, or negative for most, is no stat. After a build before, gates are more exact. */
function findBadStats(list: ListContent): StepFinding[] {
  const isStat = ({ key, numbers }: ValueProfile) =>
    list.list === 'characters' && /^stats\.[^.]+$/.test(key) && numbers >= MIN_RECORDS;
  return [...list.values.values()]
    .filter(isStat)
    .flatMap(({ key, numbers, zeros, negatives }): StepFinding[] => {
      if (zeros === numbers)
        return [
          report(
            list,
            key,
            `zero in all ${numbers} values of "${key}"`,
            'a stat that some characters have',
            numbers,
          ),
        ];
      if (negatives <= numbers / 2) return [];
      return [
        report(
          list,
          key,
          `a negative number in ${negatives} of ${numbers} values of "${key}"`,
          'stats as the game shows them',
          negatives,
        ),
      ];
    });
}

/** Finds minima above their maxima: attributes beside each other whose names differ in these words. */
function findCrossed(list: ListContent): StepFinding[] {
  const pairs = [...list.attributes].flatMap(([key, { path }]) => {
    const name = path.at(-1) ?? '';
    const other = name.replace(/(?<![a-z])min(?![a-z])/, 'max');
    const whole = [...path.slice(0, -1), other].join('.');
    return other !== name && list.attributes.has(whole) ? [{ key, path, other }] : [];
  });
  return pairs.flatMap(({ key, path, other }): StepFinding[] => {
    const crossed = list.records.filter((record) => {
      const holder = holderOf(record, path);
      const [least, most] = [holder?.[path.at(-1) ?? ''], holder?.[other]];
      return typeof least === 'number' && typeof most === 'number' && most !== 0 && least > most;
    });
    if (crossed.length === 0) return [];
    const found = `${quoteKeys([{ key }])} above "${other}" in ${crossed.length} records of ${list.list}, first "${String(crossed[0]?.id ?? '')}"`;
    return [
      {
        of: `${list.list}.${key}`,
        place: list.place,
        found,
        expected: 'a minimum that is at most the maximum',
        count: crossed.length,
      },
    ];
  });
}

function holderOf(record: JsonObject, path: readonly string[]): JsonObject | undefined {
  let holder: JsonObject = record;
  for (const name of path.slice(0, -1)) {
    const inner = holder[name];
    if (!isObject(inner)) return undefined;
    holder = inner;
  }
  return holder;
}

function report(
  { list, place }: ListContent,
  key: string,
  what: string,
  expected: string,
  count: number,
): StepFinding {
  return { of: `${list}.${key}`, place, found: `${what} of ${list}`, expected, count };
}
