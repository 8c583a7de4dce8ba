import type { RecordTexts } from '../format/build-content.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import { pointerSteps } from '../lib/json-pointer.ts';
import { type Change, type Comparison, compareValues } from './compare-values.ts';
import { type DifferingRecords, findGainedValues } from './find-gained-values.ts';
import type { GainedElements } from './gained-elements.ts';

/**
 * The attributes that a collection as a whole gained or lost: no record of the build before had them, or none of the build after has them. They
 * are changes of the data, not of the game. Dotted keys, sorted; a key also leads through lists. What is inside such an attribute is not listed.
 */
export interface AttributeChanges {
  gained: string[];
  lost: string[];
  /** Lists that gained elements of a kind that none had before. A diff has their values; a summary counts no record as changed for them. */
  elements?: GainedElements[];
}

/** Compares the records of a collection, apart from the attributes that the whole collection gained or lost. */
export class CollectionComparer {
  readonly #before = new AttributeTree();
  readonly #after = new AttributeTree();
  #gained: string[][] = [];
  #lost: string[][] = [];
  #elements: GainedElements[] = [];

  /** @param isWhole whether both builds have records: otherwise nothing is gained or lost */
  constructor(records: DifferingRecords, isWhole: boolean) {
    if (!isWhole) return;
    for (const record of records.removed) this.#before.add(record);
    for (const record of records.added) this.#after.add(record);
    for (const [before, after] of records.changed) {
      this.#before.add(before);
      this.#after.add(after);
    }
    this.#findMissing();
    this.#excludeAttributesOf(records.equal());
    const filled = this.#isSame() ? [] : this.#before.filledIn(this.#after);
    this.#elements = [
      ...filled.map((path) => ({ key: path.join('.') })),
      ...findGainedValues(records).filter(({ key }) => !this.#gained.some((path) => path.join('.') === key)),
    ];
  }

  /** What the collection gained and lost; undefined if that is nothing. */
  get attributes(): AttributeChanges | undefined {
    const elements = this.#elements;
    if (this.#isSame() && elements.length === 0) return undefined;
    const keys = (paths: string[][]) => paths.map((path) => path.join('.')).sort();
    return {
      gained: keys(this.#gained),
      lost: keys(this.#lost),
      ...(elements.length > 0 && { elements }),
    };
  }

  /** Compares two values of the collection: two records, or two lists of all its records. */
  compare(before: Json, after: Json): Comparison {
    if (this.#isSame()) return compareValues(before, after);
    const { fields, changes } = compareValues(this.#after.restrict(before), this.#before.restrict(after));
    return { fields, changes: changes.map((change) => withWholeValues(change, before, after)) };
  }

  #isSame(): boolean {
    return this.#gained.length === 0 && this.#lost.length === 0;
  }

  #findMissing(): void {
    this.#gained = this.#after.missingIn(this.#before);
    this.#lost = this.#before.missingIn(this.#after);
  }

  /** An attribute of a record that is in both builds is neither gained nor lost. Only records that may have one are parsed. */
  #excludeAttributesOf(texts: Iterable<string>): void {
    if (this.#isSame()) return;
    let names = this.#nameMissing();
    for (const text of texts) {
      if (!names.some((name) => text.includes(name))) continue;
      const record: Json = JSON.parse(text);
      const isNew = [this.#before.add(record), this.#after.add(record)];
      if (!isNew.includes(true)) continue;
      this.#findMissing();
      if (this.#isSame()) return;
      names = this.#nameMissing();
    }
  }

  /** The last names of the attributes that are missing, as they are written in a record's text. */
  #nameMissing(): string[] {
    const last = [...this.#gained, ...this.#lost].map((path) => path.at(-1) ?? '');
    return [...new Set(last)].map((name) => `${JSON.stringify(name)}:`);
  }
}

/** A change as it is in the whole values: its `from` and `to` also have the attributes that were left out of the comparison. */
function withWholeValues(change: Change, before: Json, after: Json): Change {
  const { path, from_path = path } = change;
  return {
    ...change,
    ...('from' in change && { from: valueAt(before, from_path) }),
    ...('to' in change && { to: valueAt(after, path) }),
  };
}

function valueAt(value: Json, pointer: string): Json {
  return pointerSteps(pointer).reduce((part, step) => (part as { [key: string]: Json })[step] ?? null, value);
}

/** The records of two lists whose positions are in neither of the given sets of positions, as texts. */
export function* equalTexts(after: RecordTexts, differing: ReadonlySet<number>): Iterable<string> {
  for (const [index, text] of after.entries()) if (!differing.has(index)) yield text;
}

/**
 * The attributes that values have, as a tree of their names. The elements of a list share the attributes of the list: `skills.power` is in the
 * tree if an element of any list `skills` has `power`.
 */
export class AttributeTree {
  readonly #below = new Map<string, AttributeTree>();
  /** Whether only lists were added. */
  #isList = true;

  /** Adds the attributes of a value. @returns whether one of them was not known before */
  add(value: Json): boolean {
    if (Array.isArray(value)) {
      let isNew = false;
      const isList = this.#isList;
      for (const element of value) if (this.add(element)) isNew = true;
      this.#isList = isList;
      return isNew;
    }
    this.#isList = false;
    if (!isObject(value)) return false;
    let isNew = false;
    for (const name of Object.keys(value)) {
      let child = this.#below.get(name);
      if (child === undefined) {
        child = new AttributeTree();
        this.#below.set(name, child);
        isNew = true;
      }
      if (child.add(value[name] ?? null)) isNew = true;
    }
    return isNew;
  }

  /** The attributes that another tree lacks, as paths. What is inside such an attribute is not listed. */
  missingIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined) return [[name]];
      return child.missingIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** The lists that have no objects here, and do in another tree, as paths. */
  filledIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined || counterpart.#below.size === 0) return [];
      if (child.#below.size === 0) return child.#isList ? [[name]] : [];
      return child.filledIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** Copies a value without the attributes that this tree lacks. */
  restrict(value: Json): Json {
    if (Array.isArray(value)) return value.map((element) => this.restrict(element));
    if (!isObject(value)) return value;
    const members: [string, Json][] = [];
    for (const name of Object.keys(value)) {
      const child = this.#below.get(name);
      if (child) members.push([name, child.restrict(value[name] ?? null)]);
    }
    return Object.fromEntries(members);
  }
}
