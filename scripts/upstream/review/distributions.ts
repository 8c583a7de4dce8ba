import { eachAttribute, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { BuildCollections, Collection } from './collections.ts';

/** One bar of a picture: the share of the values before and now, from 0 to 1. */
export interface Bar {
  label: string;
  before: number;
  now: number;
}

/** How the values of an attribute are distributed. */
export interface Distribution {
  collection: string;
  /** Its dotted key. */
  attribute: string;
  bars: Bar[];
  /** The share of the values that moved to other bars, from 0 to 1; 0 without a build before. */
  moved: number;
  /** Whether there is a build before. */
  compared: boolean;
}

/** More different texts are no categories, nor are those that differ in most records. */
const MAX_BARS = 12;
/** A smaller move is not worth a picture. */
const MIN_MOVED = 0.05;
const MAX_DISTRIBUTIONS = 12;
/** Fewer records make no distribution. */
const MIN_RECORDS = 5;

/** The values of an attribute, and how often each occurs. */
type Counts = Map<string | number, number>;

/**
 * Finds the distributions that moved since the build before, what moved most first. Without a build before, those of the first attributes of the
 * roster.
 */
export function findDistributions(
  now: BuildCollections,
  before: BuildCollections | undefined,
): Distribution[] {
  if (before === undefined) {
    const roster = now.lists.get('characters');
    return roster ? distributionsOf(roster, undefined).slice(0, MAX_DISTRIBUTIONS) : [];
  }
  const distributions = [...now.lists.values()].flatMap((list) => {
    const earlier = before.lists.get(list.list);
    if (!earlier) return [];
    const least = Math.max(MIN_MOVED, shareOfOthers(list.records, earlier.records));
    return distributionsOf(list, earlier).filter(({ moved }) => moved >= least);
  });
  return distributions.sort((a, b) => b.moved - a.moved).slice(0, MAX_DISTRIBUTIONS);
}

/** The share of the records that are new or gone: these alone can move a distribution so far. */
function shareOfOthers(now: readonly JsonObject[], before: readonly JsonObject[]): number {
  const [ids, earlier] = [new Set(now.map(({ id }) => id)), new Set(before.map(({ id }) => id))];
  const others =
    [...ids].filter((id) => !earlier.has(id)).length + [...earlier].filter((id) => !ids.has(id)).length;
  return others / Math.max(ids.size, earlier.size);
}

function distributionsOf(now: Collection, before: Collection | undefined): Distribution[] {
  if (Math.max(now.records.length, before?.records.length ?? 0) < MIN_RECORDS) return [];
  const counted = countValues(now.records);
  const earlier = countValues(before?.records ?? []);
  return [...new Set([...counted.keys(), ...earlier.keys()])].flatMap((attribute) => {
    const bars = makeBars(counted.get(attribute) ?? new Map(), earlier.get(attribute) ?? new Map());
    if (bars.length < 2) return [];
    const compared = before !== undefined;
    const moved = compared ? bars.reduce((sum, bar) => sum + Math.abs(bar.now - bar.before), 0) / 2 : 0;
    return [{ collection: now.list, attribute, bars, moved, compared }];
  });
}

function countValues(records: readonly JsonObject[]): Map<string, Counts> {
  const countsByKey = new Map<string, Counts>();
  for (const record of records) {
    eachAttribute(record, (key, value) => {
      const scalar = readScalar(value);
      if (scalar === undefined || key === 'id') return;
      const counts = countsByKey.get(key) ?? new Map();
      counts.set(scalar, (counts.get(scalar) ?? 0) + 1);
      countsByKey.set(key, counts);
    });
  }
  return countsByKey;
}

function readScalar(value: Json): string | number | undefined {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** @returns none for texts that are no categories */
function makeBars(now: Counts, before: Counts): Bar[] {
  const values = [...new Set([...before.keys(), ...now.keys()])];
  if (values.length < 2) return [];
  const numbers = values.filter((value) => typeof value === 'number');
  const isDistinct = values.length > Math.max(sum(now), sum(before)) / 2;
  if (values.length > MAX_BARS || isDistinct)
    return numbers.length === values.length ? rangesOf(numbers, now, before) : [];
  const isNumeric = numbers.length === values.length;
  const ordered = isNumeric
    ? numbers.sort((a, b) => a - b)
    : values.sort((a, b) => (before.get(b) ?? 0) - (before.get(a) ?? 0));
  const share = (counts: Counts) => {
    const total = sum(counts);
    return (value: string | number) => (total === 0 ? 0 : (counts.get(value) ?? 0) / total);
  };
  const [ofNow, ofBefore] = [share(now), share(before)];
  return ordered.map((value) => ({ label: String(value), now: ofNow(value), before: ofBefore(value) }));
}

/** Bars of equal width over the range of the numbers. */
function rangesOf(numbers: readonly number[], now: Counts, before: Counts): Bar[] {
  const min = numbers.reduce((a, b) => Math.min(a, b));
  const max = numbers.reduce((a, b) => Math.max(a, b));
  const width = (max - min) / MAX_BARS;
  const bars = Array.from({ length: MAX_BARS }, (_, index) => ({
    label: `${short(min + index * width)} to ${short(min + (index + 1) * width)}`,
    now: 0,
    before: 0,
  }));
  for (const [counts, side] of [[now, 'now'] as const, [before, 'before'] as const]) {
    const total = sum(counts);
    for (const [value, count] of counts) {
      const index = Math.min(Math.floor((Number(value) - min) / width), MAX_BARS - 1);
      const bar = bars[index];
      if (bar) bar[side] += count / total;
    }
  }
  return bars;
}

function sum(counts: Counts): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
