import type { CompiledBuild } from '../compile/compile-build.ts';
import type { AttributeType, Scalar } from '../format/attributes.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';

/** What the records of a collection have in one attribute, and the attributes inside it. */
export interface Surveyed {
  key: string;
  /** Undefined if there is no value. */
  type: AttributeType | undefined;
  list: boolean;
  nullable: boolean;
  /** How many of the objects that it is a part of have it. */
  owners: number;
  /** How many records have a value. */
  count: number;
  /** How many records have each value. */
  values: Map<Scalar, number>;
  /** How many objects it is in all records: what `owners` of the attributes inside it is compared with. */
  objects: number;
  inside: Map<string, Surveyed>;
}

/** The maximum number of attributes of a collection, those inside lists included. */
export const MAX_ATTRIBUTES = 2000;

/** The attributes of a collection by name, and the number of its records; of one object, 1. */
export interface CollectionSurvey {
  records: number;
  attributes: ReadonlyMap<string, Surveyed>;
}

const surveys = new WeakMap<CompiledBuild, ReadonlyMap<string, CollectionSurvey>>();

/** Surveys the collections of a build, once: `characters` and each dataset. */
export function surveyBuild(build: CompiledBuild): ReadonlyMap<string, CollectionSurvey> {
  const known = surveys.get(build);
  if (known) return known;
  const recordsOf = (records: readonly { record: JsonObject }[]) => records.map(({ record }) => record);
  const survey = new Map([['characters', surveyRecords(recordsOf(build.characters))]]);
  for (const dataset of build.datasets) {
    const records = dataset.kind === 'list' ? recordsOf(dataset.records) : [dataset.object];
    survey.set(dataset.key, surveyRecords(records));
  }
  surveys.set(build, survey);
  return survey;
}

/** Visits the attributes of a survey, an object before those inside it. @param visit returns whether to visit those inside */
export function visitSurvey(
  attributes: ReadonlyMap<string, Surveyed>,
  visit: (attribute: Surveyed) => boolean,
): void {
  for (const attribute of attributes.values()) if (visit(attribute)) visitSurvey(attribute.inside, visit);
}

/**
 * Surveys the attributes of records, and those of the objects inside them, also inside lists. What has a dot in its name cannot be told from
 * an attribute inside another, and is left out, as is what exceeds `MAX_ATTRIBUTES`.
 */
export function surveyRecords(records: readonly JsonObject[]): CollectionSurvey {
  const survey = new Survey();
  for (const [row, record] of records.entries()) survey.visitRecord(record, row);
  return { records: records.length, attributes: survey.attributes };
}

class Survey {
  readonly attributes = new Map<string, Surveyed>();
  #count = 0;
  /** The last row in which an attribute or a value was counted: each record counts once. */
  readonly #lastRows = new Map<Surveyed, Map<Scalar | undefined, number>>();

  visitRecord(record: JsonObject, row: number): void {
    this.#visitObject(this.attributes, '', record, row);
  }

  #visitObject(attributes: Map<string, Surveyed>, prefix: string, object: JsonObject, row: number): void {
    for (const name of Object.keys(object)) {
      const attribute = attributes.get(name) ?? this.#add(attributes, prefix, name);
      if (attribute) this.#visit(attribute, object[name] ?? null, row);
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
    this.#lastRows.set(attribute, new Map());
    return attribute;
  }

  #visit(attribute: Surveyed, value: Json, row: number): void {
    attribute.owners++;
    if (value === null) attribute.nullable = true;
    else if (!Array.isArray(value)) this.#visitValue(attribute, value, row);
    else {
      attribute.list = true;
      if (value.includes(null)) attribute.nullable = true;
      for (const element of value) this.#visitValue(attribute, element, row);
    }
  }

  #visitValue(attribute: Surveyed, value: Json, row: number): void {
    if (value === null) return;
    const type = typeOf(value);
    attribute.type = attribute.type === undefined ? type : widen(attribute.type, type);
    if (this.#isFirst(attribute, undefined, row)) attribute.count++;
    if (isObject(value)) {
      attribute.objects++;
      this.#visitObject(attribute.inside, `${attribute.key}.`, value, row);
    } else if (!Array.isArray(value) && this.#isFirst(attribute, value, row)) {
      attribute.values.set(value, (attribute.values.get(value) ?? 0) + 1);
    }
  }

  /** Whether a value, or any value if it is undefined, is the first of its record. */
  #isFirst(attribute: Surveyed, value: Scalar | undefined, row: number): boolean {
    const rows = this.#lastRows.get(attribute) as Map<Scalar | undefined, number>;
    if (rows.get(value) === row) return false;
    rows.set(value, row);
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
