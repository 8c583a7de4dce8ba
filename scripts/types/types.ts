import type { Attribute, CollectionAttributes } from '../format/attributes.ts';
import { eachAttribute, type JsonObject } from '../format/dist-format.ts';

/** Returns the name of a type for a dataset's key or a game's slug: `PullRates` for `pull_rates`. */
export function typeName(key: string): string {
  return key.replace(/(?:^|[_-])([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Descriptions list at most this many values with labels. */
const MAX_LABELLED = 40;

/**
 * Describes the records of a collection, or its single object, as a JSON Schema. Further attributes are allowed, because a later build may have more.
 *
 * @param attributes from the attribute dictionary
 */
export function schemaOfRecord({ attributes }: Pick<CollectionAttributes, 'attributes'>): JsonSchema {
  return schemaOfObject(attributes, '');
}

/** @param prefix the beginning of the keys of all attributes, with a dot at its end */
function schemaOfObject(attributes: readonly Attribute[], prefix: string): JsonSchema {
  const members = new Map<string, Attribute[]>();
  for (const attribute of attributes) {
    const [name = ''] = attribute.key.slice(prefix.length).split('.', 1);
    members.set(name, [...(members.get(name) ?? []), attribute]);
  }
  const ownOf = (name: string) => members.get(name)?.find(({ key }) => key === prefix + name);
  const required = [...members.keys()].filter((name) => ownOf(name)?.optional === undefined && ownOf(name));
  const properties = [...members].map(([name, all]) => {
    const own = ownOf(name);
    const inside = () =>
      schemaOfObject(
        all.filter((each) => each !== own),
        `${prefix}${name}.`,
      );
    return [name, own ? schemaOfAttribute(own, inside) : inside()];
  });
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
}

function schemaOfAttribute(attribute: Attribute, inside: () => JsonSchema): JsonSchema {
  const { type, list, nullable } = attribute;
  const description = describe(attribute);
  const value = type === 'object' ? inside() : schemaOfValue(attribute);
  const schema = list ? { type: 'array', items: nullable ? orNull(value) : value } : value;
  return { ...(description && { description }), ...(nullable ? orNull(schema) : schema) };
}

/**
 * Returns the attributes of roster entries, out of those of the full records.
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

/** Counts how many entries have each attribute. @param counts receives the numbers; it may contain those of other entries */
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

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/** Describes a value of an attribute, or an element of its list. A closed set is an `enum`. */
function schemaOfValue({ type, closed, values = [], examples }: Attribute): JsonSchema {
  if (type === undefined || type === 'any' || type === 'object') return {};
  if (closed && values.length > 0) return { type, enum: values.map(({ value }) => value) };
  return { type, ...(examples && examples.length > 0 && { examples }) };
}

/** The dictionary's sentences about an attribute; empty if there are none. */
function describe({ label, description, unit, level, ref, values = [] }: Attribute): string {
  const labelled = values.flatMap(({ value, label }) =>
    label === undefined ? [] : `\`${value}\` is ${label}`,
  );
  const sentences = [
    description ?? label,
    unit && `Unit: ${unit}.`,
    level && `Of ${level}.`,
    ref && `An id of \`${ref}\`.`,
    labelled.length <= MAX_LABELLED && labelled.length > 0 && `${labelled.join(', ')}.`,
  ];
  return sentences.flatMap((text) => (text ? String(text).replace(/[^.!?。]$/, '$&.') : [])).join(' ');
}

/** A query parameter that filters a list by a facet, with or without an operator. */
export interface FilterParameter {
  name: string;
  description: string;
  schema: JsonSchema;
  /** OpenAPI's default serialization of lists, explicit because some generators do not know the default. */
  style?: 'form';
  explode?: true;
}

/** An operator of a filter: `attribute[gte]=5`. */
interface FilterOperator {
  /** The types of attributes that it supports; `time` is a text whose values are all dates. */
  types: readonly string[];
  /** Its value: of the attribute's type, a list of these, a part of a text, or true or false. */
  value: 'own' | 'list' | 'text' | 'boolean';
  description: string;
}

/** Returns the attributes of a list that are facets: their values are texts, numbers or booleans, or lists of them. */
export function facetsOf({ attributes }: Pick<CollectionAttributes, 'attributes'>): Attribute[] {
  return attributes.filter(
    ({ type, count }) => type !== undefined && type !== 'object' && type !== 'any' && count > 0,
  );
}

/** The label in described filters. Requests may use others. */
const LABEL = 'm';

/**
 * Returns the facets inside lists of objects, with keys whose filters must hold for the same element: `ascension.materials[m].name`. The label
 * follows the innermost list. Lists whose elements have only one facet are left out.
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

/** Returns all filter parameters of facets from `facetsOf` or `labelledFacetsOf`: with each operator for the type, and without. */
export function filtersOf(
  facet: Attribute,
  operators: Readonly<Record<string, FilterOperator>>,
): FilterParameter[] {
  const { key, type, kind } = facet;
  const [list] = key.split(`[${LABEL}].`);
  const together =
    list === key ? '' : ` All filters with \`${list}[${LABEL}]\` hold for one element of that list.`;
  const own = type === 'integer' ? 'number' : type;
  const types = [own, ...(kind === 'date' ? ['time'] : [])];
  // Only lists: a generated client may join a list by commas if a single value is also allowed.
  const repeated = {
    schema: { type: 'array', items: schemaOfValue(facet) },
    style: 'form',
    explode: true,
  } as const;
  const ofOne = facet.list ? 'One of its values is one of these.' : 'Exactly one of these values.';
  const plain = {
    name: key,
    description: `${describe(facet) || `\`${key}\``} ${ofOne}${together}`,
    ...repeated,
  };
  const compared = Object.entries(operators)
    .filter(([, operator]) => operator.types.some((each) => types.includes(each)))
    .map(([operator, { value, description }]) => ({
      name: `${key}[${operator}]`,
      description: `\`${key}\`: ${description}${together}`,
      ...(value === 'list'
        ? repeated
        : { schema: { type: value === 'own' ? own : value === 'text' ? 'string' : value } }),
    }));
  return [plain, ...compared];
}

/** The suffix of a text in another language: `name_ja`, `class_zh_cn`. */
const IN_LANGUAGE = /^_[a-z]{2,3}(_[a-z]{2,4})?$/;

/**
 * Returns the attributes of records in any language: the parameter `lang` replaces texts, and keeps the replaced name as `name_en`. So a text with
 * translations is not a closed set.
 *
 * @param language of `name`, if known
 */
export function inAnyLanguage(
  { records, attributes }: CollectionAttributes,
  language: string | undefined,
): CollectionAttributes {
  const keys = attributes.filter(({ type }) => type === 'string').map(({ key }) => key);
  const isTranslated = (key: string) =>
    keys.some((other) => other.startsWith(`${key}_`) && IN_LANGUAGE.test(other.slice(key.length)));
  const inLanguages = attributes.map((attribute): Attribute => {
    if (!attribute.closed || attribute.type !== 'string' || !isTranslated(attribute.key)) return attribute;
    const { closed: _, ...open } = attribute;
    return open;
  });
  const name = attributes.find(({ key }) => key === 'name');
  const ownName = language === undefined ? undefined : `name_${language}`;
  if (!name || !ownName || keys.includes(ownName) || !isTranslated('name'))
    return { records, attributes: inLanguages };
  const description = 'Only if `lang` is given: the name that the one in that language replaces';
  return { records, attributes: [...inLanguages, { ...name, key: ownName, description, optional: true }] };
}

/** A build of a game, with the attribute dictionary of each collection. */
export interface DescribedBuild {
  slug: string;
  title: string;
  /** The language of `name`, if known. */
  language: string | undefined;
  build: string;
  characters: CollectionAttributes;
  datasets: readonly { key: string; kind: 'list' | 'object'; attributes: CollectionAttributes }[];
  roster: Iterable<JsonObject>;
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** Prints the types of a game as a TypeScript module. Its main type is the parameter of `createClient` in `game-data-read-api-client`. */
export function printTypes(described: DescribedBuild): string {
  const { slug, title, language, build, characters, datasets, roster } = described;
  const name = plainName(slug).replace(/^\d/, 'Game$&');
  const schemaOf = (attributes: CollectionAttributes) => schemaOfRecord(inAnyLanguage(attributes, language));
  const printList = (record: string, own = '') => `{ ${own}record: ${record}; facets: ${record}Facets }`;
  const lists = datasets.filter(({ kind }) => kind === 'list');
  const objects = datasets.filter(({ kind }) => kind === 'object');
  const entries = attributesOfEntries(characters, countAttributes(roster));
  const declared = [
    printInterface('RosterCharacter', schemaOf(entries), 'A character in a list.'),
    printInterface('FullCharacter', schemaOf(characters), 'The full record of a character.'),
    printFacets('FullCharacter', characters),
    ...lists.flatMap(({ key, attributes }) => [
      printInterface(recordName(key), schemaOf(attributes), `A record of \`${key}\`.`),
      printFacets(recordName(key), attributes),
    ]),
    ...objects.map(({ key, attributes }) =>
      printInterface(recordName(key), schemaOf(attributes), `The dataset \`${key}\`.`),
    ),
  ];
  return `// ${oneLine(title)}, build ${oneLine(build)}: the types of its records, for the package game-data-read-api-client. Do not edit.

${comment(`The types of ${title}.`, '')}export interface ${name} {
  characters: ${printList('FullCharacter', 'entry: RosterCharacter; ')};
  lists: {${lists.map(({ key }) => `\n    ${property(key)}: ${printList(recordName(key))};`).join('')}
  };
  objects: {${objects.map(({ key }) => `\n    ${property(key)}: ${recordName(key)};`).join('')}
  };
}

${declared.join('\n')}`;
}

function recordName(key: string): string {
  return `${plainName(key)}Record`;
}

function plainName(key: string): string {
  return typeName(key).replace(/\W/g, '_');
}

function printInterface(name: string, schema: JsonSchema, description: string): string {
  return `${comment(description, '')}export interface ${name} ${printObject(schema, '')}\n`;
}

function printFacets(name: string, attributes: CollectionAttributes): string {
  const facets = [...facetsOf(attributes), ...labelledFacetsOf(attributes)];
  const lines = facets.map(
    (facet) => `  ${property(facet.key)}: ${printType(schemaOfValue(facet), '  ')};\n`,
  );
  return `/** The values that \`${name}\` can be filtered by. */\nexport interface ${name}Facets {\n${lines.join('')}}\n`;
}

function printObject({ properties, required }: JsonSchema, indent: string): string {
  const names = new Set((required ?? []) as string[]);
  const inner = `${indent}  `;
  const lines = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => {
    const about = typeof schema.description === 'string' ? comment(schema.description, inner) : '';
    return `${about}${inner}${property(name)}${names.has(name) ? '' : '?'}: ${printType(schema, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function printType(schema: JsonSchema, indent: string): string {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type))
    return type.map((each) => printType({ ...schema, type: each }, indent)).join(' | ');
  if (type === 'array') return `Array<${printType((schema.items ?? {}) as JsonSchema, indent)}>`;
  if (type === 'object') return printObject(schema, indent);
  return type === 'integer' ? 'number' : String(type ?? 'unknown');
}

function property(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

function comment(text: string, indent: string): string {
  return `${indent}/** ${oneLine(text).replaceAll('*/', '* /')} */\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
