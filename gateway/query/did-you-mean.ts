import type { Attribute } from '../../scripts/format/attributes.ts';
import { findNearest } from '../../scripts/text.ts';
import { invalidParameter, quote } from '../http/problem.ts';
import { type Collection, textAt } from './collection.ts';
import { foldText, readSearchText } from './fold.ts';
import { type Condition, type Filters, MAX_SEARCH_WORDS, parseListQuery, selectRows } from './list-query.ts';

/** How many values a message lists. */
const MAX_LISTED = 30;

/** Facets with more values are prose or ids, whose values nobody types with another case. */
const MAX_VALUES = 1000;
/** Longer texts are not folded: that can take time quadratic in their length. */
const MAX_TEXT_LENGTH = 200;

/** Finds the value nearest to one that no record has; undefined if none is near. */
export function findMeant(filters: Filters): { parameter: string; value: string } | undefined {
  for (const condition of conditionsOf(filters)) {
    const value = condition.negated ? undefined : findNear(condition);
    if (value !== undefined) return { parameter: condition.facet, value };
  }
  return undefined;
}

/** Suggests the id of the record with this name, for the end of an error message; empty if there is none. */
export function suggestNamed(name: string, list: Collection): string {
  const { rowOfId } = list;
  const words = name.length <= MAX_TEXT_LENGTH ? readSearchText(name)?.words.length : undefined;
  const isText = /\p{L}/u.test(name) && words !== undefined && words <= MAX_SEARCH_WORDS;
  if (!isText || rowOfId === undefined || list.columns.get('name')?.type !== 'string') return '';
  const [row] = selectRows(list, parseListQuery([['q', name]], list, 1)).rows;
  const id = row === undefined ? undefined : textAt(list, row, 'id');
  return id === undefined ? '' : ` (did you mean "${id}", which a search for this name finds?)`;
}

/** Refuses values that no record has, for attributes with a closed set of values. @throws HttpProblem */
export function refuseUnknown(filters: Filters, attributes: readonly Attribute[]): void {
  for (const condition of conditionsOf(filters)) {
    const { facet, column, negated, unknown } = condition;
    const [text] = unknown;
    if (text === undefined) continue;
    const key = facet.replace(/\[[^[\]]*\]/g, '');
    const { closed, values = [] } = attributes.find((attribute) => attribute.key === key) ?? {};
    if (!closed) continue;
    const meant = namedByLabel(text, values) ?? findNear({ column, unknown: [text] });
    const near = meant === undefined ? '' : ` (did you mean ${quote(meant)}?)`;
    const listed = column.values.slice(0, MAX_LISTED).join(', ');
    const more = column.values.length > MAX_LISTED ? ' and others' : '';
    throw invalidParameter(
      facet + (negated ? '[ne]' : ''),
      `${facet} is ${quote(text)}, which no record has${near}; expected ${listed}${more}`,
    );
  }
}

/** Returns the value with a label, in any language. */
function namedByLabel(text: string, values: NonNullable<Attribute['values']>): string | undefined {
  const isLabel = ([name, label]: [string, unknown]) => name.startsWith('label') && label === text;
  const labelled = values.find((value) => Object.entries(value).some(isLabel));
  return labelled && String(labelled.value);
}

function conditionsOf({ conditions, groups }: Filters): Condition[] {
  return [...conditions, ...groups.flatMap((group) => group.conditions)];
}

/** Finds the value nearest to an unknown one by edits, whatever its case and accents. */
function findNear({ column, unknown }: Pick<Condition, 'column' | 'unknown'>): string | undefined {
  const { type, values } = column;
  const text = unknown.find((each) => each.length <= MAX_TEXT_LENGTH);
  if (text === undefined || type !== 'string' || values.length > MAX_VALUES) return undefined;
  const near = findNearest(foldText(text), column.folded);
  return near === undefined ? undefined : String(values[column.folded.indexOf(near)]);
}
