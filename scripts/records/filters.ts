import type { Attribute, CollectionAttributes } from '../format/attributes.ts';
import { describe, type JsonSchema, schemaOfValue } from './record-schema.ts';

/** A query parameter that filters a list: a facet, with an operator or without. */
export interface FilterParameter {
  name: string;
  description: string;
  schema: JsonSchema;
  /** OpenAPI's serialization of lists, spelled out because some generators do not know the default. */
  style?: 'form';
  explode?: true;
}

const COMPARISONS = {
  gte: 'at least this',
  gt: 'greater than this',
  lte: 'at most this',
  lt: 'less than this',
};

/** Returns the facets among the attributes of a list: those whose values are texts, numbers or booleans, or lists of them. */
export function facetsOf({ attributes }: Pick<CollectionAttributes, 'attributes'>): Attribute[] {
  return attributes.filter(
    ({ type, count }) => type !== undefined && type !== 'object' && type !== 'any' && count > 0,
  );
}

/** The label in the names of described filters. A request may use others. */
const LABEL = 'm';

/**
 * Returns the facets inside lists of objects, with keys whose filters hold for one element together: `ascension.materials[m].name`. The label
 * stands after the innermost list. Lists whose elements have one facet are left out.
 */
export function labelledFacetsOf(collection: Pick<CollectionAttributes, 'attributes'>): Attribute[] {
  const lists = collection.attributes.filter(({ type, list }) => type === 'object' && list);
  const facets = facetsOf(collection);
  return lists.flatMap(({ key: list }) => {
    const isDeeper = ({ key }: Attribute) => key.startsWith(`${list}.`);
    const inner = lists.filter(isDeeper);
    const inside = facets.filter(
      (facet) => isDeeper(facet) && !inner.some(({ key }) => facet.key.startsWith(`${key}.`)),
    );
    if (inside.length < 2) return [];
    return inside.map((facet) => ({ ...facet, key: `${list}[${LABEL}]${facet.key.slice(list.length)}` }));
  });
}

/** Returns every parameter that filters by a facet, of `facetsOf` or `labelledFacetsOf`. */
export function filtersOf(facet: Attribute): FilterParameter[] {
  const { key, type } = facet;
  const [list] = key.split(`[${LABEL}].`);
  const together =
    list === key ? '' : ` All filters with \`${list}[${LABEL}]\` hold for one element of that list.`;
  const value = schemaOfValue(facet);
  // Only lists: a generated client may join a list by commas where a single value is allowed as well.
  const repeated = { schema: { type: 'array', items: value }, style: 'form', explode: true } as const;
  const isNumber = type === 'number' || type === 'integer';
  const meaning = describe(facet);
  return [
    {
      name: key,
      description: `${meaning || `\`${key}\``} ${facet.list ? 'One of its values is one of these.' : 'Exactly one of these values.'}${together}`,
      ...repeated,
    },
    {
      name: `${key}[ne]`,
      description: `\`${key}\` is none of these values.`,
      ...repeated,
    },
    ...(isNumber
      ? Object.entries(COMPARISONS).map(([operator, words]) => ({
          name: `${key}[${operator}]`,
          description: `\`${key}\` is ${words}.`,
          schema: { type: 'number' },
        }))
      : []),
    {
      name: `${key}[exists]`,
      description: `Whether ${together ? 'the element has' : 'records have'} \`${key}\`.`,
      schema: { type: 'boolean' },
    },
  ];
}
