import type { CollectionSurvey, Surveyed } from '../changes/survey.ts';
import { isMixed, type Kind, kindOfValue, LIST } from '../check/rules.ts';
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
import { type CompiledBuild, rankOf } from './compile-build.ts';

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

/** The maximum number of attributes of a collection in the dictionary, including those inside lists. */
const MAX_ATTRIBUTES = 2000;

const surveys = new WeakMap<CompiledBuild, ReadonlyMap<string, CollectionSurvey>>();

/** Surveys the collections of a build: `characters` and each dataset. Cached. */
export function surveyAttributes(build: CompiledBuild): ReadonlyMap<string, CollectionSurvey> {
  const known = surveys.get(build);
  if (known) return known;
  const survey = new Map<string, CollectionSurvey>();
  surveys.set(build, survey);
  for (const { key, records } of collectionsOf(build)) survey.set(key, surveyRecords(records));
  return survey;
}

/** The records of each collection of a build; an object is one record. */
export function collectionsOf({ characters, datasets }: CompiledBuild) {
  const lists = [{ key: 'characters', kind: 'list' as const, records: characters }, ...datasets];
  return lists.map((list) => {
    const records = list.kind === 'list' ? list.records.map(({ record }) => record) : [list.object];
    return { key: list.key, kind: list.kind, records };
  });
}

/** Visits the described attributes of a survey, an object before its members. @param visit returns whether to visit the members */
export function visitSurvey(
  attributes: ReadonlyMap<string, Surveyed>,
  visit: (attribute: Surveyed) => boolean,
): void {
  for (const attribute of attributes.values())
    if (attribute.isDescribed && visit(attribute)) visitSurvey(attribute.inside, visit);
}

/** Whether a value is empty, as from a broken source: null, zero, an empty text, or a list or object of empty values. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  if (Array.isArray(value)) return value.every((element) => element === null || element === '');
  return isObject(value) && Object.keys(value).length === 0;
}

/** Surveys the attributes of records and of the objects inside them, also inside lists, in one pass over all values. */
export function surveyRecords(records: readonly JsonObject[]): CollectionSurvey {
  const surveyor = new Surveyor();
  for (const record of records) surveyor.visit(record);
  const { attributes, hasMixedKinds } = surveyor;
  return { records: records.length, attributes, hasMixedKinds };
}

class Surveyor {
  hasMixedKinds = false;
  readonly attributes = new Map<string, Surveyed>();
  #described = 0;
  #at = 0;

  visit(record: JsonObject): void {
    this.#visitObject(undefined, record, false, false);
    this.#at++;
  }

  #visitObject(parent: Surveyed | undefined, object: JsonObject, isListed: boolean, isNested: boolean): void {
    const inside = parent?.inside ?? this.attributes;
    for (const name of Object.keys(object)) {
      const attribute = inside.get(name) ?? this.#make(parent, name, isNested);
      if (attribute.owners === 0) inside.set(name, attribute);
      const value = object[name] ?? null;
      this.#visitKind(attribute, kindOfValue(value));
      attribute.owners++;
      if (!isListed) {
        attribute.isListed = false;
        if (!isEmpty(value)) attribute.filled++;
      }
      if (!Array.isArray(value)) this.#visitValue(attribute, value, isListed, isNested);
      else for (const element of value) this.#visitValue(attribute, element, true, isNested);
    }
  }

  #make(parent: Surveyed | undefined, name: string, isNested: boolean): Surveyed {
    const path = [...(parent?.path ?? []), name];
    const isUsual = !isNested && !name.includes('.') && this.#described < MAX_ATTRIBUTES;
    const isDescribed = isUsual && parent?.isDescribed !== false;
    if (isDescribed) this.#described++;
    return {
      // A name with a dot is quoted: it would look like two.
      key: path.map((each) => (each.includes('.') ? JSON.stringify(each) : each)).join('.'),
      path,
      isDescribed,
      isListed: true,
      kind: 0,
      first: this.#at,
      kinds: 0,
      nullable: false,
      owners: 0,
      count: 0,
      filled: 0,
      last: -1,
      objects: 0,
      values: new Map(),
      inside: new Map(),
    };
  }

  #visitKind(attribute: Surveyed, kind: Kind): void {
    attribute.kinds |= kind;
    if (kind === 0 || kind === attribute.kind || (kind === LIST && attribute.kind > LIST)) return;
    const isKnown = attribute.kind !== 0 && !(attribute.kind === LIST && kind > LIST);
    if (isKnown || isMixed(kind)) this.hasMixedKinds = true;
    if (isKnown) return;
    attribute.kind = kind;
    attribute.first = this.#at;
  }

  #visitValue(attribute: Surveyed, value: Json, isListed: boolean, isNested: boolean): void {
    if (value === null) {
      attribute.nullable ||= !isNested;
      return;
    }
    if (attribute.last !== this.#at) attribute.count++;
    attribute.last = this.#at;
    if (Array.isArray(value)) for (const each of value) this.#visitValue(attribute, each, true, true);
    else if (isObject(value)) {
      attribute.objects++;
      this.#visitObject(attribute, value, isListed, isNested);
    } else this.#visitScalar(attribute, value, isNested);
  }

  #visitScalar({ values }: Surveyed, value: Scalar, isNested: boolean): void {
    const known = values.get(value) ?? { count: 0, times: 0, first: this.#at, last: -1 };
    if (known.times === 0) values.set(value, known);
    known.times++;
    if (isNested || known.last === this.#at) return;
    known.count++;
    known.last = this.#at;
  }
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
  const describeAll = (surveyed: ReadonlyMap<string, Surveyed>, objects: number, level?: string): void => {
    const ordered = [...surveyed]
      .filter(([, { isDescribed }]) => isDescribed)
      .sort(([a], [b]) => rankOf(a) - rankOf(b) || compareNatural(a, b));
    for (const [, attribute] of ordered) {
      const definition = { ...(level && { level }), ...find(attribute.key) };
      attributes.push(describeAttribute(attribute, definition, objects));
      describeAll(attribute.inside, attribute.objects, definition.level);
    }
  };
  describeAll(surveyed, records);
  return { records, attributes };
}

