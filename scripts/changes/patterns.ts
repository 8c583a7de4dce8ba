import { quoteValue } from '../findings.ts';
import type { Scalar } from '../format/attributes.ts';
import { countEach, isDate, timeOf } from '../text.ts';
import type { ChangedValue, ChangeStats } from './data.ts';
import { isOfPatch } from './patches.ts';
import { type List, valueAt } from './survey.ts';
import { isUnresolved, isWord, scriptOf, withoutLanguage } from './texts.ts';

// Finds changes that many values of an attribute share. A patch edits single values, each in its own way; damage changes many in the same way. The
// minimum numbers below were chosen with real steps of the shared dumps: lower ones give more needless findings (docs/maintainers/checks.md).

/** A change that `count` of the values share: "are multiplied by 10". */
export interface Pattern {
  what: string;
  count: number;
  /** Whether the values were those of other records. */
  isMove?: boolean;
  factor?: number;
  /** The single value that all of them have now. */
  value?: Scalar;
  isExample(change: ChangedValue): boolean;
}

/** Fewer values may have changed in the same way by chance. */
const MIN_VALUES = 5;
/** Fewer values may share a slip of a decimal point, a sign or hours by chance. */
const MIN_SLIPS = 3;
/** The share of the changed values that must have changed in the same way: others may have been edited in the same build. */
const SAME_SHARE = 0.8;
/** From this share of all values on, new capitals, truncation or one value for several are not edits. */
const MIN_SHARE = 0.1;
/** From this share of all values on, one value for several numbers, or a new one for different texts, is not an edit. */
const MIN_MERGED_SHARE = 0.05;
const MIN_MERGED_TEXTS = 0.01;
/** Longer texts around others are sentences, which a patch adds. */
const MAX_AROUND = 20;
const HOUR_MS = 3_600_000;
/** Positions in the lists that a game shows: one that is new moves all others. */
const POSITION = /(?:^|[._])(?:order|seq|sort|sort_order)$/;
const SLIPS = new Set(
  [-1, 10, 100, 1000, 1e4, 60, 3600, 24, 86400].flatMap((factor) => [factor, 1 / factor]),
);

/**
 * Finds the pattern in the changes of an attribute; undefined if they look like the edits of a patch.
 *
 * @param before the list in the previous build
 * @param maxShare the share of values that may change at all
 */
export function findPattern(column: ChangeStats, before: List, maxShare: number): Pattern | undefined {
  const field = before.fields.get(column.key);
  // Lines that are broken elsewhere, and pictures at another address with the same file name, are no damage.
  const changed = column.changed.filter(({ before, after }) => plain(before) !== plain(after));
  if (POSITION.test(column.key)) return undefined;
  const edited = { ...column, changed };
  const usual = field?.choices ?? new Set(field?.zeros ? [0] : []);
  return (
    findTaken(edited, before) ??
    findSameChange(edited) ??
    findMove(edited) ??
    findMerge(edited, usual) ??
    findRewrite(edited, maxShare) ??
    findMove({ ...column, changed: column.wholes, both: column.lists, bothAt: [] }) ??
    findMerge({ ...column, changed: column.wholes.filter(isOfLong), both: column.lists }, new Set())
  );
}

const plain = (value: Scalar) =>
  typeof value === 'string' ? value.replace(/^https?:.*(?=\/)|\s+/g, ' ').trim() : value;

/** A way in which a value can change, with the minimum number of values and the share of all values above which it is a pattern. */
interface Way {
  what: string;
  least: number;
  share: number;
  factor?: number;
  /** If all changed values were one value, such as the date of six events: the share of all values above which they are a pattern; 1 is never. */
  single?: number;
}

