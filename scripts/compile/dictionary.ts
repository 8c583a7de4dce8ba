import type {
  Attribute,
  AttributeDictionary,
  AttributeType,
  CollectionAttributes,
  Scalar,
} from '../format/attributes.ts';
import { compareNatural, isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import {
  type AttributeDefinition,
  type AttributeDefinitions,
  EVERY_COLLECTION,
} from '../read/game-schema.ts';
import type { CompiledBuild } from './compile-build.ts';

const ANY_NAME = '*';

/**
 * Returns a function that finds the definition of an attribute in game.json. A definition for its key precedes one for a pattern, and one for its
 * collection precedes one for all lists.
 *
 * @param collection `characters` or the key of a dataset
 */
export function definitionsOf(
  definitions: AttributeDefinitions = {},
  collection: string,
): (key: string) => AttributeDefinition | undefined {
  const layers = [collection, EVERY_COLLECTION].map((name) => ownValue(definitions, name) ?? {});
  const patterns = layers
    .flatMap((layer) => Object.entries(layer))
    .filter(([key]) => key.includes(ANY_NAME))
    .map(([key, definition]) => ({ steps: key.split('.'), definition }));
  return (key) => {
    const exact = layers.find((layer) => Object.hasOwn(layer, key));
    if (exact || patterns.length === 0) return exact?.[key];
    const names = key.split('.');
    const isMatch = ({ steps }: { steps: readonly string[] }) =>
      steps.length === names.length &&
      steps.every((step, index) => step === ANY_NAME || step === names[index]);
    return patterns.find(isMatch)?.definition;
  };
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
  let count = 0;
  let row = 0;
  // The last row in which an attribute or a value inside lists was counted: each record counts once.
  const lastRows = new Map<Surveyed, Map<Scalar | undefined, number>>();
  const isFirst = (attribute: Surveyed, value: Scalar | undefined): boolean => {
    const rows = lastRows.get(attribute);
    if (rows === undefined) lastRows.set(attribute, new Map([[value, row]]));
    else if (rows.get(value) === row) return false;
    else rows.set(value, row);
    return true;
  };
  const visitObject = (
    attributes: Map<string, Surveyed>,
    prefix: string,
    object: JsonObject,
    listed: boolean,
  ) => {
    for (const name of Object.keys(object)) {
      let attribute = attributes.get(name);
      if (attribute === undefined) {
        if (name.includes('.') || count === MAX_ATTRIBUTES) continue;
        count++;
        attribute = {
          key: prefix + name,
          type: undefined,
          ...{ list: false, nullable: false, owners: 0, count: 0, objects: 0 },
          values: new Map(),
          inside: new Map(),
        };
        attributes.set(name, attribute);
      }
      const value = object[name] ?? null;
      attribute.owners++;
      if (!Array.isArray(value)) visitValue(attribute, value, listed);
      else {
        attribute.list = true;
        for (const element of value) visitValue(attribute, element, true);
      }
    }
  };
  const visitValue = (attribute: Surveyed, value: Json, listed: boolean) => {
    if (value === null) {
      attribute.nullable = true;
      return;
    }
    const type = typeOf(value);
    attribute.type = attribute.type === undefined ? type : widen(attribute.type, type);
    if (!listed || isFirst(attribute, undefined)) attribute.count++;
    if (isObject(value)) {
      attribute.objects++;
      visitObject(attribute.inside, `${attribute.key}.`, value, listed);
    } else if (!Array.isArray(value) && (!listed || isFirst(attribute, value))) {
      attribute.values.set(value, (attribute.values.get(value) ?? 0) + 1);
    }
  };
  const attributes = new Map<string, Surveyed>();
  for (const record of records) {
    visitObject(attributes, '', record, false);
    row++;
  }
  return { records: records.length, attributes };
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
export function describeAttributes(build: CompiledBuild): AttributeDictionary {
  const { attributes } = build.source.definition;
  const collections = [...surveyAttributes(build)];
  return Object.fromEntries(
    collections.map(([name, survey]) => [name, describeCollection(survey, attributes, name)]),
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
  const find = definitionsOf(definitions, name);
  const attributes: Attribute[] = [];
  const rank = (name: string) => (name === 'id' ? 0 : name === 'name' ? 1 : 2);
  const describeAll = (surveyed: ReadonlyMap<string, Surveyed>, objects: number, level?: string): void => {
    const ordered = [...surveyed].sort(([a], [b]) => rank(a) - rank(b) || compareNatural(a, b));
    for (const [, attribute] of ordered) {
      const definition = { ...(level && { level }), ...find(attribute.key) };
      attributes.push(describeAttribute(attribute, definition, objects));
      describeAll(attribute.inside, attribute.objects, definition.level);
    }
  };
  describeAll(surveyed, records);
  return { records, attributes };
}

function describeAttribute(
  surveyed: Surveyed,
  { values: defined, kind: said, ...definition }: AttributeDefinition,
  objects: number,
): Attribute {
  const { key, type, list, nullable, owners, count } = surveyed;
  const usual = type === 'string' ? 'text' : type === 'integer' || type === 'number' ? 'number' : undefined;
  const kind = said ?? (definition.ref === undefined ? usual : 'reference');
  return {
    key,
    ...definition,
    ...(kind && { kind }),
    ...(type && { type }),
    list,
    ...(owners < objects && { optional: true }),
    ...(nullable && { nullable }),
    count,
    ...(type !== 'object' && type !== undefined && describeValues(surveyed, defined, kind)),
  };
}

function describeValues(
  { key, values }: Surveyed,
  defined: AttributeDefinition['values'],
  kind: Attribute['kind'],
): Partial<Attribute> {
  const distinct = [...values.keys()];
  const numbers = distinct.filter((value) => typeof value === 'number');
  const known = {
    distinct: distinct.length,
    ...(numbers.length > 0 && { min: Math.min(...numbers), max: Math.max(...numbers) }),
  };
  const short = distinct.filter((value) => typeof value !== 'string' || value.length <= MAX_TEXT);
  // Nobody chooses ids, names, images and dates from a list.
  const isChosen = !['id', 'image', 'date'].includes(kind ?? '') && !/^name(_|$)/.test(key);
  if (!defined && !(isChosen && distinct.length <= MAX_VALUES && short.length === distinct.length)) {
    const examples = short.slice(0, MAX_EXAMPLES);
    return { ...known, ...(examples.length > 0 && { examples }) };
  }
  const labels = new Map(Object.entries(Array.isArray(defined) ? {} : (defined ?? {})));
  const listed = [...values]
    .sort(([a], [b]) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : compareNatural(String(a), String(b)),
    )
    .map(([value, count]) => {
      const label = labels.get(String(value));
      return { value, ...(typeof label === 'string' ? { label } : label), count };
    });
  return { ...(defined && { closed: true as const }), ...known, values: listed };
}