/** By the bits of a kind (check/rules.ts). */
const TYPES = ['boolean', 'any', 'number', 'object', 'string'] as const;

/** The type of an attribute's values, or of the elements of its lists; undefined if there is no value. */
function typeOf({ kinds, values }: Surveyed): AttributeType | undefined {
  const [type, other] = TYPES.filter((_, at) => kinds & (1 << at));
  if (other) return 'any';
  return type === 'number' && [...values.keys()].every(Number.isInteger) ? 'integer' : type;
}

function describeAttribute(
  surveyed: Surveyed,
  { values: defined, kind: said, ...definition }: AttributeDefinition,
  objects: number,
): Attribute {
  const { key, kinds, nullable, owners, count } = surveyed;
  const type = typeOf(surveyed);
  const usual = type === 'string' ? 'text' : type === 'integer' || type === 'number' ? 'number' : undefined;
  const kind = said ?? (definition.ref === undefined ? usual : 'reference');
  return {
    key,
    ...definition,
    ...(kind && { kind }),
    ...(type && { type }),
    list: kinds >= LIST,
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
  const counted = [...values].flatMap(([value, { count }]) => (count > 0 ? [{ value, count }] : []));
  const distinct = counted.map(({ value }) => value);
  const numbers = distinct.filter((value) => typeof value === 'number');
  const known = {
    distinct: distinct.length,
    // There may be more numbers than a call can have arguments.
    ...(numbers.length > 0 && { min: numbers.reduce((a, b) => Math.min(a, b)) }),
    ...(numbers.length > 0 && { max: numbers.reduce((a, b) => Math.max(a, b)) }),
  };
  const short = distinct.filter((value) => typeof value !== 'string' || value.length <= MAX_TEXT);
  // Nobody chooses ids, names, images and dates from a list.
  const isChosen = !['id', 'image', 'date'].includes(kind ?? '') && !/^name(_|$)/.test(key);
  if (!defined && !(isChosen && distinct.length <= MAX_VALUES && short.length === distinct.length)) {
    const examples = short.slice(0, MAX_EXAMPLES);
    return { ...known, ...(examples.length > 0 && { examples }) };
  }
  const labels = new Map(Object.entries(Array.isArray(defined) ? {} : (defined ?? {})));
  const listed = counted
    .sort(({ value: a }, { value: b }) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : compareNatural(String(a), String(b)),
    )
    .map(({ value, count }) => {
      const label = labels.get(String(value));
      return { value, ...(typeof label === 'string' ? { label } : label), count };
    });
  return { ...(defined && { closed: true as const }), ...known, values: listed };
}
