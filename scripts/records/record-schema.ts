import type { Attribute, CollectionAttributes } from '../format/attributes.ts';
import { eachAttribute, type JsonObject } from '../format/dist-format.ts';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** An attribute with the attributes inside it, by name. */
interface Node {
  /** Undefined for an object that the dictionary does not list itself. */
  attribute: Attribute | undefined;
  inside: Map<string, Node>;
}

/** More values with labels are not spelled out in a description. */
const MAX_LABELLED = 40;
const ANYTHING: JsonSchema = {};

/**
 * Describes the records of a collection, or its one object, as a JSON Schema. Further attributes are allowed: a later build may have more.
 *
 * @param attributes what the attribute dictionary says of the collection
 */
export function schemaOfRecord({ attributes }: Pick<CollectionAttributes, 'attributes'>): JsonSchema {
  return schemaOfObject(nest(attributes));
}

/**
 * Returns the attributes that the entries of a roster have, out of those of the full records.
 *
 * @param counts how many entries have each attribute (`countAttributes`)
 */
export function attributesOfEntries(
  { records, attributes }: CollectionAttributes,
  counts: ReadonlyMap<string, number>,
): CollectionAttributes {
  const lists = attributes.filter(({ key, list }) => list && counts.has(key)).map(({ key }) => `${key}.`);
  const shared = attributes.flatMap((attribute): Attribute[] => {
    const { optional: _, ...described } = attribute;
    const count = counts.get(attribute.key);
    if (count === undefined) return lists.some((list) => attribute.key.startsWith(list)) ? [attribute] : [];
    const owners = counts.get(parentOf(attribute.key)) ?? records;
    return [count < owners ? { ...described, optional: true } : described];
  });
  return { records, attributes: shared };
}

/** Counts how many entries have each attribute. @param counts receives the numbers; it may have those of other entries */
export function countAttributes(
  entries: Iterable<JsonObject>,
  counts = new Map<string, number>(),
): Map<string, number> {
  for (const entry of entries) eachAttribute(entry, (key) => counts.set(key, (counts.get(key) ?? 0) + 1));
  return counts;
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')));
}

function nest(attributes: readonly Attribute[]): Map<string, Node> {
  const top = new Map<string, Node>();
  for (const attribute of attributes) {
    let level = top;
    let node: Node | undefined;
    for (const name of attribute.key.split('.')) {
      node = level.get(name) ?? { attribute: undefined, inside: new Map() };
      level.set(name, node);
      level = node.inside;
    }
    if (node) node.attribute = attribute;
  }
  return top;
}

function schemaOfObject(nodes: ReadonlyMap<string, Node>): JsonSchema {
  const required = [...nodes].filter(([, { attribute }]) => attribute && !attribute.optional);
  return {
    type: 'object',
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    properties: Object.fromEntries([...nodes].map(([name, node]) => [name, schemaOfNode(node)])),
  };
}

function schemaOfNode({ attribute, inside }: Node): JsonSchema {
  if (attribute === undefined) return schemaOfObject(inside);
  const { type, list, nullable } = attribute;
  const description = describe(attribute);
  const value = type === 'object' ? schemaOfObject(inside) : schemaOfValue(attribute);
  const schema = list ? { type: 'array', items: nullable ? orNull(value) : value } : value;
  return { ...(description && { description }), ...(nullable ? orNull(schema) : schema) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/** Describes one value of an attribute, or one element of its list: a closed set is an `enum`. */
export function schemaOfValue({ type, closed, values = [], examples }: Attribute): JsonSchema {
  if (type === undefined || type === 'any' || type === 'object') return ANYTHING;
  if (closed && values.length > 0) return { type, enum: values.map(({ value }) => value) };
  return { type, ...(examples && examples.length > 0 && { examples }) };
}

/** The sentences of the dictionary about an attribute; empty if it says nothing. */
export function describe(attribute: Attribute): string {
  const { label, description, unit, level, ref } = attribute;
  const facts = [
    unit && `Unit: ${unit}.`,
    level && `Of ${level}.`,
    ref && `An id of \`${ref}\`.`,
    labelsOf(attribute),
  ];
  const sentences = [description ?? label, ...facts].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  return sentences.map((text) => String(text).replace(/[^.!?。]$/, '$&.')).join(' ');
}

function labelsOf({ values = [] }: Attribute): string {
  const labelled = values.filter(({ label }) => label !== undefined);
  if (labelled.length === 0 || labelled.length > MAX_LABELLED) return '';
  return `${labelled.map(({ value, label }) => `\`${value}\` is ${label}`).join(', ')}.`;
}
