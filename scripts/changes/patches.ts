import { distance } from 'fastest-levenshtein';
import { valuesAt } from '../diff/compare.ts';
import { countEach, timeOf } from '../text.ts';
import type { ChangedValue, ChangeStats, Pair } from './data.ts';
import { isUnresolved, isWord, scriptOf } from './texts.ts';

// Recognises what a patch does to many values at once. It changes them coherently: a value stays nearer to what it was than to those of other records,
// one factor or one new word is for all that were alike, and new dates are near the release.

/** The share of the values of which this must hold: others may have been edited in the same build. */
const MOST = 0.95;
/** Of changes in both directions, at least this share is in each. */
const MIN_BOTH_WAYS = 0.15;
/** A value of the same record differs by less than this part of how much those of two records differ. */
const MAX_DISTANCE = 0.5;
/** As many changes say what the others are. */
const MAX_SAMPLE = 500;
/** A game balances by round factors, from a half to twice as much; or it writes more decimals. */
const FACTORS = Array.from({ length: 31 }, (_, at) => (at + 10) / 20);

/** Whether a patch explains why the values of an attribute changed. */
export function isOfPatch(all: readonly ChangedValue[]): boolean {
  const changed = all.filter((_, at) => at % Math.ceil(all.length / MAX_SAMPLE) === 0);
  if (changed.every(({ before, after }) => typeof before === 'number' && typeof after === 'number'))
    return isBalanced(changed.map(({ before, after }) => [Number(before), Number(after)]));
  return isReworded(changed.map(({ before, after }) => [String(before), String(after)]));
}

/** Whether numbers were balanced: all by the same factor, or each a little, up or down; or they have more decimals now. */
function isBalanced(steps: readonly (readonly [from: number, to: number])[]): boolean {
  if (steps.some(([from, to]) => from * to <= 0)) return false;
  const countOf = (factor: number) =>
    steps.filter(([from, to]) => Math.abs(from * factor - to) < 10 ** -decimalsOf(from)).length;
  // One step for all is a count from another number.
  const isCount = new Set(steps.map(([from, to]) => (to - from).toPrecision(6))).size === 1;
  if (!isCount && FACTORS.some((factor) => countOf(factor) >= steps.length * MOST)) return true;
  const risen = steps.filter(([from, to]) => to > from).length;
  const distanceOf = (one: number, other: number) => Math.abs(Math.log(Math.abs(one / other)));
  const own = sum(steps.map(([from, to]) => distanceOf(from, to)));
  const others = sum(steps.map(([from], at) => distanceOf(from, steps.at(at - 1)?.[1] ?? from)));
  return (
    Math.min(risen, steps.length - risen) >= steps.length * MIN_BOTH_WAYS && own <= others * MAX_DISTANCE
  );
}

const decimalsOf = (value: number) => (String(value).split('.')[1] ?? '').length;
const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);

/** Whether texts were worded anew: each is near what it was, and half of them have other words and the same numbers. */
function isReworded(steps: readonly (readonly [from: string, to: string])[]): boolean {
  const near = steps.filter(([from, to]) => {
    const isWhole = to.length >= from.length * MIN_KEPT && isWord(from) && scriptOf(from) === scriptOf(to);
    return isWhole && distance(from, to) <= Math.max(from.length, to.length) * MAX_DISTANCE;
  });
  const worded = near.filter(
    ([from, to]) => numbersIn(from) === numbersIn(to) && (CODE.test(from) || !CODE.test(to)),
  );
  return near.length >= steps.length * MIN_KEPT && worded.length >= near.length / 2;
}

const MIN_KEPT = 0.8;
/** Joined words, as in WhenUse. */
const CODE = /\p{Ll}\p{Lu}/u;
const numbersIn = (text: string) => (text.match(/\d+(?:\.\d+)?/g) ?? []).sort().join();

/**
 * Whether a game renamed some of the values that records share, such as a school or an artist, wherever they are: each has one new value that none had,
 * and most of the others stay.
 */
export function isRenamed({ key, changed }: ChangeStats, pairs: readonly Pair[]): boolean {
  const earlier = pairs.map(([, before]) => before);
  const known = new Map(countEach(valuesAt(earlier, key.split('.'))));
  const steps = countEach(changed.map(({ before, after }) => JSON.stringify([before, after])));
  const names = new Set(changed.map(({ after }) => after));
  const isOfFew = steps.length > 0 && steps.length <= known.size / 2 && changed.length >= steps.length * 1.5;
  return (
    isOfFew &&
    names.size === steps.length &&
    steps.every(([step, count]) => {
      const [from = '', to = '']: string[] = JSON.parse(step).map(String);
      const isName = isWord(to) && scriptOf(to) === scriptOf(from) && !isUnresolved(to) && !from.includes(to);
      return isName && !known.has(to) && count === known.get(from) && numbersIn(from) === numbersIn(to);
    })
  );
}

const DAY_MS = 86_400_000;
/** The times of events; what was released, stays so. */
const EVENT = /(?:^|[._])(?:start|begin|open|end|clos|until|expire)/;
const PAST_DAYS = 60;
const NEXT_DAYS = 200;

/** Whether an event was moved by days to a time near the release: it comes later than announced, or again. */
export function isScheduled(key: string, { before, after }: ChangedValue, released: number): boolean {
  if (!EVENT.test(key)) return false;
  const [from, to] = [timeOf(before), timeOf(after)];
  const days = (to - released) / DAY_MS;
  const moved = (to - from) / DAY_MS;
  return moved >= 2 && moved <= NEXT_DAYS && days >= -PAST_DAYS && days <= NEXT_DAYS;
}
