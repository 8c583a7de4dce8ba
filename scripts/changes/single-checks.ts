import { distance } from 'fastest-levenshtein';
import { isObject, type JsonObject } from '../format/dist-format.ts';
import type { ChangedValue } from './compare.ts';
import {
  type ChangeCheck,
  type ChangeFinding,
  carryRecords,
  findingOf,
  type ListChange,
  nameSome,
} from './data.ts';
import { type List, type Scalar, valueAt } from './survey.ts';
import { isName, isUnresolved } from './texts.ts';

// Checks of values that changed in few records: names, and numbers far from their previous values.

/** The share of names that may change: translations are corrected. */
const MAX_RENAMED_SHARE = 0.1;

export const namesChangedCheck: ChangeCheck = {
  name: 'names-changed',
  description: 'Most records of a list keep their names, and none gets the name or title of another.',
  check: ({ changes }) =>
    changes.flatMap((list): ChangeFinding[] =>
      list.columns.flatMap((column): ChangeFinding[] => {
        const { key, both } = column;
        const isTitle = /^title(?:_[^.]+)?$/.test(key);
        if (list.after.kind === 'object' || !(isName(key) || isTitle) || list.patterns.has(key)) return [];
        const changed = column.changed.filter((change) => isOther(key, change));
        const counts = countTexts(list.before, key);
        const isTaken = takesNames(counts, changed) || takesOther(counts, changed);
        const isMany = !isTitle && changed.length >= 3 && changed.length > both * MAX_RENAMED_SHARE;
        if (!(isTaken && changed.length <= both / 2) && !isMany && !hasSwapped(changed)) return [];
        const examples = changed.map(
          ({ record, before, after }) => `${list.pairs[record]?.[0]} was "${before}" and is "${after}"`,
        );
        const found = `"${key}" changed in ${changed.length} of ${both} records of ${list.after.list}: ${nameSome(examples)}`;
        const expected = `names as in build ${list.earlier}, with a few that were corrected`;
        const share = { attributes: [key], count: changed.length, all: both };
        const ids = changed.map(({ record }) => list.pairs[record]?.[0]);
        return [
          findingOf(list, [key], found, expected, { changed: share, ...carryRecords(list.after, ids) }),
        ];
      }),
    ),
};

/** The number of records with each text of an attribute. */
function countTexts({ records }: List, key: string): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const { [key]: text } of records) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/**
 * Whether most of the changed names belonged to another record before, or have no letters, such as "???". Where records share names, that is usual.
 */
function takesNames(counts: ReadonlyMap<unknown, number>, changed: readonly ChangedValue[]): boolean {
  const records = [...counts.values()].reduce((a, b) => a + b, 0);
  const taken = changed.filter(
    ({ after }) => counts.get(after) === 1 || !/[\p{L}\p{N}]/u.test(String(after)),
  );
  return changed.length > 0 && counts.size >= records * 0.95 && taken.length >= changed.length / 2;
}

/** Whether one or two records have the name of others, and hardly a letter of their own: variants have similar names. */
function takesOther(counts: ReadonlyMap<unknown, number>, changed: readonly ChangedValue[]): boolean {
  if (changed.length > 2) return false;
  return changed.some(({ before, after }) => {
    const [earlier, later] = [plain(before), plain(after)];
    const isFar = earlier !== '' && distance(earlier, later) >= Math.max(earlier.length, later.length) * 0.6;
    // A key that was replaced by its text may get one that others have.
    return counts.has(after) && isFar && !isUnresolved(String(before));
  });
}

/** Whether two records exchanged their names. */
function hasSwapped(changed: readonly ChangedValue[]): boolean {
  const seen = new Set(changed.map(({ before, after }) => JSON.stringify([before, after])));
  return changed.some(({ before, after }) => seen.has(JSON.stringify([after, before])));
}

/** Whether a name is a different one, not the same with other numbers or capitals. In other languages, "Le pionnier" may become "Pionnier". */
function isOther(key: string, { before, after }: ChangedValue): boolean {
  const [earlier, later] = [plain(before), plain(after)];
  if (earlier === later) return earlier === '';
  const [short = '', long = ''] = [earlier, later].sort((a, b) => a.length - b.length);
  return key === 'name' || short.length < long.length / 2 || !long.endsWith(short);
}

function plain(value: Scalar): string {
  const text = String(value).toLowerCase();
  return text.replace(/\{[^}]*\}|[\d\s.,:%+-]+/g, '');
}

/** A single number may change by less than this factor. */
const MAX_FACTOR = 4;
/** Smaller numbers, such as costs and ranks, may change by any factor. */
const MIN_SIZE = 20;
/** A number this large that is exactly doubled or halved comes from another row. */
const MIN_EXACT = 100;
/** A decimal point in another place. */
const SLIPS: ReadonlySet<number> = new Set([10, 100, 0.1, 0.01]);
/** No number of a game is this many times as large as all before. */
const MAX_TIMES = 10_000;
/** Fewer numbers have no usual size. */
const MIN_VALUES = 10;

