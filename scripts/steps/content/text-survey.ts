import { type Json, type JsonObject, ownValue } from '../../format/dist-format.ts';
import { isWrittenIn, type Language } from './languages.ts';
import { findTextFault, hasMarkup, isUnresolved, type TextFault } from './text-faults.ts';

/** How many texts have something, the position of the first record with one, and that text. */
export interface Occurrence {
  count: number;
  record: number;
  text: string;
}

/** The texts of an attribute in all records of a list, those inside lists included. */
export interface TextSurvey {
  /** The dotted key, without positions in lists. */
  key: string;
  texts: number;
  faults: ReadonlyMap<TextFault, Occurrence>;
  /** The language that the attribute's name ends with. */
  language: Language | undefined;
  /** Texts that are not in a script of that language. */
  foreign: Occurrence | undefined;
  /** By the name of another attribute of the same object: how often both have texts, and how often the same text. */
  copies: ReadonlyMap<string, { both: number; same: number }>;
}

/** A survey while texts are added to it. */
export interface Texts extends TextSurvey {
  /** Whether its texts are shown to people: those that are keys or hashes were not resolved. */
  isShown: boolean;
  faults: Map<TextFault, Occurrence>;
  copies: Map<string, { both: number; same: number }>;
}

const shownName = /^(?:name|title)(?:_|$)|_(?:name|title)(?:_[a-z]{2,3})?$/;
const internalName = /(?:code|asset|file|icon|internal|key|resource|model|bundle|image|class)_?name/;

/** The survey of an attribute without texts. */
export function makeTexts(key: string, isShown: boolean, language: Language | undefined): Texts {
  const more = { language, foreign: undefined, faults: new Map(), copies: new Map() };
  return { key, isShown, texts: 0, ...more };
}

/** Whether the texts of an attribute are shown to people, by its name. */
export function isShownName(name: string): boolean {
  return shownName.test(name) && !internalName.test(name);
}

/** Whether a number is the hash of a text, as in a CSV file. The attribute is one whose texts are shown. */
export function isHash(value: number): boolean {
  return isUnresolved(String(value));
}

/** Adds a number that is the hash of a text. @param record as for `addText` */
export function addHash(node: Texts, value: number, record: number): void {
  node.texts++;
  addFault(node, 'unresolved', record, String(value));
}

function addFault(node: Texts, fault: TextFault, record: number, text: string): void {
  const entry = node.faults.get(fault);
  if (entry) entry.count++;
  else node.faults.set(fault, { count: 1, record, text });
}

function findNameFault(name: string): TextFault | undefined {
  if (isUnresolved(name)) return 'unresolved';
  return hasMarkup(name) ? 'markup' : undefined;
}

/** Adds a text that is not empty. @param record the position of the record that has it */
export function addText(node: Texts, text: string, record: number): void {
  node.texts++;
  const fault = findTextFault(text) ?? (node.isShown ? findNameFault(text) : undefined);
  if (fault) addFault(node, fault, record, text);
  if (node.language && isWrittenIn(text, node.language.scripts) === false && !isModelName(node, text)) {
    if (node.foreign) node.foreign.count++;
    else node.foreign = { count: 1, record, text };
  }
}

/** An attribute of an object whose name ends with a language. `texts` is undefined until it has a text. */
export interface Translated {
  name: string;
  language: Language;
  texts: Texts | undefined;
}

/** Compares the languages of a text in an object with each other, and with the text that names none. */
export function compareLanguages(translated: readonly Translated[], object: JsonObject): void {
  for (const [position, { name, language, texts }] of translated.entries()) {
    const { base, scripts } = language;
    const text = object[name];
    if (texts === undefined || typeof text !== 'string' || text === '') continue;
    if (text === ownValue(object, base)) forgiveModel(texts, text, scripts);
    // Names in Indonesian are often left in English. In a game of one language, the text that names none is in that language.
    const isTranslated = translated.some((other) => other.language.base === base && other.name !== name);
    const isLeft = language.code === 'id' && isShownName(base);
    if (isTranslated && !isLeft) compareTexts(texts, base, text, ownValue(object, base), true);
    for (const other of translated.slice(0, position)) {
      if (other.language.base !== base) continue;
      compareTexts(texts, other.name, text, object[other.name], other.language.scripts !== scripts);
    }
  }
}

/** Whether a text is the name of a model in the attribute that names no language. */
function isModelName({ key }: Texts, text: string): boolean {
  return key === 'name' && model.test(text);
}

/** A name such as "M1911" is the same in all languages: with a digit, or in capitals. */
const model = /\d|^\P{Lowercase_Letter}+$/u;

/** Takes back that a text is in another script, which `addText` has just noted, if it is the name of a model in all languages. */
function forgiveModel(node: Texts, text: string, scripts: Language['scripts']): void {
  if (node.foreign === undefined || !model.test(text) || isWrittenIn(text, scripts) !== false) return;
  node.foreign.count--;
  if (node.foreign.count === 0) node.foreign = undefined;
}

/** Names are often the same in languages of one script; sentences are not. */
function compareTexts(
  node: Texts,
  name: string,
  text: string,
  other: Json | undefined,
  isOther: boolean,
): void {
  if (typeof other !== 'string' || other === '') return;
  if (!(isOther && notLatin.test(text)) && text.split(' ').length < 4) return;
  const copy = node.copies.get(name);
  const same = text === other ? 1 : 0;
  if (copy === undefined) node.copies.set(name, { both: 1, same });
  else {
    copy.both++;
    copy.same += same;
  }
}

const notLatin = /[^\p{Script=Latin}\p{Script=Common}]/u;
