import { isMixed, type Kind, kindOfValue, LIST } from '../check/rules.ts';
import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Scalar } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, parseRecord } from '../format/dist-format.ts';
import { findTextFault, isShownName, type TextFault } from './texts.ts';

// One pass over all values of a build, whose result all checks share.

/** A value that contains no others. */

/** How many texts have a fault, the first such record's position, and its text. */
export interface TextExample {
  count: number;
  record: number;
  text: string;
}

/** More distinct texts or numbers are not categories. */
const MAX_CHOICES = 40;

/** An attribute in all records of a list. */
export interface SurveyedAttribute {
  /** Dotted, without positions in lists. */
  key: string;
  path: readonly string[];
  /** Whether it is only inside lists. */
  isListed: boolean;
  /** The kind of its first value, rather of a list that is not empty; 0 if all values are null. */
  kind: Kind;
  /** The position of the record with that value, otherwise of the first record with the attribute. */
  first: number;
  /** How many records have a value that is not empty. */
  filled: number;
  numbers: number;
  min: number;
  max: number;
  zeros: number;
  /** How many numbers are -1, or consist of four or more nines: these usually stand for "none". */
  minusOnes: number;
  nines: number;
  texts: number;
  /** The distinct numbers and texts; undefined if there are more than 40. */
  choices: Set<Scalar> | undefined;
  faults: Map<TextFault, TextExample>;
  /** Whether its texts are names that people read. */
  isShown: boolean;
  inside: Map<string, SurveyedAttribute>;
}

/** The records of a list; an object is a list of one record. */
export interface List {
  /** `characters` or the key of the dataset. */
  list: string;
  kind: 'list' | 'object';
  records: readonly JsonObject[];
  /** By id; undefined if a record has none. */
  byId: ReadonlyMap<string, JsonObject> | undefined;
  /** The attributes by dotted key; an object precedes its members. */
  fields: ReadonlyMap<string, SurveyedAttribute>;
  /** The attributes that are not only inside lists. */
  attributes: ReadonlyMap<string, SurveyedAttribute>;
  hasMixedKinds: boolean;
}

/** The lists and objects of a build, by name. */
export interface Survey {
  build: string;
  lists: ReadonlyMap<string, List>;
}

