import type { List, Survey } from '../changes/survey.ts';
import * as dist from '../format/dist-format.ts';
import { countOf } from '../text.ts';
import { escapeControls } from './report.ts';

// Compares the newest build with the previous one, by collection and attribute, and renders the result for a terminal.

/** The values of an attribute in the records of a collection. Null is not a value. */
interface AttributeValues {
  /** How many records have it. */
  has: number;
  /** The range of numbers or, for lists, of their lengths. Absent if there are none. */
  min?: number;
  max?: number;
  /** The number of distinct texts and booleans; absent if there are none. */
  distinct?: number;
}

/** An attribute of a collection, by its dotted key. */
interface AttributeCoverage extends AttributeValues {
  attribute: string;
  /** Its values in the previous build; absent if that lacks the collection. */
  before?: AttributeValues;
  /** Whether it changed in a way that new records do not explain. */
  moved: boolean;
}

/** The attributes of a collection: `characters` or a dataset. */
interface CollectionCoverage {
  collection: string;
  /** The number of records; 1 for a dataset that is one object. */
  records: number;
  /** The number in the previous build; absent if that lacks the collection. */
  records_before?: number;
  /** How many of them have aliases; absent if none do. */
  aliases?: number;
  /** The attributes that changed most, then the others in the order of the records. */
  attributes: AttributeCoverage[];
}

/** The contents of a game's newest build, compared with the previous build. */
export interface BuildCoverage {
  game: string;
  build: string;
  before?: string;
  collections: CollectionCoverage[];
}

/** The attributes that a table lists: those that changed since the previous build, all, or none. */
export type CoverageChoice = 'moved' | 'all' | 'none';

/** Describes the contents of a build, compared with the previous one if there is one. */
export function coverBuild(
  game: string,
  after: Survey,
  before: Survey | undefined,
  aliases: dist.Aliases = {},
): BuildCoverage {
  const gone = [...(before?.lists.values() ?? [])].filter(({ list }) => !after.lists.has(list));
  const collections = [
    ...[...after.lists.values()].map((list) => coverList(list, before?.lists.get(list.list))),
    ...gone.map((list) => coverList({ ...list, records: [] }, list)),
  ];
  for (const each of collections) {
    const count = Object.keys(dist.ownValue(aliases, each.collection) ?? {}).length;
    if (count > 0) each.aliases = count;
  }
  return { game, build: after.build, ...(before && { before: before.build }), collections };
}

function coverList({ list, records }: Pick<List, 'list' | 'records'>, before?: List): CollectionCoverage {
  const now = countValues(records);
  const earlier = before && countValues(before.records);
  const attributes = [...new Set([...now.keys(), ...(earlier?.keys() ?? [])])].map((attribute) => {
    const values = now.get(attribute) ?? { has: 0 };
    if (earlier === undefined) return { weight: 0, attribute, values };
    const valuesBefore = earlier.get(attribute) ?? { has: 0 };
    const weight = weighMove(values, records.length, valuesBefore, before?.records.length ?? 0);
    return { weight, attribute, values: { ...values, before: valuesBefore } };
  });
  return {
    collection: list,
    records: records.length,
    ...(before && { records_before: before.records.length }),
    attributes: attributes
      .sort((a, b) => b.weight - a.weight)
      .map(({ weight, attribute, values }) => ({ attribute, ...values, moved: weight > 0 })),
  };
}

/** Counts the values of each attribute that is not only an object. */
function countValues(records: readonly dist.JsonObject[]): Map<string, AttributeValues> {
  const counters = new Map<string, AttributeValues>();
  const texts = new Map<string, Set<dist.Json>>();
  for (const record of records) {
    dist.eachAttribute(record, (key, value) => {
      if (dist.isObject(value)) return;
      const counter = counters.get(key) ?? { has: 0 };
      counters.set(key, counter);
      if (value === null) return;
      counter.has++;
      const number = Array.isArray(value) ? value.length : value;
      if (typeof number === 'number') {
        counter.min = Math.min(counter.min ?? number, number);
        counter.max = Math.max(counter.max ?? number, number);
        return;
      }
      const known = texts.get(key) ?? new Set();
      texts.set(key, known.add(number));
      counter.distinct = known.size;
    });
  }
  return counters;
}

