import type {
  Attribute,
  AttributeDictionary,
  AttributeKind,
  AttributeType,
  AttributeValue,
  CollectionAttributes,
  Labels,
  Scalar,
} from '../format/attributes.ts';
import { compareNatural, isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import {
  type AttributeDefinition,
  type AttributeDefinitions,
  EVERY_COLLECTION,
  type RawValues,
} from '../read/game-schema.ts';
import type { CompiledBuild } from './compile-build.ts';

const ANY_NAME = '*';

/** The definitions of game.json for the attributes of one collection. */
export class DefinitionsOf {
  readonly #exact: readonly Readonly<Record<string, AttributeDefinition>>[];
  readonly #patterns: readonly { steps: readonly string[]; definition: AttributeDefinition }[];

  /** @param collection `characters` or the key of a dataset */
  constructor(definitions: AttributeDefinitions | undefined, collection: string) {
    const entries = new Map(Object.entries(definitions ?? {}));
    this.#exact = [entries.get(collection), entries.get(EVERY_COLLECTION)].filter(
      (attributes) => attributes !== undefined,
    );
    this.#patterns = this.#exact.flatMap((attributes) =>
      Object.entries(attributes).flatMap(([key, definition]) => {
        const steps = key.split('.');
        return steps.includes(ANY_NAME) ? [{ steps, definition }] : [];
      }),
    );
  }

  /**
   * Finds the definition of an attribute. A definition for its key precedes one for a pattern, and one for its collection precedes one for all lists.
   */
  find(key: string): AttributeDefinition | undefined {
    const exact = this.#exact.find((attributes) => Object.hasOwn(attributes, key));
    if (exact) return exact[key];
    if (this.#patterns.length === 0) return undefined;
    const names = key.split('.');
    return this.#patterns.find(
      ({ steps }) =>
        steps.length === names.length &&
        steps.every((step, index) => step === ANY_NAME || step === names[index]),
    )?.definition;
  }
}

/** The occurrences of an attribute in the records of a collection, with the attributes inside it. */
export interface Surveyed {
  key: string;
  /** Undefined if there is no value. */
  type: AttributeType | undefined;
  list: boolean;
  nullable: boolean;
  /** How many of the objects that may have the attribute do have it. */
  owners: number;
  /** How many records have a value. */
  count: number;
  /** The number of records with each value. */
  values: Map<Scalar, number>;
  /** How many objects the attribute is in all records; the `owners` of the attributes inside it are compared with this. */
  objects: number;
  inside: Map<string, Surveyed>;
}

/** The maximum number of attributes of a collection, including those inside lists. */
const MAX_ATTRIBUTES = 2000;

/** The attributes of a collection by name, and its number of records; 1 for a single object. */
export interface CollectionSurvey {
  records: number;
  attributes: ReadonlyMap<string, Surveyed>;
}

const surveys = new WeakMap<CompiledBuild, ReadonlyMap<string, CollectionSurvey>>();

/** Surveys the collections of a build: `characters` and each dataset. Cached. */
export function surveyAttributes(build: CompiledBuild): ReadonlyMap<string, CollectionSurvey> {
  const known = surveys.get(build);
  if (known) return known;
  const { characters, datasets } = build;
  const survey = new Map<string, CollectionSurvey>();
  surveys.set(build, survey);
  for (const list of [{ key: 'characters', kind: 'list' as const, records: characters }, ...datasets]) {
    const records = list.kind === 'list' ? list.records.map(({ record }) => record) : [list.object];
    survey.set(list.key, surveyRecords(records));
  }
  return survey;
}

/** Visits the attributes of a survey, an object before its members. @param visit returns whether to visit the members */
export function visitSurvey(
  attributes: ReadonlyMap<string, Surveyed>,
  visit: (attribute: Surveyed) => boolean,
): void {
  for (const attribute of attributes.values()) if (visit(attribute)) visitSurvey(attribute.inside, visit);
}

/**
 * Surveys the attributes of records and of the objects inside them, also inside lists. An attribute with a dot in its name could not be distinguished
 * from a nested one and is left out, as are attributes beyond `MAX_ATTRIBUTES`.
 */
