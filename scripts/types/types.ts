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

/** The schema of an object; `required` and `properties` are filled as its attributes come. */
interface ObjectSchema extends JsonSchema {
  readonly required: string[];
  readonly properties: Record<string, JsonSchema>;
}

/** Without a prototype, so that an attribute may have any name. */
function emptyObject(): ObjectSchema {
  return { type: 'object', required: [], properties: Object.create(null) };
}

/**
 * Describes the records of a collection, or its single object, as a JSON Schema. Further attributes are allowed, because a later build may have more.
 *
 * @param attributes from the attribute dictionary: an object comes before its attributes
 */
export function schemaOfRecord({ attributes }: Pick<CollectionAttributes, 'attributes'>): ObjectSchema {
  const record = emptyObject();
  const objects = new Map([['', record]]);
  for (const attribute of attributes) {
    const { key, type, list, nullable, optional } = attribute;
    const { required, properties } = objects.get(parentOf(key)) ?? record;
    const name = key.slice(key.lastIndexOf('.') + 1);
    const inside = emptyObject();
    if (type === 'object') objects.set(key, inside);
    const value = type === 'object' ? inside : schemaOfValue(attribute);
    const items = nullable ? orNull(value) : value;
    const schema = list ? { type: 'array', items } : value;
    const description = describe(attribute);
    properties[name] = { ...(description && { description }), ...(nullable ? orNull(schema) : schema) };
    if (!optional) required.push(name);
  }
  return record;
}

/** Returns the attributes of roster entries, out of those of the full records. */
export function attributesOfEntries(
  { records, attributes }: CollectionAttributes,
  entries: Iterable<JsonObject>,
): CollectionAttributes {
  const counts = new Map<string, number>();
  for (const entry of entries) eachAttribute(entry, (key) => counts.set(key, (counts.get(key) ?? 0) + 1));
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

/** Returns all filter parameters of a facet: with each operator for its type, and without. */
export function filtersOf(facet: Attribute, operators: Readonly<Record<string, FilterOperator>>) {
  const { key, type, kind } = facet;
  const own = type === 'integer' ? 'number' : type;
  const types = [own, ...(kind === 'date' ? ['time'] : [])];
  // Only lists: a generated client may join a list by commas if a single value is also allowed, or if `style` is left out.
  const schema = { type: 'array', items: schemaOfValue(facet) };
  const repeated = { schema, style: 'form', explode: true } as const;
  const ofOne = facet.list ? 'One of its values is one of these.' : 'Exactly one of these values.';
  const plain = { name: key, description: `${describe(facet) || `\`${key}\``} ${ofOne}`, ...repeated };
  const compared = Object.entries(operators)
    .filter(([, operator]) => operator.types.some((each) => types.includes(each)))
    .map(([operator, { value, description }]) => {
      const single = value === 'own' ? own : value === 'text' ? 'string' : value;
      const sent = value === 'list' ? repeated : { schema: { type: single } };
      return { name: `${key}[${operator}]`, description: `\`${key}\`: ${description}`, ...sent };
    });
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
    const { closed, ...open } = attribute;
    return closed && attribute.type === 'string' && isTranslated(attribute.key) ? open : attribute;
  });
  const name = attributes.find(({ key }) => key === 'name');
  const key = `name_${language}`;
  if (name && language !== undefined && !keys.includes(key) && isTranslated('name')) {
    const description = 'Only if `lang` is given: the name that the one in that language replaces';
    inLanguages.push({ ...name, key, description, optional: true });
  }
  return { records, attributes: inLanguages };
}

/** A build of a game. */
export interface DescribedBuild {
  slug: string;
  title: string;
  /** The language of `name`, if known. */
  language: string | undefined;
  build: string;
  roster: Iterable<JsonObject>;
  datasets: readonly { key: string; kind: 'list' | 'object' }[];
  /** Returns the attributes of a collection, from the attribute dictionary. */
  attributesOf(collection: string): CollectionAttributes;
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** Prints the types of a game as a TypeScript module. Its main type is the parameter of `createClient` in `game-data-read-api-client`. */
export function printTypes(described: DescribedBuild): string {
  const { slug, title, language, build, datasets, roster } = described;
  const characters = described.attributesOf('characters');
  const declared: string[] = [];
  const declare = (name: string, description: string, attributes: CollectionAttributes) => {
    const schema = schemaOfRecord(inAnyLanguage(attributes, language));
    declared.push(`${comment(description, '')}export interface ${name} ${printObject(schema, '')}\n`);
  };
  /** @returns the types of a list in the main type */
  const declareList = (name: string, description: string, attributes: CollectionAttributes) => {
    declare(name, description, attributes);
    const facets = facetsOf(attributes).map(
      (facet) => `  ${property(facet.key)}: ${printType(schemaOfValue(facet), '  ')};\n`,
    );
    const about = `The values that \`${name}\` can be filtered by.`;
    declared.push(`${comment(about, '')}export interface ${name}Facets {\n${facets.join('')}}\n`);
    return `record: ${name}; facets: ${name}Facets`;
  };
  const entries = attributesOfEntries(characters, roster);
  declare('RosterCharacter', 'A character in a list.', entries);
  const full = declareList('FullCharacter', 'The full record of a character.', characters);
  const members = { list: '', object: '' };
  const taken = new Set<string>();
  for (const { key, kind } of datasets) {
    let name = `${plainName(key)}Record`;
    // `skill_1` and `skill1` have the same name.
    while (taken.has(name)) name += '_';
    taken.add(name);
    const attributes = described.attributesOf(key);
    if (kind === 'object') declare(name, `The dataset \`${key}\`.`, attributes);
    const type = kind === 'object' ? name : `{ ${declareList(name, `A record of \`${key}\`.`, attributes)} }`;
    members[kind] += `\n    ${property(key)}: ${type};`;
  }
  return `// ${oneLine(title)}, build ${oneLine(build)}: the types of its records, for the package game-data-read-api-client. Do not edit.

${comment(`The types of ${title}.`, '')}export interface ${plainName(slug).replace(/^\d/, 'Game$&')} {
  characters: { entry: RosterCharacter; ${full} };
  lists: {${members.list}
  };
  objects: {${members.object}
  };
}

${declared.join('\n')}`;
}

function plainName(key: string): string {
  return typeName(key).replace(/\W/g, '_');
}

function printObject({ properties, required }: ObjectSchema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const about = typeof schema.description === 'string' ? comment(schema.description, inner) : '';
    const mark = required.includes(name) ? '' : '?';
    return `${about}${inner}${property(name)}${mark}: ${printType(schema, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function printType(schema: JsonSchema, indent: string): string {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type))
    return type.map((each) => printType({ ...schema, type: each }, indent)).join(' | ');
  if (type === 'array') return `Array<${printType(schema.items as JsonSchema, indent)}>`;
  if (type === 'object') return printObject(schema as ObjectSchema, indent);
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
