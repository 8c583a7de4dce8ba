import type { Attribute, AttributeDictionary, AttributeKind } from '../../../../scripts/format/attributes.ts';
import { pointerSteps } from '../../../../scripts/lib/json-pointer.ts';
import type { Change } from '../../../../scripts/diff/compare-values.ts';
import type { BuildDiff } from '../../../../scripts/diff/diff-builds.ts';

/** A number that differs between two builds. */
export interface NumberChange {
  /** `characters` or the key of a dataset. */
  collection: string;
  /** The id and the name of the record; absent where it has none, as in a dataset that is one object. */
  id?: string;
  name?: string;
  /** As in `Change`. */
  path: string;
  /** What the attribute is called and its unit, if the dictionary says so. */
  label?: string;
  unit?: string;
  from: number;
  to: number;
}

/** The changes of values in a build or a correction. */
type ChangedValues = Pick<BuildDiff, 'characters' | 'datasets'>;

/** The change of a number, with the dotted key of its attribute. */
interface Candidate {
  key: string;
  change: NumberChange;
}

/** Kinds of attributes whose numbers count nothing. */
const NOT_MEASURED: readonly (AttributeKind | undefined)[] = ['id', 'reference', 'date', 'color', 'image'];

/**
 * Finds the numbers that changed most: by the difference as a part of the larger of both values, so that attributes of any unit can be compared;
 * then by the difference itself. Of each attribute of a record, only the largest change is listed: a level table is one attribute.
 *
 * @param all the changes of a build, or of several builds that one correction changed, the most important one first
 * @param dictionary that of the newer build; numbers that it calls ids, references or dates are left out
 * @param limit the maximum length of the list
 */
export function findLargestChanges(
  all: readonly ChangedValues[],
  dictionary: AttributeDictionary,
  limit: number,
): NumberChange[] {
  const attributes = new Attributes(dictionary);
  const largest = new Map<string, NumberChange>();
  for (const changes of all) {
    for (const { key, change } of numbersIn(changes, attributes)) {
      const place = JSON.stringify([change.collection, change.id, key]);
      const present = largest.get(place);
      if (!present || compareSizes(change, present) < 0) largest.set(place, change);
    }
  }
  return [...largest.values()].sort(compareSizes).slice(0, limit);
}

function* numbersIn({ characters, datasets }: ChangedValues, attributes: Attributes): Generator<Candidate> {
  for (const record of characters.changed) yield* numbersOf('characters', record, attributes);
  for (const [collection, diff] of Object.entries(datasets)) {
    const records = 'changes' in diff ? [diff] : diff.changed;
    for (const record of records) yield* numbersOf(collection, record, attributes);
  }
}

function* numbersOf(
  collection: string,
  { id, name, changes }: { id?: string; name?: string; changes: readonly Change[] },
  attributes: Attributes,
): Generator<Candidate> {
  for (const { path, from, to } of changes) {
    if (typeof from !== 'number' || typeof to !== 'number') continue;
    const key = attributes.keyOf(collection, path);
    const { kind, label, unit } = attributes.find(collection, key) ?? {};
    if (NOT_MEASURED.includes(kind)) continue;
    const record = { collection, ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
    const texts = { ...(label !== undefined && { label }), ...(unit !== undefined && { unit }) };
    yield { key, change: { ...record, path, ...texts, from, to } };
  }
}

/** Compares two changes, the larger one first. */
function compareSizes(a: NumberChange, b: NumberChange): number {
  return partOf(b) - partOf(a) || Math.abs(b.to - b.from) - Math.abs(a.to - a.from);
}

/** The difference as a part of the larger of both values: 1 from or to 0, at most 2. */
function partOf({ from, to }: NumberChange): number {
  return Math.abs(to - from) / Math.max(Math.abs(from), Math.abs(to));
}

/** The attributes of a dictionary by collection and key. */
class Attributes {
  readonly #collections = new Map<string, ReadonlyMap<string, Attribute>>();

  constructor(dictionary: AttributeDictionary) {
    for (const [collection, { attributes }] of Object.entries(dictionary)) {
      this.#collections.set(collection, new Map(attributes.map((each) => [each.key, each])));
    }
  }

  find(collection: string, key: string): Attribute | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  /** The dotted key of a place: without positions in lists. A number in it may also be the name of an attribute, such as a level. */
  keyOf(collection: string, path: string): string {
    return pointerSteps(path).reduce((key, step) => {
      const longer = key === '' ? step : `${key}.${step}`;
      return /^\d+$/.test(step) && !this.find(collection, longer) ? key : longer;
    }, '');
  }
}