export const valuesJumpedCheck: ChangeCheck = {
  name: 'values-jumped',
  description: 'Single numbers do not jump far, and few records get all the numbers of another.',
  check: ({ changes }) =>
    changes.flatMap((list): ChangeFinding[] => {
      if (list.after.kind === 'object') return [];
      const expected = `numbers near those of build ${list.earlier}`;
      const jumps = list.columns.flatMap(({ key, changed, both, bothAt }): ChangeFinding[] => {
        if (both < MIN_VALUES || isNoSize.test(key) || list.patterns.has(key)) return [];
        // Inside lists, one or two numbers that change alone are not an edit.
        const isFew = changed.length <= Math.max(2, bothAt.length > 0 ? 0 : both / 10);
        const found = changed.filter(
          (change) => isPast(change) || isExtreme(list, key, change) || (isFew && isJump(list, key, change)),
        );
        if (found.length === 0) return [];
        const examples = found.map(
          ({ record, before, after }) => `${list.pairs[record]?.[0]} was ${before} and is ${after}`,
        );
        const what = `"${key}" jumped in ${found.length} of ${both} values of ${list.after.list}`;
        const ids = found.map(({ record }) => list.pairs[record]?.[0]);
        const carry = carryRecords(list.after, ids);
        return [findingOf(list, [key], `${what}: ${nameSome(examples)}`, expected, carry)];
      });
      const copies = findCopies(list);
      const what = `all numbers of another record in ${copies.length} of ${list.pairs.length} records of ${list.after.list}`;
      return copies.length === 0
        ? jumps
        : [...jumps, findingOf(list, [], `${what}: ${nameSome(copies)}`, expected)];
    }),
};

/** Names of numbers that are not quantities. */
const isNoSize =
  /(?:^|[._])(?:ids?|order|sort|date|time|start|end|at|version|seed|color)(?:_|$)|_(?:id|at|time|date)$/;

/** Whether a number is far from its previous value; not if it was far from what most records have, and is near that now. */
function isJump({ before: list }: ListChange, key: string, { before, after }: ChangedValue): boolean {
  const field = list.fields.get(key);
  if (typeof before !== 'number' || typeof after !== 'number' || before * after <= 0) return false;
  // Values of a choice may change to any other.
  if (!field || field.numbers < MIN_VALUES || (field.choices?.size ?? 5) < 5) return false;
  const most = field.isListed ? 2 * MAX_FACTOR : MAX_FACTOR;
  // Lists have many small numbers, such as counts of materials.
  const sizes = [Math.abs(before), Math.abs(after)];
  const size = field.isListed ? Math.min(...sizes) : Math.max(...sizes);
  const factor = after / before;
  const isExact = size >= MIN_EXACT && !field.isListed && (factor === 2 || factor === 0.5);
  const isOutside = after > field.max || after < field.min;
  const isSlip = SLIPS.has(Number(factor.toPrecision(6)));
  if (field.isListed && isOutside && isSlip && Math.max(...sizes) >= MIN_SIZE) return true;
  if (size < MIN_SIZE || !(factor >= most || factor <= 1 / most || isExact)) return false;
  const values = list.records.map((record) => valueAt(record, field.path));
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const distanceOf = (value: number) => Math.abs(Math.log(value / (numbers[numbers.length >> 1] ?? 0)));
  return !(distanceOf(before) >= Math.log(most) && distanceOf(after) <= Math.log(most) / 2);
}

function isExtreme(
  { before: { fields } }: ListChange,
  key: string,
  { before, after }: ChangedValue,
): boolean {
  const { max = 0 } = fields.get(key) ?? {};
  return typeof before === 'number' && typeof after === 'number' && max > 0 && after > max * MAX_TIMES;
}

/** Whether a date is now before all games: zero, read as a date. */
function isPast({ before, after }: ChangedValue): boolean {
  const yearOf = (value: Scalar) => Number(/^\d{4}(?=-\d\d)/.exec(String(value))?.[0]);
  return yearOf(before) >= 2000 && yearOf(after) < 2000;
}

/** Finds the records whose numbers are now all those of another record, unlike before; only if they are few of the list. */
function findCopies({ pairs, columns }: ListChange): string[] {
  const changed = columns.flatMap((column) => (column.bothAt.length > 0 ? [] : column.changed));
  const touched = new Set(
    changed.flatMap(({ record, after }) => (typeof after === 'number' ? [record] : [])),
  );
  if (touched.size === 0 || touched.size > pairs.length / 2) return [];
  const owners = new Map<string, string>();
  for (const [name, record] of pairs)
    owners.set(numbersOf(record), owners.has(numbersOf(record)) ? '' : name);
  return [...touched].flatMap((at): string[] => {
    const [name, earlier, later] = pairs[at] ?? ['', {}, {}];
    const numbers = numbersOf(later);
    const owner = owners.get(numbers);
    const isCopy = numbers !== '' && owner && owner !== name && numbersOf(earlier) !== numbers;
    return isCopy ? [`${name} has those of ${owner}`] : [];
  });
}

/** The large numbers of a record and the objects in it, as a text; `''` if they are fewer than three. */
function numbersOf(record: JsonObject): string {
  const numbersIn = (object: JsonObject): number[] =>
    Object.values(object).flatMap((value) => {
      if (isObject(value)) return numbersIn(value);
      return typeof value === 'number' && Math.abs(value) >= MIN_SIZE ? [value] : [];
    });
  const numbers = numbersIn(isObject(record.stats) ? record.stats : record);
  return numbers.length >= 3 ? numbers.join(' ') : '';
}
