import { LIST_PARAMETERS } from '../../../scripts/core/format/dist-format.ts';
import { ParameterError } from '../lib/parameter-error.ts';
import { quote, suggest } from '../lib/suggest.ts';
import type { Collection } from './collection.ts';
import type { Column } from './column.ts';
import { type Condition, OPERATORS, parseCondition } from './condition.ts';
import type { ElementList } from './element-list.ts';

/** Conditions that must hold for one element of a list, as the label in their names says. */
export interface ElementConditions {
  /** The key of the list with the label: `ascension.materials[m]`. */
  name: string;
  list: ElementList;
  conditions: Condition[];
}

/** What filters select. */
export interface Filters {
  conditions: Condition[];
  groups: ElementConditions[];
}

/** A facet, and how to get from what it has values of to rows. */
interface Facet {
  column: Column;
  /** Of a facet inside a list of objects. */
  rowOf?: Int32Array;
  group?: Pick<ElementConditions, 'name' | 'list'>;
}

/** The most labels in a request: each makes another pass over the elements of its list. */
export const MAX_GROUPS = 16;

/** `ascension.materials[m].name`: the list, the label, and the attribute of its elements. */
const LABELLED = /^([^[\]]+)\[([a-z][a-z0-9]{0,15})\]\.([^[\]]+)$/;

/**
 * Reads the values of one filter, and adds what they select.
 *
 * @param name the parameter as given: `stats.atk[gte]`, `ascension.materials.name`, `ascension.materials[m].count[gte]`
 * @throws ParameterError
 */
export function addFilter(filters: Filters, name: string, values: string[], list: Collection): void {
  const bracket = name.endsWith(']') ? name.lastIndexOf('[') : -1;
  const key = bracket === -1 ? name : name.slice(0, bracket);
  const facet = findFacet(key, list);
  if (facet === undefined) throw unknownFacet(name, key, list);
  const operator = bracket === -1 ? undefined : name.slice(bracket + 1, -1);
  const { column, group, rowOf } = facet;
  const parsed = parseCondition(name, column, operator, values);
  const condition: Condition = { facet: key, ...parsed, ...(rowOf && { rowOf }) };
  if (group === undefined) filters.conditions.push(condition);
  else conditionsOf(filters, group).push(condition);
}

function conditionsOf({ groups }: Filters, group: Pick<ElementConditions, 'name' | 'list'>): Condition[] {
  const known = groups.find(({ name }) => name === group.name);
  if (known) return known.conditions;
  if (groups.length === MAX_GROUPS) throw tooManyLabels(group.name);
  const conditions: Condition[] = [];
  groups.push({ ...group, conditions });
  return conditions;
}

function tooManyLabels(name: string): ParameterError {
  return new ParameterError(
    name,
    `${quote(name)} is one label too many, expected at most ${MAX_GROUPS} in a request`,
  );
}

function findFacet(key: string, list: Collection): Facet | undefined {
  const column = list.columns.get(key);
  if (column) return { column };
  if (list.objectLists.size === 0) return undefined;
  const [, listKey, label, attribute] = LABELLED.exec(key) ?? [];
  if (listKey === undefined || attribute === undefined) return findInList(key, list);
  const elements = findElements(listKey, list);
  const inside = elements?.columns.get(attribute);
  if (elements === undefined || inside === undefined) return undefined;
  return { column: inside, group: { name: `${listKey}[${label}]`, list: elements } };
}

function findInList(key: string, list: Collection): Facet | undefined {
  const outer = outermostList(key, list);
  if (outer === undefined) return undefined;
  const { columns, rowOf } = list.elements(outer);
  const column = columns.get(key.slice(outer.length + 1));
  return column && { column, rowOf };
}

/** Returns the elements of a list of objects, which may be inside the elements of another one. */
function findElements(key: string, list: Collection): ElementList | undefined {
  if (list.objectLists.has(key)) return list.elements(key);
  const outer = outermostList(key, list);
  const isInside = outer !== undefined && list.elements(outer).lists.has(key.slice(outer.length + 1));
  return isInside ? list.elements(key) : undefined;
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

function unknownFacet(name: string, key: string, list: Collection): Error {
  const near = suggest(key, [...list.columns.keys(), ...insideOf(key, list), ...LIST_PARAMETERS]);
  const detail = `${quote(key)} is neither a parameter nor a facet${near}; expected a facet, with an operator ${OPERATORS.map((operator) => `[${operator}]`).join(' ')} or none, or one of ${LIST_PARAMETERS.join(', ')}; /api/{game}/attributes and /api/{game}/{dataset}/attributes describe the facets`;
  return new ParameterError(name, detail);
}

/** Returns the facets inside the list that a key leads into. */
function insideOf(key: string, list: Collection): string[] {
  const outer = outermostList(key.replace(/\[[^[\]]*\]/g, ''), list);
  return outer === undefined
    ? []
    : [...list.elements(outer).columns.keys()].map((inside) => `${outer}.${inside}`);
}