export function surveyRecords(records: readonly JsonObject[]): CollectionSurvey {
  const visits = new Survey();
  for (const [row, record] of records.entries()) visits.visitRecord(record, row);
  return { records: records.length, attributes: visits.attributes };
}

class Survey {
  readonly attributes = new Map<string, Surveyed>();
  #count = 0;
  #row = 0;
  /** The last row in which an attribute or a value inside lists was counted: each record counts once. */
  readonly #lastRows = new Map<Surveyed, Map<Scalar | undefined, number>>();

  visitRecord(record: JsonObject, row: number): void {
    this.#row = row;
    this.#visitObject(this.attributes, '', record, false);
  }

  #visitObject(attributes: Map<string, Surveyed>, prefix: string, object: JsonObject, listed: boolean): void {
    for (const name of Object.keys(object)) {
      const attribute = attributes.get(name) ?? this.#add(attributes, prefix, name);
      if (attribute) this.#visit(attribute, object[name] ?? null, listed);
    }
  }

  #add(attributes: Map<string, Surveyed>, prefix: string, name: string): Surveyed | undefined {
    if (name.includes('.') || this.#count === MAX_ATTRIBUTES) return undefined;
    this.#count++;
    const attribute: Surveyed = {
      key: prefix + name,
      type: undefined,
      ...{ list: false, nullable: false, owners: 0, count: 0, objects: 0 },
      values: new Map(),
      inside: new Map(),
    };
    attributes.set(name, attribute);
    return attribute;
  }

  #visit(attribute: Surveyed, value: Json, listed: boolean): void {
    attribute.owners++;
    if (value === null) attribute.nullable = true;
    else if (!Array.isArray(value)) this.#visitValue(attribute, value, listed);
    else {
      attribute.list = true;
      if (value.includes(null)) attribute.nullable = true;
      for (const element of value) this.#visitValue(attribute, element, true);
    }
  }

  #visitValue(attribute: Surveyed, value: Json, listed: boolean): void {
    if (value === null) return;
    const type = typeOf(value);
    attribute.type = attribute.type === undefined ? type : widen(attribute.type, type);
    if (!listed || this.#isFirst(attribute, undefined)) attribute.count++;
    if (isObject(value)) {
      attribute.objects++;
      this.#visitObject(attribute.inside, `${attribute.key}.`, value, listed);
    } else if (!Array.isArray(value) && (!listed || this.#isFirst(attribute, value))) {
      attribute.values.set(value, (attribute.values.get(value) ?? 0) + 1);
    }
  }

  /** Whether a value is the first of its kind in its record; if it is undefined, whether any value is. */
  #isFirst(attribute: Surveyed, value: Scalar | undefined): boolean {
    const rows = this.#lastRows.get(attribute) ?? new Map<Scalar | undefined, number>();
    if (rows.get(value) === this.#row) return false;
    this.#lastRows.set(attribute, rows.set(value, this.#row));
    return true;
  }
}