/** Whether a value is empty, as from a broken source: null, zero, an empty text, or a list or object of empty values. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  if (Array.isArray(value)) return value.every((element) => element === null || element === '');
  return isObject(value) && Object.keys(value).length === 0;
}

/** The value at a path of names; undefined if it does not exist. */
export function valueAt(record: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** All values at a path of names, of all rows of the lists on it and at its end. */
export function valuesAt(records: readonly Json[], path: readonly string[]): Json[] {
  const within = (values: readonly Json[], name: string) =>
    values.flat().flatMap((value) => (isObject(value) ? (ownValue(value, name) ?? []) : []));
  return path.reduce<readonly Json[]>(within, records).flat();
}

export function surveyBuild({ source, characters, datasets }: CompiledBuild): Survey {
  const recordsOf = (records: readonly { record: JsonObject }[]) => records.map(({ record }) => record);
  const lists = datasets.map((dataset) =>
    dataset.kind === 'list'
      ? surveyList(dataset.key, 'list', recordsOf(dataset.records))
      : surveyList(dataset.key, 'object', [dataset.object]),
  );
  return surveyOf(source.build, [surveyList('characters', 'list', recordsOf(characters)), ...lists]);
}

/** Surveys an encoded build. */
export function surveyContent({ build, characters, datasets }: BuildContent): Survey {
  const lists = [...datasets].map(([key, dataset]) =>
    surveyList(
      key,
      dataset.kind,
      (dataset.kind === 'list' ? dataset.records : [dataset.text]).map(parseRecord),
    ),
  );
  return surveyOf(build, [surveyList('characters', 'list', characters.map(parseRecord)), ...lists]);
}

function surveyOf(build: string, lists: readonly List[]): Survey {
  return { build, lists: new Map(lists.map((list) => [list.list, list])) };
}

function surveyList(list: string, kind: List['kind'], records: readonly JsonObject[]): List {
  const surveyor = new Surveyor(records);
  const fields = new Map([...fieldsIn(surveyor.root)].map((field) => [field.key, field]));
  const attributes = new Map([...fields].filter(([, { isListed }]) => !isListed));
  const hasIds = kind === 'list' && records.every(({ id }) => typeof id === 'string');
  const byId = hasIds ? new Map(records.map((record) => [String(record.id), record])) : undefined;
  return { list, kind, records, byId, fields, attributes, hasMixedKinds: surveyor.hasMixedKinds };
}

function* fieldsIn({ inside }: SurveyedAttribute): Generator<SurveyedAttribute> {
  for (const field of inside.values()) {
    yield field;
    yield* fieldsIn(field);
  }
}

class Surveyor {
  hasMixedKinds = false;
  readonly root = makeField([], 0);
  #at = 0;

  constructor(records: readonly JsonObject[]) {
    for (const [at, record] of records.entries()) {
      this.#at = at;
      this.#visitObject(this.root, record, false);
    }
  }

  #visitObject(parent: SurveyedAttribute, object: JsonObject, isListed: boolean): void {
    for (const name of Object.keys(object)) {
      const field = parent.inside.get(name) ?? makeField([...parent.path, name], this.#at);
      parent.inside.set(name, field);
      const value = object[name] ?? null;
      this.#visitKind(field, kindOfValue(value));
      if (!isListed) {
        field.isListed = false;
        if (!isEmpty(value)) field.filled++;
      }
      this.#visitValue(field, value, isListed);
    }
  }

  #visitKind(field: SurveyedAttribute, kind: Kind): void {
    if (kind === 0 || kind === field.kind || (kind === LIST && field.kind > LIST)) return;
    const isKnown = field.kind !== 0 && !(field.kind === LIST && kind > LIST);
    if (isKnown || isMixed(kind)) this.hasMixedKinds = true;
    if (isKnown) return;
    field.kind = kind;
    field.first = this.#at;
  }

  #visitValue(field: SurveyedAttribute, value: Json, isListed: boolean): void {
    if (Array.isArray(value)) for (const element of value) this.#visitValue(field, element, true);
    else if (isObject(value)) this.#visitObject(field, value, isListed);
    else if (typeof value === 'number') this.#visitNumber(field, value);
    else if (typeof value === 'string') {
      field.texts++;
      addChoice(field, value);
      const fault = value === '' ? undefined : findTextFault(value, field.isShown);
      if (fault) this.#addFault(field, fault, value);
    }
  }

  #visitNumber(field: SurveyedAttribute, value: number): void {
    field.numbers++;
    if (value === 0) field.zeros++;
    else if (value === -1) field.minusOnes++;
    else if (value >= 9999 && value % 10_000 === 9999 && /^9+$/.test(String(value))) field.nines++;
    if (value < field.min) field.min = value;
    if (value > field.max) field.max = value;
    addChoice(field, value);
    if (field.isShown && findTextFault(String(value), true))
      this.#addFault(field, 'unresolved', String(value));
  }

  #addFault({ faults }: SurveyedAttribute, fault: TextFault, text: string): void {
    const known = faults.get(fault);
    if (known) known.count++;
    else faults.set(fault, { count: 1, record: this.#at, text });
  }
}

function makeField(path: readonly string[], first: number): SurveyedAttribute {
  // A name with a dot is quoted: it would look like two.
  const key = path.map((name) => (name.includes('.') ? JSON.stringify(name) : name)).join('.');
  return {
    ...{ key, path, isListed: true, kind: 0, first, filled: 0 },
    ...{ numbers: 0, zeros: 0, minusOnes: 0, nines: 0, texts: 0 },
    ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, choices: new Set<Scalar>() },
    ...{ faults: new Map(), isShown: isShownName(path.at(-1) ?? ''), inside: new Map() },
  };
}

function addChoice(field: SurveyedAttribute, value: Scalar): void {
  field.choices?.add(value);
  if (field.choices && field.choices.size > MAX_CHOICES) field.choices = undefined;
}
