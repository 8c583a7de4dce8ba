import { kindCode, kindOf, MIXED_KINDS } from '../../check/kinds.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { type Language, languageOf } from '../content/languages.ts';
import {
  addHash,
  addText,
  compareLanguages,
  isHash,
  isShownName,
  makeTexts,
  type Texts,
  type Translated,
} from '../content/text-survey.ts';
import { type AttributeProfile, isEmpty } from './attribute-profile.ts';
import { addNumber, addTextValue, makeValues, type ValueProfile } from './value-profile.ts';

/** An attribute of records, or of objects inside them, also inside lists. */
interface Node {
  /** The dotted key, without positions in lists. */
  key: string;
  name: string;
  isShown: boolean;
  path: readonly string[];
  /** The language that the name ends with. */
  language: Language | undefined;
  /** Undefined for an attribute that is only inside lists. */
  attribute: AttributeProfile | undefined;
  /** Undefined until there is a number or a text. */
  values: ValueProfile | undefined;
  /** Undefined until there is a text. */
  texts: Texts | undefined;
  inside: Map<string, Node>;
}

/** Surveys all values of a list in one pass. */
export class RecordSurvey {
  /** The attributes that are reached through objects, by dotted key, in the order of their first values. */
  readonly attributes = new Map<string, AttributeProfile>();
  readonly #root = makeNode('', [], '');
  /** Whether two paths of names may have one dotted key. */
  hasDots = false;
  /** Whether an attribute has values of several kinds. */
  hasMixedKinds = false;
  #position = 0;

  /** The language of `name`. */
  readonly #own: Language | undefined;

  /** @param language that of `name`, if it is known */
  constructor(records: readonly JsonObject[], language?: string) {
    this.#own = language === undefined ? undefined : languageOf(`name_${language}`);
    for (const [position, record] of records.entries()) {
      this.#position = position;
      this.#visitObject(this.#root, record, false);
    }
  }

  /** The numbers and texts of each attribute, by dotted key. */
  get values(): Map<string, ValueProfile> {
    const values = new Map<string, ValueProfile>();
    collect(this.#root, (node) => {
      if (node.values) values.set(node.key, node.values);
    });
    return values;
  }

  /** What is known of the texts of each attribute that has texts. */
  get texts(): Texts[] {
    const texts: Texts[] = [];
    collect(this.#root, (node) => {
      if (node.texts) texts.push(node.texts);
    });
    return texts;
  }

  #visitObject(node: Node, object: JsonObject, isInList: boolean): void {
    let languages = 0;
    for (const name of Object.keys(object)) {
      const inner = node.inside.get(name) ?? this.#add(node, name);
      const value = object[name] ?? null;
      if (!isInList) this.#countAttribute(inner, value);
      this.#visitValue(inner, value, isInList);
      if (inner.language) languages++;
    }
    if (languages === 0) return;
    const translated = Object.keys(object).flatMap((name): Translated[] => {
      const { language, texts } = node.inside.get(name) ?? {};
      return language ? [{ name, language, texts }] : [];
    });
    compareLanguages(translated, object);
  }

  #add(node: Node, name: string): Node {
    if (name.includes('.')) this.hasDots = true;
    const inner = makeNode(node.key === '' ? name : `${node.key}.${name}`, [...node.path, name], name);
    node.inside.set(name, inner);
    return inner;
  }

  #countAttribute(node: Node, value: Json): void {
    let { attribute } = node;
    if (attribute === undefined) {
      const { key, path } = node;
      attribute = this.attributes.get(key) ?? {
        ...{ path, kind: undefined, code: 0, first: this.#position, filled: 0 },
      };
      this.attributes.set(key, attribute);
      node.attribute = attribute;
    }
    if (!isEmpty(value)) attribute.filled++;
    const code = kindCode(value);
    if (code === 0 || code === attribute.code) return;
    if (attribute.code !== 0 || code === MIXED_KINDS) this.hasMixedKinds = true;
    if (attribute.kind) return;
    attribute.code = code;
    attribute.kind = kindOf(value);
    attribute.first = this.#position;
  }

  #languageOf({ key, language }: Node): Language | undefined {
    return key === 'name' ? this.#own : language;
  }

  #visitValue(node: Node, value: Json, isInList: boolean): void {
    if (typeof value === 'number') {
      node.values ??= makeValues(node.key);
      addNumber(node.values, value);
      if (!node.isShown || !isHash(value)) return;
      node.texts ??= makeTexts(node.key, node.isShown, node.language);
      addHash(node.texts, value, this.#position);
    } else if (typeof value === 'string') {
      node.values ??= makeValues(node.key);
      addTextValue(node.values, value);
      if (value === '') return;
      node.texts ??= makeTexts(node.key, node.isShown, this.#languageOf(node));
      addText(node.texts, value, this.#position);
    } else if (Array.isArray(value)) for (const element of value) this.#visitValue(node, element, true);
    else if (isObject(value)) this.#visitObject(node, value, isInList);
  }
}

function makeNode(key: string, path: readonly string[], name: string): Node {
  const nothing = { attribute: undefined, values: undefined, texts: undefined };
  const isShown = isShownName(name);
  return { key, name, isShown, path, language: languageOf(name), ...nothing, inside: new Map() };
}

function collect(node: Node, add: (node: Node) => void): void {
  for (const inner of node.inside.values()) {
    add(inner);
    collect(inner, add);
  }
}
