import type { ChangedValue, Column, Scalar } from './columns.ts';
import type { Limits } from './rule.ts';

/** Below this number of values, most kinds of change can be chance. */
const MIN_VALUES = 5;
/** The share of the changed values that a rule must explain. Others may have been edited in the same build. */
const EXPLAINED_SHARE = 0.8;
/** Values that move to other records leave the set of values as it was, except for records that came or went. */
const SAME_VALUES_SHARE = 0.9;
/** Three values whose decimal point or sign slipped in the same way are no coincidence. */
const MIN_SLIPS = 3;
/** Among many edits, some values change by such a factor by chance. */
const SLIPPED_SHARE = 0.5;
/** A factor as near to 1 as this is the rounding of a balance change. */
const MIN_FACTOR = 0.02;
/** What happened at one position of lists is a pattern from this share of all their values on. */
const MIN_ROWS_SHARE = 0.05;
/** A difference of fewer values than these is a patch, such as one more level for each rarity. */
const MIN_SHIFTED = 8;
/** The share of texts from which other capitals or spaces are a pattern. */
const RESTYLED_SHARE = 0.1;
/** The share of a value that many records had already: records may move to it, such as to another arena. */
const USUAL_SHARE = 0.3;
/** The share of the changed values that became one value; among many edits, some are equal by chance. */
const MERGED_SHARE = 0.3;
/** So many values of three kinds do not come back in other records by chance. */
const MIN_MOVED = 8;
/** Rows of lists are in another order now and then; the share of values from which they have moved. */
const MIN_MOVED_SHARE = 0.02;
/** Slips of the decimal point or the sign, and factors between units of time. */
const SLIPS = new Set(
  [-1, 10, 100, 1000, 1e4, 60, 3600, 24, 86400].flatMap((factor) => [factor, 1 / factor]),
);

/** What happened to an attribute in many records at once. `count` is the number of values. */
export type Explanation =
  | { kind: 'scaled' | 'shifted'; by: number; count: number }
  | { kind: 'postponed'; by: string; count: number }
  | { kind: 'merged'; value: Scalar; count: number }
  | { kind: 'rewritten'; count: number; value?: Scalar }
  | { kind: 'restyled'; count: number }
  | { kind: 'rounded' | 'moved'; count: number };

/** Whether a value that changed is an example of an explanation. */
export function isExample(explanation: Explanation, change: ChangedValue): boolean {
  const { before, after } = change;
  if (explanation.kind === 'merged') return after === explanation.value;
  if (explanation.kind === 'restyled') return isRestyled(change);
  if (explanation.kind !== 'scaled' && explanation.kind !== 'shifted') return true;
  if (typeof before !== 'number' || typeof after !== 'number') return false;
  if (explanation.kind === 'shifted') return round(after - before) === explanation.by;
  return before !== 0 && fits(before * explanation.by, after, Number.isInteger(after));
}

/** The limits of the gates that report explanations. */
export interface ExplanationLimits {
  scaled: Limits<'max_changed_share'>;
  moved: Limits<'max_moved_share'>;
  merged: Limits<'max_merged_share'>;
  rewritten: Limits<'max_changed_share'>;
}

/** The limits, and which values an attribute with few different ones had in the build before. */
interface Judgement extends ExplanationLimits {
  usual: ReadonlySet<Scalar>;
}

/**
 * Explains the changes of an attribute by one rule; undefined if they look like the edits of a patch. The first rule that fits is the most
 * specific one.
 *
 * @param usual the values that an attribute with few different ones had in the build before
 */
export function explainChanges(
  column: Column,
  limits: ExplanationLimits,
  usual: ReadonlySet<Scalar> = new Set(),
): Explanation | undefined {
  if (column.changed.length < MIN_SLIPS) return undefined;
  const judgement = { ...limits, usual };
  return explainColumn(column, judgement) ?? explainRows(column, judgement);
}

/** Explains what happened in one position of lists, such as in one of six phases: the other positions may be as they were. */
function explainRows(column: Column, limits: Judgement): Explanation | undefined {
  if (column.bothAt.length < 2) return undefined;
  const least = Math.max(MIN_VALUES, column.both * MIN_ROWS_SHARE);
  const rows = new Map<number, ChangedValue[]>();
  for (const change of column.changed) {
    const changed = rows.get(change.row);
    if (changed === undefined) rows.set(change.row, [change]);
    else changed.push(change);
  }
  for (const [row, changed] of rows) {
    if (changed.length < least) continue;
    const both = column.bothAt[row] ?? 0;
    const explanation = explainColumn({ ...column, both, decimals: 0, changed }, limits);
    if (explanation) return explanation;
  }
  return undefined;
}

