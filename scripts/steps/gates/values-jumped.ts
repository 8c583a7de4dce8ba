import { isObject, type JsonObject } from '../../format/dist-format.ts';
import type { ChangedValue, Column } from '../columns.ts';
import { rowsAt, valueAt } from '../field-changes.ts';
import { exampleRecords } from '../rule.ts';
import { commonPath, quoteKeys } from '../report-explained.ts';
import { type BuildStep, type ListStep, nameSome, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(20, (index) => ({ atk: 100 + index * 10 })) };
/** One character has another attack. */
const withOne = (atk: number) => ({
  '1.1/characters.json': exampleRecords(20, (index) => ({ atk: index === 5 ? atk : 100 + index * 10 })),
});

export const valuesJumpedCheck: StepCheck<'max_factor' | 'max_share'> = {
  name: 'values-jumped',
  description:
    'Single numbers do not jump far, those of levels keep rising, and few records get all the numbers of another.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_factor: { default: 4, min: 1, max: 1e9, help: 'the factor by which a number may change' },
    max_share: {
      ...{ default: 0.1, min: 0, max: 1 },
      help: 'the share of values from which changes are no single ones: other checks look at these',
    },
  },
  passes: { ...before, ...withOne(50) },
  fails: { ...before, ...withOne(37) },
  check: (step, limits) =>
    step.lists.flatMap((list) => [
      ...findJumps(list, step, limits),
      ...findFalls(list, step, limits),
      ...findCopies(list, step),
    ]),
};

/** Small numbers, such as costs and ranks, may change by any factor. */
const MIN_SIZE = 20;
/** So large a number that is exactly twice or half of what it was is read from another row. */
const MIN_EXACT = 100;
const MIN_VALUES = 10;
const MIN_DIFFERENT = 5;
const EXACT = new Set([2, 0.5]);

/** The least number that is looked at if it alone changed in all records, to twice or half of what it was: it holds no build back. */
const MIN_DOUBLED = 10;

function isDoubled({ before, after }: ChangedValue): boolean {
  return Math.max(Number(before), Number(after)) >= MIN_DOUBLED && EXACT.has(Number(after) / Number(before));
}

/** Names of numbers that are no sizes. */
const notSize =
  /(?:^|[._])(?:ids?|order|sort|date|time|start|end|at|version|seed|color)(?:_|$)|_(?:id|at|time|date)$/;

function findJumps(
  list: ListStep,
  { before: { build } }: BuildStep,
  { max_factor, max_share }: Record<'max_factor' | 'max_share', number>,
): StepFinding[] {
  if (list.after.kind === 'object') return [];
  const isJump = ({ before, after }: ChangedValue) => {
    if (typeof before !== 'number' || typeof after !== 'number' || before * after <= 0) return false;
    const size = Math.max(Math.abs(before), Math.abs(after));
    const factor = after / before;
    return (
      size >= MIN_SIZE &&
      (factor >= max_factor || factor <= 1 / max_factor || (size >= MIN_EXACT && EXACT.has(factor)))
    );
  };
  return list.columns.flatMap((column): StepFinding[] => {
    const { key, changed, both } = column;
    if (both < MIN_VALUES || column.bothAt.length > 0 || notSize.test(key) || list.explained.has(key))
      return [];
    const past = changed.filter(isPast);
    if (changed.length > Math.max(2, both * max_share) && past.length === 0) return [];
    const isOne = changed.length === 1 && hasSizes(list, key);
    const doubled = isOne ? changed.filter(isDoubled) : [];
    const far = hasSizes(list, key) ? changed.filter(isJump) : past;
    const apart = far.length > 0 ? far : doubled;
    if (apart.length === 0) return [];
    const median = medianOf(list, key);
    const jumps = apart.filter((change) => isPast(change) || !becomesUsual(change, median, max_factor));
    if (jumps.length === 0) return [];
    const examples = jumps.map(
      ({ record, before, after }) => `${list.pairs[record]?.[0]} was ${before} and is ${after}`,
    );
    return [
      {
        of: `${list.after.list}.${key}`,
        place: list.place,
        ...(far.length === 0 && { minor: true }),
        found: `${quoteKeys([column])} jumped in ${jumps.length} of ${both} records of ${list.after.list}: ${nameSome(examples)}`,
        expected: `numbers near those of build ${build}`,
      },
    ];
  });
}

/** A list of fewer rows rises by chance. */
const MIN_ROWS = 3;
const RISING_SHARE = 0.98;

/** Finds numbers that rise from row to row in the lists of nearly all records, as those of levels do, and no longer do so in few. */
function findFalls(
  list: ListStep,
  { before: { build } }: BuildStep,
  { max_share }: Record<'max_share', number>,
): StepFinding[] {
  const { pairs, place, explained, after } = list;
  if (after.kind === 'object') return [];
  const falls = list.columns.flatMap(({ key, changed, bothAt }) => {
    const touched = [...new Set(changed.map(({ record }) => record))];
    if (bothAt.length < MIN_ROWS || explained.has(key)) return [];
    if (touched.length > Math.max(2, pairs.length * max_share)) return [];
    const path = key.split('.');
    const fallen = touched.filter((at) => {
      const [, earlier, later] = pairs[at] ?? ['', {}, {}];
      return isRising(rowsAt(earlier, path)) && isRising(rowsAt(later, path)) === false;
    });
    return fallen.length > 0 && usuallyRises(list, path) ? [{ key, fallen }] : [];
  });
  const [first] = falls;
  if (first === undefined) return [];
  const names = [...new Set(falls.flatMap(({ fallen }) => fallen))].map((at) => pairs[at]?.[0] ?? '');
  return [
    {
      of: [after.list, ...commonPath(falls.map(({ key }) => key))].join('.'),
      place,
      found: `${quoteKeys(falls)} no longer rising from row to row in ${names.length} of ${pairs.length} records of ${after.list}: ${nameSome(names)}`,
      expected: `numbers that rise, as in build ${build}`,
    },
  ];
}

