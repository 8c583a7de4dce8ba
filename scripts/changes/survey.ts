import { isMixed, type Kind, kindOf, LIST } from '../check/rules.ts';
import type { CompiledBuild } from '../compile/compile-build.ts';
import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, parseRecord } from '../format/dist-format.ts';
import {
  findTextFault,
  isModelName,
  isShownName,
  isWrittenIn,
  type Language,
  languageOf,
  type TextFault,
} from './texts.ts';

// One pass over all values of a build, whose result all checks share.

/** A value that contains no others. */
export type Scalar = string | number | boolean;

/** How many texts have a property, the first such record's position, and its text. */
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
  /** The kind of its first value; 0 if all values are null or empty lists. */
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
  language: Language | undefined;
  /** Texts that are not in a script of their language. */
  foreign: TextExample | undefined;
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
  /** Whether names contain dots: then dotted keys are ambiguous. */
  hasDots: boolean;
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

export function surveyBuild({ source, characters, datasets }: CompiledBuild): Survey {
  const recordsOf = (records: readonly { record: JsonObject }[]) => records.map(({ record }) => record);
  return surveyOf(source.build, [
    surveyList('characters', 'list', recordsOf(characters), source.language),
    ...datasets.map((dataset) =>
      dataset.kind === 'list'
        ? surveyList(dataset.key, 'list', recordsOf(dataset.records), source.language)
        : surveyList(dataset.key, 'object', [dataset.object], source.language),
    ),
  ]);
}

/** Surveys an encoded build. */
export function surveyContent({ build, characters, datasets }: BuildContent): Survey {
  return surveyOf(build, [
    surveyList('characters', 'list', characters.map(parseRecord)),
    ...[...datasets].map(([key, dataset]) =>
      dataset.kind === 'list'
        ? surveyList(key, 'list', dataset.records.map(parseRecord))
        : surveyList(key, 'object', [parseRecord(dataset.text)]),
    ),
  ]);
}

function surveyOf(build: string, lists: readonly List[]): Survey {
  return { build, lists: new Map(lists.map((list) => [list.list, list])) };
}

function surveyList(
  list: string,
  kind: List['kind'],
  records: readonly JsonObject[],
  language?: string,
): List {
  const { fields, hasMixedKinds, hasDots } = new Surveyor(records, language);
  const attributes = new Map([...fields].filter(([, { isListed }]) => !isListed));
  const hasIds = kind === 'list' && records.every(({ id }) => typeof id === 'string');
  const byId = hasIds ? new Map(records.map((record) => [String(record.id), record])) : undefined;
  return { list, kind, records, byId, fields, attributes, hasMixedKinds, hasDots };
}

/** An attribute during the survey, with its members. */
interface Node {
  field: SurveyedAttribute;
  /** The kind of its first value, also of an empty list. */
  kind: Kind;
  isShown: boolean;
  inside: Map<string, Node>;
}

class Surveyor {
  hasDots = false;
  hasMixedKinds = false;
  readonly #root = makeNode([], undefined);
  readonly #language: Language | undefined;
  #at = 0;

  /** @param language of `name` */
  constructor(records: readonly JsonObject[], language?: string) {
    this.#language = language === undefined ? undefined : languageOf(`name_${language}`);
    for (const [at, record] of records.entries()) {
      this.#at = at;
      this.#visitObject(this.#root, record, false);
    }
  }

  get fields(): Map<string, SurveyedAttribute> {
    const fields = new Map<string, SurveyedAttribute>();
    const collect = ({ inside }: Node): void => {
      for (const node of inside.values()) {
        fields.set(node.field.key, node.field);
        collect(node);
      }
    };
    collect(this.#root);
    return fields;
  }

  #visitObject(parent: Node, object: JsonObject, isListed: boolean): void {
    for (const name of Object.keys(object)) {
      const node = parent.inside.get(name) ?? this.#add(parent, name);
      const value = object[name] ?? null;
      this.#visitKind(node, value);
      if (!isListed) this.#visitAttribute(node, value);
      this.#visitValue(node, value, isListed, object);
    }
  }

  #add(parent: Node, name: string): Node {
    if (name.includes('.')) this.hasDots = true;
    const path = [...parent.field.path, name];
    const isOwn = path.length === 1 && name === 'name';
    const node = makeNode(path, isOwn ? this.#language : languageOf(name), this.#at);
    parent.inside.set(name, node);
    return node;
  }

  #visitAttribute(node: Node, value: Json): void {
    const { field } = node;
    if (field.isListed && field.kind === 0) field.first = this.#at;
    field.isListed = false;
    if (!isEmpty(value)) field.filled++;
  }

  #visitKind(node: Node, value: Json): void {
    const kind = kindOf(value);
    if (kind === 0 || kind === node.kind || (kind === LIST && node.kind > LIST)) return;
    const isKnown = node.kind !== 0 && !(node.kind === LIST && kind > LIST);
    if (isKnown || isMixed(kind)) this.hasMixedKinds = true;
    if (!isKnown) node.kind = kind;
    if (node.field.kind !== 0 || kind === LIST) return;
    node.field.kind = kind;
    node.field.first = this.#at;
  }

  #visitValue(node: Node, value: Json, isListed: boolean, owner: JsonObject): void {
    if (Array.isArray(value)) for (const element of value) this.#visitValue(node, element, true, owner);
    else if (isObject(value)) this.#visitObject(node, value, isListed);
    else if (typeof value === 'number') this.#visitNumber(node, value);
    else if (typeof value === 'string') this.#visitText(node, value, owner);
  }

  #visitNumber({ field, isShown }: Node, value: number): void {
    field.numbers++;
    if (value === 0) field.zeros++;
    else if (value === -1) field.minusOnes++;
    else if (value >= 9999 && value % 10_000 === 9999 && /^9+$/.test(String(value))) field.nines++;
    if (value < field.min) field.min = value;
    if (value > field.max) field.max = value;
    addChoice(field, value);
    if (isShown && findTextFault(String(value), true)) addFault(field, 'unresolved', this.#at, String(value));
  }

  #visitText({ field, isShown }: Node, text: string, owner: JsonObject): void {
    field.texts++;
    addChoice(field, text);
    if (text === '') return;
    const fault = findTextFault(text, isShown);
    if (fault) addFault(field, fault, this.#at, text);
    const { language, key } = field;
    if (!language || isWrittenIn(text, language.scripts) !== false) return;
    // The name of a model is the same in all languages.
    if (isModelName(text) && (key === 'name' || text === ownValue(owner, language.base))) return;
    if (field.foreign) field.foreign.count++;
    else field.foreign = { count: 1, record: this.#at, text };
  }
}

function makeNode(path: readonly string[], language: Language | undefined, first = 0): Node {
  const field: SurveyedAttribute = {
    ...{ key: path.join('.'), path, isListed: true, kind: 0, first, filled: 0 },
    ...{ numbers: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
    ...{ zeros: 0, minusOnes: 0, nines: 0, texts: 0, choices: new Set<Scalar>() },
    ...{ faults: new Map(), language, foreign: undefined },
  };
  return { field, kind: 0, isShown: isShownName(path.at(-1) ?? ''), inside: new Map() };
}

function addChoice(field: SurveyedAttribute, value: Scalar): void {
  field.choices?.add(value);
  if (field.choices && field.choices.size > MAX_CHOICES) field.choices = undefined;
}

function addFault({ faults }: SurveyedAttribute, fault: TextFault, record: number, text: string): void {
  const known = faults.get(fault);
  if (known) known.count++;
  else faults.set(fault, { count: 1, record, text });
}