function explainColumn(column: Column, limits: Judgement): Explanation | undefined {
  return (
    findRounding(column) ??
    findPostponed(column) ??
    findShift(column, limits) ??
    findScale(column, limits) ??
    findSlip(column) ??
    findMove(column, limits) ??
    findRestyle(column) ??
    findMerge(column, limits) ??
    findRewrite(column, limits)
  );
}

type NumberChange = ChangedValue & { before: number; after: number };

function numbersIn(changed: readonly ChangedValue[]): NumberChange[] {
  return changed.filter(
    (change): change is NumberChange =>
      typeof change.before === 'number' && typeof change.after === 'number' && change.before !== 0,
  );
}

/** Whether so many values changed in the same way that it is no edit of single records. */
function isPattern(count: number, { both, changed }: Column, { scaled }: ExplanationLimits): boolean {
  const isUsual = count < MIN_VALUES || count <= both * scaled.max_changed_share;
  return !isUsual && count >= changed.length * EXPLAINED_SHARE;
}

function findShift(column: Column, limits: ExplanationLimits): Explanation | undefined {
  const numbers = numbersIn(column.changed);
  if (distinctBefore(numbers) < 2) return undefined;
  const [by, count] = mostFrequent(numbers.map(({ before, after }) => round(after - before)));
  const isMany = count >= MIN_SHIFTED && isPattern(count, column, limits);
  return by !== undefined && isMany ? { kind: 'shifted', by, count } : undefined;
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const MAX_HOURS = 48;

/** Dates that are a few hours or a day later or earlier. */
function findPostponed({ both, changed }: Column): Explanation | undefined {
  const hours = changed.map(({ before, after }) => (timeOf(after) - timeOf(before)) / HOUR_MS);
  const [by, count] = mostFrequent(hours.filter((each) => Number.isInteger(each) && each !== 0));
  // A game moves the hour of some events; whole days are another time zone, or another way to count them.
  if (by === undefined || Math.abs(by) > MAX_HOURS || (by % DAY_HOURS !== 0 && count <= both / 2))
    return undefined;
  if (count < MIN_SLIPS || count < changed.length * EXPLAINED_SHARE) return undefined;
  return { kind: 'postponed', by: `${Math.abs(by)} h ${by > 0 ? 'later' : 'earlier'}`, count };
}

/** The milliseconds since 1970 of a date, or of a number that can only be seconds or milliseconds since then; NaN for others. */
function timeOf(value: Scalar): number {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (typeof value !== 'number' || value < 1e9) return Number.NaN;
  return value < 1e11 ? value * 1000 : value;
}

function findScale(column: Column, limits: ExplanationLimits): Explanation | undefined {
  const numbers = numbersIn(column.changed);
  if (numbers.length < MIN_VALUES || distinctBefore(numbers) < 3) return undefined;
  const ratios = numbers.map(({ before, after }) => after / before).sort((a, b) => a - b);
  const by = ratios[Math.floor(ratios.length / 2)] ?? 0;
  if (by === 0 || Math.abs(by - 1) < MIN_FACTOR) return undefined;
  const isWhole = numbers.every(({ after }) => Number.isInteger(after));
  const count = numbers.filter(({ before, after }) => fits(before * by, after, isWhole)).length;
  return isPattern(count, column, limits) ? { kind: 'scaled', by: round(by), count } : undefined;
}

/** Whether a value is the expected one, rounded as the others: to a whole number, or to some digits. */
function fits(expected: number, value: number, isWhole: boolean): boolean {
  const size = Math.abs(expected);
  return Math.abs(expected - value) <= Math.max(isWhole ? Math.min(0.51, size * 0.05) : 0, size * 0.005);
}

/** A decimal point or a unit that slipped in some of the records. */
function findSlip({ changed }: Column): Explanation | undefined {
  const ratios = numbersIn(changed).map(({ before, after }) => round(after / before));
  const [by, count] = mostFrequent(ratios.filter((ratio) => SLIPS.has(ratio)));
  const isMany = count >= Math.max(MIN_SLIPS, changed.length * SLIPPED_SHARE);
  return by !== undefined && isMany ? { kind: 'scaled', by, count } : undefined;
}

function findRounding({ changed, decimals }: Column): Explanation | undefined {
  const rounded = numbersIn(changed).filter(
    ({ before, after }) =>
      !Number.isInteger(before) && (after === Math.round(before) || after === Math.trunc(before)),
  ).length;
  if (rounded < MIN_VALUES || rounded < decimals * EXPLAINED_SHARE) return undefined;
  return { kind: 'rounded', count: rounded };
}

function findMove({ both, bothAt, changed }: Column, { moved }: Judgement): Explanation | undefined {
  const count = changed.length;
  const earlier = countValues(changed.map(({ before }) => before));
  const later = countValues(changed.map(({ after }) => after));
  let same = 0;
  for (const [value, times] of earlier) same += Math.min(times, later.get(value) ?? 0);
  // Several values do not all come back in other records by chance, but the rows of a list may be in another order.
  const isSame = same === count;
  const isOutside = bothAt.length === 0;
  const isEnough = isOutside || count > both * MIN_MOVED_SHARE;
  const isUnique =
    isSame && isEnough && (earlier.size === count || (isOutside && earlier.size >= 3 && count >= MIN_MOVED));
  const isMany =
    count >= MIN_VALUES && count > both * moved.max_moved_share && same >= count * SAME_VALUES_SHARE;
  return isUnique || isMany ? { kind: 'moved', count } : undefined;
}

/** Texts that differ in capitals and spaces only: another table of texts, or a step that trims. */
function findRestyle({ both, changed }: Column): Explanation | undefined {
  const count = changed.filter(isRestyled).length;
  const isMany = count >= MIN_VALUES && count > both * RESTYLED_SHARE;
  return isMany && count >= changed.length * EXPLAINED_SHARE ? { kind: 'restyled', count } : undefined;
}

function isRestyled({ before, after }: ChangedValue): boolean {
  return typeof before === 'string' && typeof after === 'string' && plain(before) === plain(after);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '');
}