/** The ways in which a value may have changed, most specific first. */
function waysOf({ before, after }: ChangedValue): Way[] {
  if (typeof before === 'number' && typeof after === 'number') return waysOfNumber(before, after);
  if (typeof before !== 'string' || typeof after !== 'string') return [];
  const [earlier, later] = [before, after].map((text) => text.toLowerCase().replace(/\s+/g, ''));
  const ways: Way[] = [];
  if (earlier === later)
    ways.push({ what: 'have other capitals or spaces', least: MIN_VALUES, share: MIN_SHARE });
  if (after.length > 3 && before.length > after.length && before.startsWith(after))
    ways.push({ what: `are cut off after ${after.length} characters`, least: MIN_VALUES, share: MIN_SHARE });
  if (after.length > 3 && after.length <= before.length * 0.9 && before.includes(after))
    ways.push({ what: 'are a part of what they were', least: MIN_VALUES, share: MIN_SHARE });
  const times = (factor: number) =>
    before.replace(/\d+(?:\.\d+)?/g, (each) => String(Number((Number(each) * factor).toPrecision(12))));
  if (isUnresolved(after) && !isUnresolved(before))
    ways.push({ what: 'are codes', least: MIN_VALUES, share: MIN_MERGED_SHARE });
  if (isWord(before) && isWord(after) && scriptOf(before) !== scriptOf(after))
    ways.push({ what: 'are in another script', least: MIN_VALUES, share: MIN_MERGED_SHARE });
  if (!/[<{\\]/.test(before) && /<\w|\{\w|\\n/.test(after))
    ways.push({ what: 'have tags or templates', least: MIN_VALUES, share: MIN_MERGED_SHARE });
  const [, first, sign, second] = /^(\d+)(\D+)(\d+)$/.exec(before) ?? [];
  if (first !== second && after === `${second}${sign}${first}`)
    ways.push({ what: 'have their two numbers exchanged', least: MIN_VALUES, share: MIN_SHARE });
  const factor = [0, 10, 100, 0.1, 0.01].find((each) => /[1-9]/.test(before) && times(each) === after);
  if (factor !== undefined)
    ways.push({ what: `have numbers multiplied by ${factor}`, least: MIN_VALUES, share: MIN_MERGED_TEXTS });
  if (/\d/.test(before) && !/\d/.test(after.replace(/\{[^{}]*\}|%\d*\$?[sd]/g, '')))
    ways.push({ what: 'have lost their numbers', least: MIN_VALUES, share: MIN_SHARE });
  const around = before === '' ? '' : after.replace(before, () => '…');
  if (around !== after && around.length < MAX_AROUND && /[\p{L}\p{N}"]/u.test(around))
    ways.push({ what: `have ${quoteValue(around)} around them`, least: MIN_VALUES, share: MIN_MERGED_SHARE });
  return [...ways, ...waysOfTime(timeOf(after) - timeOf(before))];
}

function waysOfNumber(before: number, after: number): Way[] {
  const ways: Way[] = [];
  // Four significant digits, so that equal steps between decimals are equal.
  const factor = Number((after / before).toPrecision(4));
  const isLost = !Number.isInteger(before) && (after === Math.round(before) || after === Math.trunc(before));
  if (isLost) ways.push({ what: 'have lost their decimals', least: MIN_VALUES, share: 2 * MIN_SHARE });
  ways.push(...waysOfTime(timeOf(after) - timeOf(before)));
  if (before !== 0 && SLIPS.has(factor))
    ways.push({ what: `are multiplied by ${factor}`, least: MIN_SLIPS, share: 0, factor });
  return ways;
}

const isOfHours = / h (?:later|earlier)$/;
/** This many different times never all move by the same hours in a patch: most of them are in the past. */
const MIN_TIMES = 10;

/** From this share of all values on, dates that are whole days later are not corrections. */
const MIN_DAYS_SHARE = 0.08;

/** Two years. */
const MANY_HOURS = 2 * 366 * 24;

/** A game moves the hours of some events; whole days are another time zone, or another way to count days. */
function waysOfTime(ms: number): Way[] {
  const hours = ms / HOUR_MS;
  if (Math.abs(hours) > MANY_HOURS) return [{ what: 'are years away', least: MIN_VALUES, share: MIN_SHARE }];
  if (!Number.isInteger(hours) || hours === 0) return [];
  const what = `are ${Math.abs(hours)} h ${hours > 0 ? 'later' : 'earlier'}`;
  const isSlip = Math.abs(hours) <= 48;
  const single = isSlip ? 0.5 : 1;
  return [{ what, least: MIN_SLIPS, share: isSlip && hours % 24 === 0 ? MIN_DAYS_SHARE : 0.5, single }];
}

/** Texts that have the same word around them, or another script, are usual in a few translations. */
const isOfWords = /^have the text "[\p{L}… ]+" around them$/u;

function findSameChange({ key, changed, both }: ChangeStats): Pattern | undefined {
  const isTranslated = withoutLanguage(key) !== key;
  const counts = new Map<string, Way & { count: number; values: Set<Scalar>; later: Set<Scalar> }>();
  for (const change of changed) {
    for (const way of waysOf(change)) {
      const known = counts.get(way.what) ?? { ...way, count: 0, values: new Set(), later: new Set() };
      counts.set(way.what, known);
      known.count++;
      known.values.add(change.before);
      known.later.add(change.after);
    }
  }
  const found = [...counts.values()].find(
    ({ count, least, share, factor, values, later, what, single = 1 }) =>
      count >= least &&
      (count > both * (isTranslated && isOfWords.test(what) ? MIN_SHARE : share) ||
        (isOfHours.test(what) && values.size >= MIN_TIMES && count > both * MIN_SHARE)) &&
      count >= changed.length * (factor === undefined ? SAME_SHARE : 0.5) &&
      // A single value that was replaced by a single other one was renamed, or is a patch.
      (values.size > 1 || factor !== undefined || count > both * single) &&
      !(isTranslated && what === 'are in another script') &&
      (later.size >= MIN_VALUES || !/^are cut|numbers$|^are a part|around them$/.test(what)),
  );
  if (found === undefined) return undefined;
  const { what, count, factor } = found;
  const isExample = (change: ChangedValue) => waysOf(change).some((way) => way.what === what);
  return { what, count, isExample, ...(factor !== undefined && { factor }) };
}

const MOVED = { what: 'are those of other records', isMove: true, isExample: () => true };

/**
 * Several values do not all reappear in other records by chance; but the rows of a list may be in another order, and "new" moves from record to
 * record.
 */
function findMove({ both, bothAt, changed }: ChangeStats): Pattern | undefined {
  const same = countMoved(changed);
  const { length: count } = changed;
  const distinct = distinctBefore(changed);
  const isOutside = bothAt.length === 0;
  // A block that moved by a row has one value from outside.
  const isAll =
    same >= count - (count > MIN_VALUES ? Math.max(1, count * 0.05) : 0) &&
    (isOutside || count > both * 0.02);
  const isExact =
    isAll && count >= MIN_SLIPS && (distinct === count || (isOutside && distinct >= 3 && count >= 8));
  const isMany = count >= MIN_VALUES && count > both * 0.2 && same >= count * 0.9;
  return isExact || isMany ? { ...MOVED, count } : undefined;
}

/** A list of this many characters as JSON, or a text of as many as an id has, is in no other record by chance. */
const isLong = (value: Scalar) => String(value).length > (/^\[/.test(String(value)) ? 30 : 3);
const isOfLong = ({ before, after }: ChangedValue) => isLong(before) && isLong(after);
/** A date moves to a new event, which starts at most this long before the last one that is known. */
const MAX_RERUN_MS = 60 * 24 * HOUR_MS;

/** Finds lists and texts that one other record had, as in a block of rows that moved by one, and dates of the past that are other ones. */
function findTaken({ key, changed, wholes, bothAt }: ChangeStats, { fields, records }: List) {
  const { path = [], isListed = true } = fields.get(key) ?? {};
  const all = wholes.length > 0 ? wholes.filter(isOfLong) : changed;
  const isText = all.every(({ after }) => typeof after === 'string');
  if (isListed || !isText || all.length < 2 || (bothAt.length > 0 && all === changed)) return undefined;
  const values = records.map((record) => valueAt(record, path));
  const latest = Math.max(...values.map((value) => timeOf(value) || 0)) - MAX_RERUN_MS;
  const isDay = ({ before, after }: ChangedValue) =>
    Math.abs(timeOf(after) - timeOf(before)) >= 24 * HOUR_MS && timeOf(after) < latest;
  const count = all.filter(isDay).length;
  if (count >= MIN_SLIPS && count >= records.length * MIN_MERGED_SHARE)
    return { what: 'are other days of the past', count, isExample: isDay };
  const textOf = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value);
  const owners = new Map(countEach(values.map(textOf)));
  const taken = all.filter(({ after }) => isLong(after) && owners.get(after) === 1 && !isDate(String(after)));
  const least = Math.max(all === changed ? MIN_SLIPS : 2, all.length * SAME_SHARE);
  const distinct = new Set(taken.map(({ after }) => after)).size;
  return distinct >= least ? { ...MOVED, count: taken.length } : undefined;
}

/** Finds attributes that have each other's values in many records, such as two columns of a table that were exchanged. */
export function findExchanged(columns: readonly ChangeStats[]): [key: string, pattern: Pattern][] {
  const outside = columns.filter(({ bothAt }) => bothAt.length === 0);
  const stepOf = (...step: Scalar[]) => JSON.stringify(step);
  const all = outside.flatMap(({ changed }) => changed);
  const steps = new Set(all.map(({ record, before, after }) => stepOf(record, before, after)));
  return outside.flatMap(({ key, both, changed }): [string, Pattern][] => {
    const back = changed.filter(({ record, before, after }) => steps.has(stepOf(record, after, before)));
    const isMany = back.length > both * MIN_MERGED_SHARE && back.length >= changed.length * SAME_SHARE;
    if (!isMany || back.length < MIN_VALUES || distinctBefore(back) < 3) return [];
    return [[key, { ...MOVED, what: 'are those of another attribute', count: back.length }]];
  });
}

/** How many of the values others of them had. */
function countMoved(changed: readonly ChangedValue[]): number {
  const later = new Map(countEach(changed.map(({ after }) => after)));
  const earlier = countEach(changed.map(({ before }) => before));
  return earlier.reduce((same, [value, count]) => same + Math.min(count, later.get(value) ?? 0), 0);
}

/**
 * Finds different values that became one: a placeholder, a default value or a mark for "none". Records may change to a value that others already had.
 */
function findMerge({ both, changed }: ChangeStats, usual: ReadonlySet<Scalar>): Pattern | undefined {
  const [[value, count] = ['', 0]] = countEach(changed.map(({ after }) => after));
  const merging = changed.filter(({ after }) => after === value);
  const distinct = distinctBefore(merging);
  const isText = typeof value === 'string' && distinct >= count / 2 && !usual.has(value);
  const least = both * (isText ? MIN_MERGED_TEXTS : MIN_MERGED_SHARE);
  if (count < 3 || count <= least || count < changed.length * 0.3) return undefined;
  const isUsual = usual.has(value) && count <= both * 0.3;
  const isMerged =
    (usual.has(value) && count >= 20 && distinct >= 3 && count >= changed.length * 0.9) ||
    (!isUsual && count >= MIN_VALUES && distinct >= MIN_VALUES && distinct >= count / 2);
  const isExample = ({ after }: ChangedValue) => after === value;
  return isMerged ? { what: `are now all ${quoteValue(value)}`, count, value, isExample } : undefined;
}

/** From this number on, and from this part of the usual share, numbers of a patch do not all fall: real ones only rise in as many. */
const MIN_FALLEN = 20;
const FALLEN_SHARE = 0.1;
/** A game makes many things cheaper or faster at once. */
export const COST =
  /(?:^|[._])(?:time|cooldown|interval|costs?|prices?|amounts?|counts?|credits?|dennies|mora|qp|gold|coins?)(?:[._]|$)/;

function findRewrite({ key, both, changed }: ChangeStats, maxShare: number): Pattern | undefined {
  // A value that was zero or empty before is new, not changed; and pictures may be uploaded anew.
  const count = changed.filter(({ before }) => before !== 0 && !/^$|^https?:/.test(String(before))).length;
  const hasFallen = changed.every(({ before, after }) => Number(before) > Number(after));
  const isFall = count >= MIN_FALLEN && hasFallen && !COST.test(key);
  const most = both * maxShare * (isFall ? FALLEN_SHARE : 1);
  if (both < 2 * MIN_VALUES || count < MIN_SLIPS || count <= most || isOfPatch(changed)) return undefined;
  const [[value, times] = ['', 0]] = countEach(changed.map(({ after }) => after));
  const isExample = () => true;
  if (times < changed.length * 0.9) return { what: 'have changed', count, isExample };
  return { what: `are now all ${quoteValue(value)}`, count: times, value, isExample };
}

const distinctBefore = (changed: readonly ChangedValue[]) =>
  new Set(changed.map(({ before }) => before)).size;
