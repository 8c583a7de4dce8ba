import type { Attribute, CollectionAttributes } from '../../../scripts/core/format/attributes.ts';
import { compareNatural } from '../../../scripts/core/format/dist-format.ts';
import type { Collection } from './collection.ts';
import type { Column } from './column.ts';

const MAX_EXAMPLES = 3;

/** Describes the facets of a list by their values alone, for a build without an attribute dictionary. */
export function describeColumns({ orderedColumns, count }: Collection): CollectionAttributes {
  const attributes = [...orderedColumns.values()].map((column) => describeColumn(column, count));
  return { records: count, attributes: attributes.sort((a, b) => compareNatural(a.key, b.key)) };
}

function describeColumn({ key, type, list, values, present }: Column, count: number): Attribute {
  const [min, max] = [values[0], values[values.length - 1]];
  return {
    key,
    type: type === 'number' && values.every(Number.isInteger) ? 'integer' : type,
    list,
    ...(present < count && { optional: true }),
    count: present,
    distinct: values.length,
    ...(typeof min === 'number' && typeof max === 'number' && { min, max }),
    examples: values.slice(0, MAX_EXAMPLES),
  };
}
