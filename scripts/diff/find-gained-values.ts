import { isObject, type Json } from '../format/dist-format.ts';
import type { GainedElements } from './gained-elements.ts';

type Pair = readonly [Json, Json];

/** The records of a collection in two builds, parsed as far as they differ. */
export interface DifferingRecords {
  removed: readonly Json[];
  added: readonly Json[];
  /** `[before, after]` */
  changed: readonly (readonly [Json, Json])[];
  /** The records of both builds that are equal, as texts. */
  equal(): Iterable<string>;
  /** How many these are. */
  equalCount: number;
}

/** What changes in so many records of a collection, and in so large a part of them, is a change of the model. */
const MIN_RECORDS = 10;
const MIN_SHARE = 1 / 3;

/** Returns in how many records of a collection something has to change to be a change of the model. @param count the number of its records */
export function leastOfModel(count: number): number {
  return Math.max(MIN_RECORDS, count * MIN_SHARE);
}

/**
 * Finds scalars that lists of a whole collection got: one that many records have now and none had, such as a trait, and with it all others that
 * no record had in that list.
 */
export function findGainedValues({
  removed,
  changed,
  equal,
  equalCount,
}: DifferingRecords): GainedElements[] {
  const least = leastOfModel(changed.length + equalCount);
  if (changed.length < least) return [];
  const gained: GainedElements[] = [];
  for (const [key, counts] of countGains(changed)) {
    const isGain = () => Math.max(...counts.values()) >= least;
    const leaveOut = (record: Json) => {
      for (const value of listsIn(record).get(key) ?? []) counts.delete(value);
    };
    if (!isGain()) continue;
    for (const record of [...removed, ...changed.map(([before]) => before)]) leaveOut(record);
    if (!isGain()) continue;
    for (const text of equal()) leaveOut(JSON.parse(text));
    if (isGain()) gained.push({ key, values: [...counts.keys()] });
  }
  return gained;
}

/** For each list, how many records have each scalar that they did not have before. */
function countGains(changed: readonly Pair[]): Map<string, Map<Json, number>> {
  const gains = new Map<string, Map<Json, number>>();
  for (const [before, after] of changed) {
    const older = listsIn(before);
    for (const [key, list] of listsIn(after)) {
      const olderValues = new Set(older.get(key));
      const counts = gains.get(key) ?? new Map<Json, number>();
      for (const value of new Set(list))
        if (!olderValues.has(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
      if (counts.size > 0) gains.set(key, counts);
    }
  }
  return gains;
}

/** The lists of scalars in a record that are reached through objects, by dotted key. */
function listsIn(
  record: Json,
  prefix = '',
  lists = new Map<string, readonly Json[]>(),
): Map<string, readonly Json[]> {
  if (!isObject(record)) return lists;
  for (const [name, value] of Object.entries(record)) {
    if (isObject(value)) listsIn(value, `${prefix}${name}.`, lists);
    else if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
      lists.set(prefix + name, value);
  }
  return lists;
}
