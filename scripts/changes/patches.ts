import { distance } from 'fastest-levenshtein';
import { valuesAt } from '../diff/compare.ts';
import { countEach } from '../text.ts';
import type { ChangedValue, ChangeStats, Pair } from './data.ts';
import { isUnresolved, isWord, scriptOf } from './texts.ts';

// Recognises what a patch does to many values at once: it multiplies numbers by one factor, words texts anew, or gives one new name to all values that
// had the same name.

/** The share of the values of which this must hold: others may have been edited in the same build. */
const MOST = 0.95;
/** A text that was worded anew differs in less than this part of its characters. */
const MAX_DISTANCE = 0.5;
/** At most about this many changes are looked at, spread over all. */
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

/** Whether numbers were balanced, all by the same factor, or have other decimals now. */
function isBalanced(steps: readonly (readonly [from: number, to: number])[]): boolean {
  if (steps.some(([from, to]) => from * to <= 0)) return false;
  const countOf = (factor: number) =>
    steps.filter(([from, to]) => Math.abs(from * factor - to) < 10 ** -decimalsOf(from)).length;
  // One step for all is a count from another number.
  const isCount = new Set(steps.map(([from, to]) => (to - from).toPrecision(6))).size === 1;
  return !isCount && FACTORS.some((factor) => countOf(factor) >= steps.length * MOST);
}

const decimalsOf = (value: number) => (String(value).split('.')[1] ?? '').length;

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