/** Different values that became one: a placeholder, a default value or a mark for "none". */
function findMerge({ both, changed }: Column, { merged, usual }: Judgement): Explanation | undefined {
  const [value, count] = mostFrequent(changed.map(({ after }) => after));
  if (value === undefined || count < MIN_COARSE_VALUES || count <= both * merged.max_merged_share)
    return undefined;
  if (count < changed.length * MERGED_SHARE) return undefined;
  const merging = changed.filter(({ after }) => after === value);
  const distinct = distinctBefore(merging);
  const isUniform = count >= MIN_UNIFORM && distinct >= MIN_COARSE && count >= changed.length * UNIFORM_SHARE;
  if (usual.has(value) && count <= both * USUAL_SHARE)
    return isUniform ? { kind: 'merged', value, count } : undefined;
  // Coarse numbers and dates have few different values; one that is far from all of them is no edit either.
  const isMerged =
    (count >= MIN_VALUES && distinct >= MIN_VALUES && distinct >= count / 2) ||
    (distinct >= MIN_COARSE && count >= MIN_COARSE_VALUES && isFarOutside(value, merging));
  return isMerged ? { kind: 'merged', value, count } : undefined;
}

/** So many values that became one usual value, and hardly another one, are no records that moved to it. */
const MIN_UNIFORM = 20;
const UNIFORM_SHARE = 0.9;
const MIN_COARSE = 3;
const MIN_COARSE_VALUES = 3;
const YEAR = /^\d{4}(?=-\d\d)/;

/** Whether a value is less than half of the smallest number before, or of an earlier year than all dates before. Zero is a lost value. */
function isFarOutside(value: Scalar, changed: readonly ChangedValue[]): boolean {
  if (typeof value === 'number')
    return value > 0 && changed.every(({ before }) => typeof before === 'number' && before > 2 * value);
  const year = YEAR.exec(String(value))?.[0];
  return year !== undefined && changed.every(({ before }) => (YEAR.exec(String(before))?.[0] ?? year) > year);
}

function findRewrite({ both, changed }: Column, { rewritten }: ExplanationLimits): Explanation | undefined {
  // A value that was zero or empty before is new, not changed.
  const count = changed.filter(({ before }) => before !== 0 && before !== '').length;
  if (both < 2 * MIN_VALUES || count <= both * rewritten.max_changed_share) return undefined;
  const [value, times] = mostFrequent(changed.map(({ after }) => after));
  const isOne = value !== undefined && times >= changed.length * UNIFORM_SHARE;
  return isOne ? { kind: 'rewritten', count: times, value } : { kind: 'rewritten', count };
}

function distinctBefore(changed: readonly ChangedValue[]): number {
  return new Set(changed.map(({ before }) => before)).size;
}

/** Rounds to four significant digits, so that equal steps between numbers with decimals are equal. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}

function countValues<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function mostFrequent<T>(values: readonly T[]): [value: T | undefined, count: number] {
  let most: [T | undefined, number] = [undefined, 0];
  for (const entry of countValues(values)) if (entry[1] > most[1]) most = entry;
  return most;
}
