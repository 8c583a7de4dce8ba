import type {
  AttributeValues,
  BuildCoverage,
  BuildRecords,
  CollectionCoverage,
  CollectionRecords,
} from '../../check/coverage.ts';
import {
  type Aliases,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from '../../format/dist-format.ts';

/** Compares what the collections of a build have with those of the build before it, if there is one. */
export function coverBuild(
  game: string,
  after: BuildRecords,
  before: BuildRecords | undefined,
): BuildCoverage {
  const earlier = [...(before?.lists.values() ?? [])].filter(({ list }) => !after.lists.has(list));
  const collections = [...after.lists.values()].map((list) => coverList(list, before?.lists.get(list.list)));
  const gone = earlier.map((list) => coverList({ ...list, records: [] }, list));
  return {
    game,
    build: after.build,
    ...(before && { before: before.build }),
    collections: [...collections, ...gone],
  };
}

/** What records have, alone or beside those of the build before. */
export function coverList(
  { list, records }: CollectionRecords,
  before?: CollectionRecords,
): CollectionCoverage {
  const now = countValues(records);
  const countsBefore = before && countValues(before.records);
  const attributes = [...new Set([...now.keys(), ...(countsBefore?.keys() ?? [])])].map((attribute) => {
    const values = now.get(attribute) ?? { has: 0 };
    const earlier = countsBefore && (countsBefore.get(attribute) ?? { has: 0 });
    const weight = earlier ? weighMove(values, records.length, earlier, before?.records.length ?? 0) : 0;
    return {
      weight,
      coverage: { attribute, ...values, ...(earlier && { before: earlier }), moved: weight > 0 },
    };
  });
  attributes.sort((a, b) => b.weight - a.weight);
  return {
    collection: list,
    records: records.length,
    ...(before && { records_before: before.records.length }),
    attributes: attributes.map(({ coverage }) => coverage),
  };
}

type Counter = AttributeValues & { texts: Set<Json> };

/** The values of each attribute that is not only an object, in one pass over the records. */
function countValues(records: readonly JsonObject[]): Map<string, AttributeValues> {
  const counters = new Map<string, Counter>();
  for (const record of records) {
    eachAttribute(record, (key, value) => {
      if (isObject(value)) return;
      let counter = counters.get(key);
      if (counter === undefined) {
        counter = { has: 0, texts: new Set() };
        counters.set(key, counter);
      }
      count(counter, value);
    });
  }
  return new Map(
    [...counters].map(([key, { texts, ...values }]) => [
      key,
      texts.size > 0 ? { ...values, distinct: texts.size } : values,
    ]),
  );
}

function count(counter: Counter, value: Json): void {
  if (value === null) return;
  counter.has++;
  const number = Array.isArray(value) ? value.length : value;
  if (typeof number !== 'number') counter.texts.add(number);
  else {
    counter.min = counter.min === undefined || number < counter.min ? number : counter.min;
    counter.max = counter.max === undefined || number > counter.max ? number : counter.max;
  }
}

/** A share of records that changed by less is explained by new records. */
const MIN_MOVED_SHARE = 0.05;
/** A range or a number of different values that changed by a smaller factor is usual. */
const MIN_FACTOR = 2;

/** How much an attribute moved: 0 for nothing, up to 2 for one that all or no records have now. */
function weighMove(
  now: AttributeValues,
  records: number,
  before: AttributeValues,
  recordsBefore: number,
): number {
  const share = Math.abs(now.has / Math.max(records, 1) - before.has / Math.max(recordsBefore, 1));
  if (now.has === 0 || before.has === 0) return now.has === before.has ? 0 : 1 + share;
  if (share >= MIN_MOVED_SHARE) return share;
  const [high, low] = [Math.abs(now.max ?? 0), Math.abs(before.max ?? 0)];
  const isSigned = ({ min = 0 }: AttributeValues) => min < 0;
  const ranged = Math.max(high, low) > MIN_FACTOR * Math.min(high, low) || isSigned(now) !== isSigned(before);
  return ranged || (now.distinct ?? 0) * MIN_FACTOR < (before.distinct ?? 0) ? MIN_MOVED_SHARE / 2 : 0;
}

/** Adds to a build's coverage how many records have aliases. */
export function countAliases(coverage: BuildCoverage, aliases: Aliases): BuildCoverage {
  const collections = coverage.collections.map((collection) => {
    const count = Object.keys(ownValue(aliases, collection.collection) ?? {}).length;
    return count > 0 ? { ...collection, aliases: count } : collection;
  });
  return { ...coverage, collections };
}
