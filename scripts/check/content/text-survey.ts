import type { Json, JsonObject } from '../../format/dist-format.ts';
import { isWrittenIn, type Language, languageOf } from './languages.ts';
import { findTextFault, isUnresolved, type TextFault } from './text-faults.ts';

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

interface Node extends TextSurvey {
  name: string;
  faults: Map<TextFault, Occurrence>;
  copies: Map<string, { both: number; same: number }>;
  inside: Map<string, Node>;
}

const shownName = /^(?:name|title)(?:_|$)|_(?:name|title)(?:_[a-z]{2,3})?$/;
const internalName = /(?:code|asset|file|icon|internal|key|resource|model|bundle|image|class)_?name/;

/** Surveys all texts of a list in one pass. */
export function surveyTexts(records: readonly JsonObject[]): TextSurvey[] {
  const root = makeNode('', '');
  for (const [position, record] of records.entries()) addObject(root, record, position);
  const surveys: TextSurvey[] = [];
  collect(root, surveys);
  return surveys;
}

function makeNode(key: string, name: string): Node {
  const faults = new Map<TextFault, Occurrence>();
  const more = { language: languageOf(name), foreign: undefined, copies: new Map(), inside: new Map() };
  return { key, name, texts: 0, faults, ...more };
}

function collect(node: Node, surveys: TextSurvey[]): void {
  if (node.texts > 0) surveys.push(node);
  for (const inner of node.inside.values()) collect(inner, surveys);
}

function addObject(node: Node, object: JsonObject, record: number): void {
  const translated: Node[] = [];
  for (const name of Object.keys(object)) {
    let inner = node.inside.get(name);
    if (inner === undefined) {
      inner = makeNode(node.key === '' ? name : `${node.key}.${name}`, name);
      node.inside.set(name, inner);
    }
    addValue(inner, object[name] as Json, record);
    if (inner.language) translated.push(inner);
  }
  if (translated.length > 1) compareLanguages(translated, object);
}

function addValue(node: Node, value: Json, record: number): void {
  if (typeof value === 'string') addText(node, value, record);
  // In a CSV file, the hash of a text is a number.
  else if (typeof value === 'number') addNumber(node, value, record);
  else if (Array.isArray(value)) for (const element of value) addValue(node, element, record);
  else if (typeof value === 'object' && value !== null) addObject(node, value, record);
}

function addNumber(node: Node, value: number, record: number): void {
  if (!shownName.test(node.name) || internalName.test(node.name) || !isUnresolved(String(value))) return;
  node.texts++;
  addFault(node, 'unresolved', record, String(value));
}

function addFault(node: Node, fault: TextFault, record: number, text: string): void {
  const known = node.faults.get(fault);
  if (known) known.count++;
  else node.faults.set(fault, { count: 1, record, text });
}

function addText(node: Node, text: string, record: number): void {
  if (text === '') return;
  node.texts++;
  const fault =
    findTextFault(text) ??
    (shownName.test(node.name) && !internalName.test(node.name) && isUnresolved(text)
      ? 'unresolved'
      : undefined);
  if (fault) addFault(node, fault, record, text);
  if (node.language && isWrittenIn(text, node.language.scripts) === false) {
    if (node.foreign) node.foreign.count++;
    else node.foreign = { count: 1, record, text };
  }
}

/** Compares the languages of a text with each other, and with the text that names none. */
function compareLanguages(translated: readonly Node[], object: JsonObject): void {
  for (const [position, node] of translated.entries()) {
    const { base, scripts } = node.language as Language;
    const text = object[node.name];
    if (typeof text !== 'string' || text === '') continue;
    // In a game of one language, the text that names none is in that language.
    const isTranslated = translated.some(
      ({ language, name }) => language?.base === base && name !== node.name,
    );
    if (isTranslated) compareTexts(node, base, text, object[base], true);
    for (const other of translated.slice(0, position)) {
      if (other.language?.base !== base) continue;
      compareTexts(node, other.name, text, object[other.name], other.language.scripts !== scripts);
    }
  }
}

/** Names are often the same in languages of one script; sentences are not. */
function compareTexts(
  node: Node,
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