/** If a smaller share of records changed, new records explain it. */
const MIN_MOVED_SHARE = 0.05;

/** How much an attribute changed: from 0 to 2; 2 means that all records gained or lost it. */
function weighMove(now: AttributeValues, records: number, before: AttributeValues, recordsBefore: number) {
  const share = Math.abs(now.has / Math.max(records, 1) - before.has / Math.max(recordsBefore, 1));
  if (now.has === 0 || before.has === 0) return now.has === before.has ? 0 : 1 + share;
  if (share >= MIN_MOVED_SHARE) return share;
  // A range or a number of distinct values that changes by less than half is usual.
  const [low = 0, high = 0] = [now, before].map(({ max = 0 }) => Math.abs(max)).sort((a, b) => a - b);
  const isMoved = high > 2 * low || (now.min ?? 0) < 0 !== (before.min ?? 0) < 0;
  return isMoved || (now.distinct ?? 0) * 2 < (before.distinct ?? 0) ? MIN_MOVED_SHARE / 2 : 0;
}

/** How many attributes of a collection are listed without `all`. */
const MAX_LISTED = 12;

/** Renders one table per build, with a line feed at its end; `''` for none. Without a previous build, the first attributes are listed. */
export function renderCoverage(coverages: readonly BuildCoverage[], choice: CoverageChoice): string {
  if (choice === 'none') return '';
  const tables = coverages.map(({ game, build, before, collections }) => {
    const title = `${game} ${build}${before === undefined ? '' : `, before it ${before}`}`;
    const lines = [title, ...collections.flatMap((collection) => renderCollection(collection, choice))];
    return `${lines.map(escapeControls).join('\n')}\n`;
  });
  return tables.join('\n');
}

function renderCollection(collection: CollectionCoverage, choice: CoverageChoice): string[] {
  const { records, records_before: before, attributes, aliases } = collection;
  const chosen = attributes.filter(({ moved }) => choice === 'all' || moved || before === undefined);
  const listed = choice === 'all' ? chosen : chosen.slice(0, MAX_LISTED);
  const moved = attributes.filter((attribute) => attribute.moved).length;
  const rows = listed.map((attribute) => [
    `    ${attribute.attribute}`,
    renderMove(`${attribute.has}/${records}`, attribute.before && `${attribute.before.has}/${before}`),
    renderMove(renderValues(attribute), attribute.before && renderValues(attribute.before)),
  ]);
  const counts = [
    `${renderMove(String(records), before === undefined ? undefined : String(before))} ${records === 1 ? 'record' : 'records'}`,
    countOf(attributes.length, 'attribute'),
    ...(before === undefined ? [] : [moved === 0 ? 'none moved' : `${moved} moved`]),
    ...(aliases === undefined ? [] : [`aliases of ${aliases}`]),
  ];
  const more = chosen.length - listed.length;
  return [
    `  ${collection.collection}: ${counts.join(', ')}`,
    ...align(rows),
    ...(more > 0 ? [`    and ${more} more: --coverage all`] : []),
  ];
}

function renderValues({ min, max, distinct }: AttributeValues | AttributeCoverage): string {
  const range = min === undefined ? [] : [min === max ? `${min}` : `${min}–${max}`];
  return [...range, ...(distinct === undefined ? [] : [`${distinct} distinct`])].join(', ') || 'nothing';
}

function renderMove(now: string, before: string | undefined): string {
  return before === undefined || before === now ? now : `${before} → ${now}`;
}

/** Pads the cells of all columns except the last one. */
function align(rows: readonly string[][]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widthOf(column)) : cell)).join('  '),
  );
}