/** Whether numbers rise; undefined if they are few, or not all numbers. */
function isRising(rows: readonly unknown[] | undefined): boolean | undefined {
  if (rows === undefined || rows.length < MIN_ROWS) return undefined;
  const numbers = rows.filter((row) => typeof row === 'number');
  if (numbers.length < rows.length) return undefined;
  const falls = numbers.some((number, at) => number < (numbers[at - 1] ?? number));
  return !falls && (numbers.at(-1) ?? 0) > (numbers[0] ?? 0);
}

function usuallyRises({ pairs }: ListStep, path: readonly string[]): boolean {
  const series = pairs.flatMap(([, earlier]) => isRising(rowsAt(earlier, path)) ?? []);
  const rising = series.filter(Boolean).length;
  return rising >= MIN_VALUES && rising >= series.length * RISING_SHARE;
}

const YEAR = /^\d{4}(?=-\d\d)/;
const FIRST_YEAR = 2000;

/** Whether a date became one of a time before all games: zero, read as a date. */
function isPast({ before, after }: ChangedValue): boolean {
  const [earlier, later] = [before, after].map((value) => Number(YEAR.exec(String(value))?.[0]));
  return Number(earlier) >= FIRST_YEAR && Number(later) < FIRST_YEAR;
}

/** The number in the middle of those that the records of both builds had. */
function medianOf({ pairs }: ListStep, key: string): number {
  const path = key.split('.');
  const numbers = pairs.flatMap(([, earlier]) => {
    const value = valueAt(earlier, path);
    return typeof value === 'number' ? [value] : [];
  });
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Whether a number was far from what most records have, and is near it now: damage makes numbers unusual, not usual. */
function becomesUsual({ before, after }: ChangedValue, median: number, maxFactor: number): boolean {
  const distance = (value: unknown) => Math.abs(Math.log(Number(value) / median));
  return distance(before) >= Math.log(maxFactor) && distance(after) <= Math.log(maxFactor) / 2;
}

/** Whether an attribute has many different numbers, as attack has; of a choice, any may follow any. */
function hasSizes({ before }: ListStep, key: string): boolean {
  const values = before.values.get(key);
  return (
    values !== undefined &&
    values.numbers >= MIN_VALUES &&
    (values.choices?.size ?? MIN_DIFFERENT) >= MIN_DIFFERENT
  );
}

/** Fewer numbers are the same in two records by chance. */
const MIN_NUMBERS = 3;

/** Finds records that have all numbers of another record now, and had others before. */
function findCopies(list: ListStep, { before: { build } }: BuildStep): StepFinding[] {
  const touched = new Set(numbersChanged(list.columns));
  if (touched.size === 0 || touched.size > list.pairs.length / 2 || list.after.kind === 'object') return [];
  const owners = new Map<string, string>();
  for (const [name, record] of list.pairs) {
    const numbers = numbersOf(record);
    if (numbers !== undefined) owners.set(numbers, owners.has(numbers) ? '' : name);
  }
  const copies = list.pairs.flatMap(([name, earlier, later], at): string[] => {
    if (!touched.has(at)) return [];
    const owner = owners.get(numbersOf(later) ?? '');
    return owner && owner !== name && numbersOf(earlier) !== numbersOf(later)
      ? [`${name} has those of ${owner}`]
      : [];
  });
  if (copies.length === 0) return [];
  return [
    {
      of: list.after.list,
      place: list.place,
      found: `all numbers of another record in ${copies.length} of ${list.pairs.length} records of ${list.after.list}: ${nameSome(copies)}`,
      expected: `the numbers of build ${build}`,
    },
  ];
}

/** The positions of the pairs whose numbers outside lists changed. */
function numbersChanged(columns: readonly Column[]): number[] {
  return columns.flatMap(({ changed, bothAt }) =>
    bothAt.length > 0
      ? []
      : changed.flatMap(({ record, after }) => (typeof after === 'number' ? [record] : [])),
  );
}

/** The large numbers of a record, and of the objects in it, as a text; undefined if they are few. */
function numbersOf(record: JsonObject): string | undefined {
  const numbers: number[] = [];
  const visit = (object: JsonObject) => {
    for (const value of Object.values(object)) {
      if (typeof value === 'number' && Math.abs(value) >= MIN_SIZE) numbers.push(value);
      else if (isObject(value)) visit(value);
    }
  };
  visit(isObject(record.stats) ? record.stats : record);
  return numbers.length >= MIN_NUMBERS ? numbers.join(' ') : undefined;
}