function typeOf(value: Exclude<Json, null>): AttributeType {
  if (Array.isArray(value)) return 'any';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

function widen(a: AttributeType, b: AttributeType): AttributeType {
  if (a === b) return a;
  const isNumber = (type: AttributeType) => type === 'integer' || type === 'number';
  return isNumber(a) && isNumber(b) ? 'number' : 'any';
}

/** If an attribute is not a closed set, its values are listed only up to this number. */
const MAX_VALUES = 50;
/** A longer text is neither a choice nor an example. */
const MAX_TEXT = 100;
const MAX_EXAMPLES = 3;

/** Returns the attribute dictionary of a compiled build. */
export function describeBuild(build: CompiledBuild): AttributeDictionary {
  const { attributes } = build.source.definition;
  return Object.fromEntries(
    [...surveyAttributes(build)].map(([name, survey]) => [
      name,
      describeCollection(survey, attributes, name),
    ]),
  );
}

/**
 * Describes the attributes of a collection.
 *
 * @param definitions of game.json
 * @param name `characters` or the key of a dataset
 */
export function describeCollection(
  { records, attributes: surveyed }: CollectionSurvey,
  definitions: AttributeDefinitions | undefined,
  name: string,
): CollectionAttributes {
  const definitionsOf = new DefinitionsOf(definitions, name);
  const attributes: Attribute[] = [];
  const describeAll = (surveyed: ReadonlyMap<string, Surveyed>, objects: number, level?: string): void => {
    for (const attribute of inOrder(surveyed)) {
      const definition = { ...(level && { level }), ...definitionsOf.find(attribute.key) };
      attributes.push(describeAttribute(attribute, definition, objects));
      describeAll(attribute.inside, attribute.objects, definition.level);
    }
  };
  describeAll(surveyed, records);
  return { records, attributes };
}

/** Sorts `id` and `name` first, then in natural order. */
function inOrder(surveyed: ReadonlyMap<string, Surveyed>): Surveyed[] {
  const rank = (name: string) => (name === 'id' ? 0 : name === 'name' ? 1 : 2);
  return [...surveyed]
    .sort(([a], [b]) => rank(a) - rank(b) || compareNatural(a, b))
    .map(([, attribute]) => attribute);
}

function describeAttribute(
  surveyed: Surveyed,
  { values: defined, kind, ...definition }: AttributeDefinition,
  objects: number,
): Attribute {
  const { key, type, list, nullable, owners, count } = surveyed;
  const kinds = kindOf(surveyed, kind, definition.ref);
  return {
    key,
    ...definition,
    ...(kinds && { kind: kinds }),
    ...(type && { type }),
    list,
    ...(owners < objects && { optional: true }),
    ...(nullable && { nullable }),
    count,
    ...(type !== 'object' && type !== undefined && describeValues(surveyed, defined, kinds)),
  };
}

function kindOf(
  { type }: Surveyed,
  kind: AttributeKind | undefined,
  ref: string | undefined,
): AttributeKind | undefined {
  if (kind) return kind;
  if (ref !== undefined) return 'reference';
  if (type === 'string') return 'text';
  return type === 'integer' || type === 'number' ? 'number' : undefined;
}

/** Kinds whose values nobody chooses from a list. */
const UNLISTED: ReadonlySet<AttributeKind | undefined> = new Set(['id', 'image', 'date']);

function describeValues(
  { key, values }: Surveyed,
  defined: RawValues | undefined,
  kind: AttributeKind | undefined,
): Partial<Attribute> {
  const distinct = [...values.keys()];
  const numbers = distinct.filter((value) => typeof value === 'number');
  const range = numbers.length > 0 && { min: Math.min(...numbers), max: Math.max(...numbers) };
  const isShort = (value: Scalar) => typeof value !== 'string' || value.length <= MAX_TEXT;
  const isListed =
    defined !== undefined ||
    (distinct.length <= MAX_VALUES &&
      distinct.every(isShort) &&
      !UNLISTED.has(kind) &&
      !/^name(_|$)/.test(key));
  if (!isListed) {
    const examples = distinct.filter(isShort).slice(0, MAX_EXAMPLES);
    return { distinct: distinct.length, ...range, ...(examples.length > 0 && { examples }) };
  }
  return {
    ...(defined !== undefined && { closed: true }),
    distinct: distinct.length,
    ...range,
    values: listValues(values, defined),
  };
}

function listValues(values: ReadonlyMap<Scalar, number>, defined: RawValues | undefined): AttributeValue[] {
  const labels = labelsOf(defined);
  return [...values]
    .sort(([a], [b]) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : compareNatural(String(a), String(b)),
    )
    .map(([value, count]) => ({ value, ...labels.get(String(value)), count }));
}

/** The labels of values, by the values as text. */
function labelsOf(defined: RawValues | undefined): ReadonlyMap<string, Labels> {
  if (defined === undefined || Array.isArray(defined)) return new Map();
  return new Map(
    Object.entries(defined).map(([value, label]) => [
      value,
      typeof label === 'string' ? { label } : (label as Labels),
    ]),
  );
}
