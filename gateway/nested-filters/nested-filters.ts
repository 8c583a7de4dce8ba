import { ParameterError } from '../http/raw-query.ts';
import { quote } from '../http/suggest.ts';
import { countWork, Part, type Steps, WORK } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import type { Condition, Facet, Filters } from '../query/filters.ts';
import { RowSet } from '../query/row-set.ts';
import { keepAll } from '../query/select-rows.ts';
import { ElementList } from './element-list.ts';

/** `ascension.materials[m].name`: the list, the label, and the attribute of its elements. */
const LABELLED = /^([^[\]]+)\[([a-z][a-z0-9]{0,15})\]\.([^[\]]+)$/;

/** Finds a facet inside a list of objects. */
export function findNested(key: string, list: Collection): Facet | undefined {
  const [, listKey, label, attribute] = LABELLED.exec(key) ?? [];
  if (listKey === undefined || attribute === undefined) return findInList(key, list);
  const elements = findElements(listKey, list);
  const inside = elements?.columns.get(attribute);
  if (elements === undefined || inside === undefined) return undefined;
  const name = `${listKey}[${label}]`;
  return {
    column: inside,
    addTo: (filters, condition) => conditionsOf(filters, name, elements).push(condition),
  };
}

/** The elements that pass every condition of a group, and elements or rows that pass one. Every group uses them: only one selection runs at a time. */
const passed = new RowSet();
const passing = new RowSet();

/** The most labels in a request: each makes another pass over the elements of its list. */
export const MAX_GROUPS = 16;

/** Returns the conditions that hold for the same element. @throws ParameterError */
function conditionsOf({ groups }: Filters, name: string, { count, rowOf }: ElementList): Condition[] {
  const match = groups.find((group) => group.name === name);
  if (match) return match.conditions;
  if (groups.filter((group) => group.name !== undefined).length === MAX_GROUPS)
    throw new ParameterError(
      name,
      `${quote(name)} is one label too many, expected at most ${MAX_GROUPS} in a request`,
    );
  const conditions: Condition[] = [];
  const addRows = (rows: RowSet, rowCount: number) => {
    countWork(WORK.row * (rowCount + count));
    const rarest = findRarest(conditions, count);
    if (rarest) return addFew(rarest, conditions, rowOf, rows);
    keepAll(passed, passing, count, conditions);
    passed.addMapped(rowOf, rows);
  };
  groups.push({ name, conditions, addRows });
  return conditions;
}

/** How much longer it may take to compare an element with one range than to combine the bits of one. */
const COMPARED = 8;

/** Returns the condition for which fewest elements hold, if comparing them with all others takes less time than combining sets of all elements. */
function findRarest(conditions: readonly Condition[], count: number): Condition | undefined {
  const sizes = conditions.map(({ column: { offsets }, ranges, negated }) =>
    negated ? count : ranges.reduce((sum, [from, to]) => sum + (offsets[to] ?? 0) - (offsets[from] ?? 0), 0),
  );
  const least = Math.min(...sizes);
  const rarest = conditions[sizes.indexOf(least)];
  const compared = conditions.reduce((sum, { ranges }) => sum + ranges.length, 0);
  const isFast = COMPARED * least * compared < count * conditions.length;
  return isFast && conditions.every((each) => each === rarest || !each.column.list) ? rarest : undefined;
}

/** Adds the rows of the elements for which all conditions hold. @param rarest the one that decides which elements are compared */
function addFew(rarest: Condition, all: readonly Condition[], rowOf: Int32Array, rows: RowSet): void {
  const { column, ranges } = rarest;
  const others = all.filter((condition) => condition !== rarest);
  for (const [fromCode, toCode] of ranges) {
    for (let at = column.offsets[fromCode] ?? 0; at < (column.offsets[toCode] ?? 0); at++) {
      const element = column.rows[at] ?? 0;
      if (others.every((condition) => holds(condition, element))) rows.add(rowOf[element] ?? 0);
    }
  }
}

function holds({ column, ranges, negated }: Condition, element: number): boolean {
  const code = column.codes[element] ?? -1;
  return ranges.some(([from, to]) => from <= code && code < to) !== negated;
}

/** Returns the facets inside the list that a key leads into. */
export function insideOf(key: string, list: Collection): string[] {
  const outer = outermostList(key.replace(/\[[^[\]]*\]/g, ''), list);
  return outer === undefined
    ? []
    : [...elementsOf(list, outer).columns.keys()].map((inside) => `${outer}.${inside}`);
}

function findInList(key: string, list: Collection): Facet | undefined {
  const outer = outermostList(key, list);
  if (outer === undefined) return undefined;
  const elements = elementsOf(list, outer);
  const column = elements.columns.get(key.slice(outer.length + 1));
  if (column === undefined) return undefined;
  const addTo = ({ groups }: Filters, condition: Condition) => {
    const rowsOfValues = elements.rowsOf(column, list.count);
    const addRows = (rows: RowSet, rowCount: number) => {
      countWork(WORK.row * rowCount);
      if (!condition.negated) return rowsOfValues.addRows(condition.ranges, rows);
      passing.clear(rowCount);
      rowsOfValues.addRows(condition.ranges, passing);
      rows.fill(rowCount);
      rows.keep(passing, true);
    };
    groups.push({ name: undefined, conditions: [condition], addRows });
  };
  return { column, rowOf: elements.rowOf, addTo };
}

/** Returns the elements of a list of objects, which may be inside the elements of another one. */
function findElements(key: string, list: Collection): ElementList | undefined {
  if (list.objectLists.has(key)) return elementsOf(list, key);
  const outer = outermostList(key, list);
  const isInside = outer !== undefined && elementsOf(list, outer).lists.has(key.slice(outer.length + 1));
  return isInside ? elementsOf(list, key) : undefined;
}

/** Returns the list of objects that a key leads into. */
function outermostList(key: string, { objectLists }: Collection): string | undefined {
  let outermost: string | undefined;
  for (const outer of objectLists) {
    const isNearer = outermost === undefined || outer.length < outermost.length;
    if (isNearer && key[outer.length] === '.' && key.startsWith(outer)) outermost = outer;
  }
  return outermost;
}

const elements = new WeakMap<Collection, Map<string, Part<ElementList>>>();

/**
 * Returns the elements of a list of objects, which are read when they are first requested.
 *
 * @param key one of `objectLists`, or of the lists inside its elements
 * @throws UnpreparedError if the list is long, and they were not read before
 */
function elementsOf(list: Collection, key: string): ElementList {
  const parts = elements.get(list) ?? new Map<string, Part<ElementList>>();
  elements.set(list, parts);
  const part = parts.get(key) ?? new Part(list.count, () => readElements(list, key));
  parts.set(key, part);
  return part.get();
}

function* readElements(list: Collection, key: string): Steps<ElementList> {
  yield list.fullRecordsPart;
  return yield* ElementList.make(key, list.fullRecords);
}
