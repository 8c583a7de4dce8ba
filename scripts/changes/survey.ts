import type { Kind } from '../check/rules.ts';
import type { CompiledBuild } from '../compile/compile-build.ts';
import { collectionsOf, surveyAttributes, surveyRecords } from '../compile/dictionary.ts';
import type { Scalar } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, parseRecord } from '../format/dist-format.ts';
import { findTextFault, isShownName, type TextFault } from './texts.ts';

export { isEmpty } from '../compile/dictionary.ts';

// The values of a build, whose survey (compile/dictionary.ts) all checks share.

/** Where a value of an attribute is. */
interface Occurrences {
  /** How many records have the value; lists inside lists do not count. */
  count: number;
  /** How often it occurs, everywhere. */
  times: number;
  /** The positions of the first and the last of the records. */
  first: number;
  last: number;
}

/** The occurrences of an attribute in the records of a collection, with the attributes inside it. */
export interface Surveyed {
  /** Dotted, without positions in lists. */
  key: string;
  path: readonly string[];
  /** Whether the dictionary has it. An attribute with a dot in its name could not be distinguished from a nested one. */
  isDescribed: boolean;
  /** Whether it is only inside lists. */
  isListed: boolean;
  /** The kind of its first value, rather of a list that is not empty; 0 if all values are null. */
  kind: Kind;
  /** The position of the record with that value, otherwise of the first record with the attribute. */
  first: number;
  /** The kinds of all its values together. */
  kinds: Kind;
  nullable: boolean;
  /** How many of the objects that may have the attribute do have it. */
  owners: number;
  /** How many records have a value, how many one that is not empty, and the last of them that has one. */
  count: number;
  filled: number;
  last: number;
  values: Map<Scalar, Occurrences>;
  /** How many objects the attribute is in all records; the `owners` of the attributes inside it are compared with this. */
  objects: number;
  inside: Map<string, Surveyed>;
}

/** The attributes of a collection by name, and its number of records; 1 for a single object. */
export interface CollectionSurvey {
  records: number;
  attributes: ReadonlyMap<string, Surveyed>;
  /** Whether an attribute has values of several kinds. */
  hasMixedKinds: boolean;
}

/** How many texts have a fault, the first such record's position, and its text. */
interface TextExample {
  count: number;
  record: number;
  text: string;
}

/** More distinct texts or numbers are not categories. */
const MAX_CHOICES = 40;

/** An attribute in all records of a list. */
export interface SurveyedAttribute extends Omit<Surveyed, 'values' | 'inside'> {
  numbers: number;
  min: number;
  max: number;
  zeros: number;
  /** How many numbers are -1, or consist of four or more nines: these usually stand for "none". */
  minusOnes: number;
  nines: number;
  texts: number;
  /** The distinct numbers and texts; undefined if there are more than 40. */
  choices: ReadonlySet<Scalar> | undefined;
  faults: Map<TextFault, TextExample>;
  /** Whether its texts are names that people read. */
  isShown: boolean;
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

/** The value at a path of names; undefined if it does not exist. */
export function valueAt(record: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function surveyBuild(build: CompiledBuild): Survey {
  const surveys = surveyAttributes(build);
  const lists = collectionsOf(build).map(({ key, kind, records }) =>
    describeList(key, kind, records, surveys.get(key)),
  );
  return surveyOf(build.source.build, lists);
}

/** Surveys an encoded build. */
export function surveyContent({ build, characters, datasets }: BuildContent): Survey {
  const all = [['characters', { kind: 'list', records: characters }] as const, ...datasets];
  const lists = all.map(([key, dataset]) => {
    const texts = dataset.kind === 'list' ? dataset.records : [dataset.text];
    return describeList(key, dataset.kind, texts.map(parseRecord));
  });
  return surveyOf(build, lists);
}

function surveyOf(build: string, lists: readonly List[]): Survey {
  return { build, lists: new Map(lists.map((list) => [list.list, list])) };
}

function describeList(
  list: string,
  kind: List['kind'],
  records: readonly JsonObject[],
  { attributes: surveyed, hasMixedKinds } = surveyRecords(records),
): List {
  const fields = new Map([...fieldsIn(surveyed)].map((field) => [field.key, field]));
  const attributes = new Map([...fields].filter(([, { isListed }]) => !isListed));
  const hasIds = kind === 'list' && records.every(({ id }) => typeof id === 'string');
  const byId = hasIds ? new Map(records.map((record) => [String(record.id), record])) : undefined;
  return { list, kind, records, byId, fields, attributes, hasMixedKinds };
}

function* fieldsIn(surveyed: ReadonlyMap<string, Surveyed>): Generator<SurveyedAttribute> {
  for (const each of surveyed.values()) {
    yield describeField(each);
    yield* fieldsIn(each.inside);
  }
}

/** Sums up the values of an attribute, each distinct one once. */
function describeField({ values, inside: _, ...surveyed }: Surveyed): SurveyedAttribute {
  const choices = [...values.keys()].filter((value) => typeof value !== 'boolean');
  const field: SurveyedAttribute = {
    ...surveyed,
    numbers: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    texts: 0,
    zeros: 0,
    minusOnes: 0,
    nines: 0,
    choices: choices.length > MAX_CHOICES ? undefined : new Set(choices),
    faults: new Map(),
    isShown: isShownName(surveyed.path.at(-1) ?? ''),
  };
  for (const [value, { times, first }] of values) {
    if (typeof value === 'boolean') continue;
    if (typeof value === 'number') addNumber(field, value, times);
    else field.texts += times;
    const fault =
      value === '' || (typeof value === 'number' && !field.isShown)
        ? undefined
        : findTextFault(String(value), field.isShown);
    const known = fault && field.faults.get(fault);
    if (known) known.count += times;
    else if (fault) field.faults.set(fault, { count: times, record: first, text: String(value) });
  }
  return field;
}

function addNumber(field: SurveyedAttribute, value: number, times: number): void {
  field.numbers += times;
  if (value === 0) field.zeros += times;
  else if (value === -1) field.minusOnes += times;
  else if (value >= 9999 && value % 10_000 === 9999 && /^9+$/.test(String(value))) field.nines += times;
  if (value < field.min) field.min = value;
  if (value > field.max) field.max = value;
}
