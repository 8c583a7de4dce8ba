import { ParameterError } from '../../core/lib/raw-query.ts';
import { quote } from '../../core/lib/suggest.ts';
import { countWork, Part, type Steps, WORK } from '../../core/lib/work.ts';
import type { Collection } from '../../core/query/collection.ts';
import type { Condition, Facet, Filters } from '../../core/query/filters.ts';
import { RowSet } from '../../core/query/row-set.ts';
import { keepAll } from '../../core/query/select-rows.ts';
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

/** The elements that pass every condition of a group, and those that pass one. Every group uses them: only one selection runs at a time. */
const passed = new RowSet();
const passing = new RowSet();

/** The most labels in a request: each makes another pass over the elements of its list. */
export const MAX_GROUPS = 16;

/** Returns the conditions that hold for the same element. @throws ParameterError */
function conditionsOf({ groups }: Filters, name: string, { count, rowOf }: ElementList): Condition[] {
  const match = groups.find((group) => group.name === name);
  if (match) return match.conditions;
  if (groups.length === MAX_GROUPS)
    throw new ParameterError(
      name,
      `${quote(name)} is one label too many, expected at most ${MAX_GROUPS} in a request`,
    );
  const conditions: Condition[] = [];
  const addRows = (rows: RowSet, rowCount: number) => {
    keepAll(passed, passing, count, conditions);
    countWork(WORK.row * (rowCount + count));
    passed.addMapped(rowOf, rows);
  };
  groups.push({ name, conditions, addRows });
  return conditions;
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
  const { columns, rowOf } = elementsOf(list, outer);
  const column = columns.get(key.slice(outer.length + 1));
  return column && { column, rowOf };
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
